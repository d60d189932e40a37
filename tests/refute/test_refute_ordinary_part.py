"""The ordinary part of an instance has every row but those that keep it from being ordinary."""

from __future__ import annotations

import pytest

from sqlverdict.parse.facts import facts_of
from sqlverdict.parse.schemas.ddl import read_ddl
from sqlverdict.records import Row
from sqlverdict.refute.data.grade import SEVERITY, Grader
from sqlverdict.refute.data.mine.columns import NeverNull, NumberSign
from sqlverdict.refute.data.ordinary_part import OrdinaryPart
from sqlverdict.refute.data.regularities import Regularities
from sqlverdict.refute.make.constraints import constraints_of
from sqlverdict.refute.witness import Instance

SCHEMA = read_ddl(
    """
    CREATE TABLE town (id INTEGER PRIMARY KEY, name TEXT);
    CREATE TABLE shop (id INTEGER PRIMARY KEY, town_id INTEGER REFERENCES town (id), size INTEGER);
    """,
    "towns",
)
GOLD = "SELECT town.name FROM town JOIN shop ON shop.town_id = town.id WHERE shop.size > 1"
PREDICTION = "SELECT name FROM town WHERE id IN (SELECT town_id FROM shop WHERE size > 1)"
REAL = Regularities(
    "0",
    {"town": 30, "shop": 30},
    (NumberSign("shop", "size", strict=True), NeverNull("town", "id")),
)
Rows = dict[str, tuple[Row, ...]]
TOWNS: tuple[Row, ...] = ((1, "a"), (2, "b"), (3, None))
SHOPS: tuple[Row, ...] = ((1, 1, 5), (2, 1, -5), (3, 2, -1), (4, None, 7), (5, 3, 4))
ALL: Rows = {"town": TOWNS, "shop": SHOPS}


def part() -> tuple[Grader, OrdinaryPart]:
    grader = Grader(SCHEMA, REAL, GOLD, PREDICTION)
    return grader, OrdinaryPart(grader, constraints_of(SCHEMA, facts_of(SCHEMA)).links)


@pytest.mark.parametrize(
    ("worst", "left"),
    [
        ("breaks_regularity", ALL),
        ("needs_empty_table", {"town": TOWNS, "shop": (SHOPS[0], SHOPS[3], SHOPS[4])}),
        ("needs_null", {"town": TOWNS, "shop": (SHOPS[0], SHOPS[3], SHOPS[4])}),
        ("needs_missing_partner", {"town": TOWNS[:2], "shop": SHOPS[:1]}),
        ("needs_tie", {"town": TOWNS[:1], "shop": SHOPS[:1]}),
        ("ordinary", {"town": TOWNS[:1], "shop": SHOPS[:1]}),
    ],
)
def test_what_is_left_at_each_severity(worst: str, left: Rows) -> None:
    grader, ordinary_part = part()
    severity = next(number for grade, number in SEVERITY.items() if grade == worst)
    assert ordinary_part(ALL, severity) == left
    assert grader.cost(Instance(SCHEMA, left))[0] <= severity


def test_a_part_without_a_row_of_a_table_is_none() -> None:
    _, ordinary_part = part()
    rows: Rows = {"town": TOWNS, "shop": ((2, 1, -5),)}
    assert ordinary_part(rows, SEVERITY["needs_null"]) is None
    assert ordinary_part(rows, SEVERITY["needs_empty_table"]) == {"town": TOWNS}
