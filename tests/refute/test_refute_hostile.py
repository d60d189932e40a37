"""Predictions that try to keep the search busy: their reading is bounded by a count of looks."""

from __future__ import annotations

import pytest

from sqlverdict.parse import names
from sqlverdict.parse.schema import Column, Schema, Table
from sqlverdict.refute.read import columns
from sqlverdict.refute.search import find_witness

SCHEMA = Schema(
    "db",
    (
        Table(
            "t",
            (Column("id", "INTEGER", not_null=True), Column("a", "INTEGER"), Column("b", "TEXT")),
            ("id",),
        ),
    ),
    "sqlite",
)
GOLD = "SELECT a FROM t WHERE a > 3"


def repeat(text: str, times: int, joint: str = ", ") -> str:
    return joint.join(text.format(n, n + 1) for n in range(times))


HOSTILE = {
    "aliases of aliases": f"SELECT {repeat('c{0} AS c{1}', 2_400)}, a AS c0 FROM t WHERE a > 3",
    "wide derived table": (
        f"SELECT {repeat('c{0}', 1_900)} FROM (SELECT {repeat('a AS c{0}', 1_900)} FROM t)"
    ),
    "many expressions in WITH": (
        f"WITH {repeat('w{0} AS (SELECT a FROM t)', 600)} SELECT a FROM w0 WHERE a > 3"
    ),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", HOSTILE)
def test_reading_takes_a_bounded_number_of_looks(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    looks = 0
    fold = columns.fold

    def count_looks(text: str) -> str:
        nonlocal looks
        looks += 1
        return fold(text)

    monkeypatch.setattr(columns, "fold", count_looks)
    monkeypatch.setattr(names, "fold", count_looks)
    find_witness(GOLD, HOSTILE[name], SCHEMA)
    assert looks < 12 * names._LOOKS
    assert find_witness(GOLD, "SELECT a FROM t WHERE a >= 3", SCHEMA).refuted
