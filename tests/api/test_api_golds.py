"""``evaluate_golds``: systems under several sets of golds, from Python."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

import sqlverdict as sv
from sqlverdict.errors import DataError, UsageError

COUNT, MOST = "SELECT count(*) FROM item", "SELECT max(price) FROM item"


@pytest.fixture
def cases(tmp_path: Path) -> list[sv.Case]:
    file = tmp_path / "shop.sqlite"
    with closing(sqlite3.connect(file)) as connection:
        connection.executescript(
            "CREATE TABLE item (id INTEGER PRIMARY KEY, price REAL NOT NULL);"
            "INSERT INTO item VALUES (1, 1.0), (2, 3.0), (3, 9.0);"
        )
    return [sv.Case(str(n), "shop", f"Question {n}?", (COUNT,), str(file)) for n in range(4)]


SYSTEMS = [
    sv.System("plain", {str(n): COUNT for n in range(4)}),
    sv.System("other", {str(n): MOST if n else COUNT for n in range(4)}),
]
OPTIONS = sv.Options("ex,verdict", workers=0, cache=None)


def test_every_system_stands_under_every_set(cases: list[sv.Case], tmp_path: Path) -> None:
    sets = {
        "fixed": {"1": MOST, "2": [MOST, "SELECT 9.0"]},
        "same": {"0": "SELECT count(id) FROM item"},
    }
    result = sv.evaluate_golds(cases, SYSTEMS, sets, out=tmp_path / "out", options=OPTIONS)
    board = result.board
    assert [(each.name, each.replaced) for each in board.sets] == [
        ("run", ()),
        ("fixed", ("1", "2")),
        ("same", ("0",)),
    ]
    values = {(each.golds, each.system): each.value for each in board.places if each.metric == "ex"}
    assert values == {
        ("run", "plain"): 1.0,
        ("run", "other"): 0.25,
        ("fixed", "plain"): 0.5,
        ("fixed", "other"): 0.75,
        ("same", "plain"): 1.0,
        ("same", "other"): 0.25,
    }
    assert {(swap.measure, swap.golds) for swap in board.swaps} == {
        (measure, "fixed") for measure in board.measures
    }
    relations = [(each.golds, each.id, each.relation) for each in board.questions]
    assert relations == [
        ("fixed", "1", "other answer"),
        ("fixed", "2", "several golds"),
        ("same", "0", "proved equal"),
    ]
    # Runs that commands read, too, and one page.
    run = sv.read_run(tmp_path / "out" / "other" / "fixed")
    assert run.estimate("ex").value == 0.75
    page = result.to_html(tmp_path / "page.html")
    assert (tmp_path / "page.html").read_text("utf-8") == page


def test_a_file_may_be_a_whole_revision(cases: list[sv.Case], tmp_path: Path) -> None:
    file = tmp_path / "dev.json"
    file.write_text(
        json.dumps([{"query": COUNT if n else MOST, "db_id": "shop"} for n in range(4)])
    )
    result = sv.evaluate_golds(cases, SYSTEMS[:1], [file], metrics=["ex"], options=OPTIONS)
    assert [each.value for each in result.board.places] == [1.0, 0.75]
    assert result.board.sets[1].file == str(file)


def test_what_is_wrong_is_said(cases: list[sv.Case]) -> None:
    for golds, error in (
        ({"fixed": {"9": COUNT}}, DataError),
        ({"run": {"1": COUNT}}, UsageError),
        ("dev.json", UsageError),
        ({"a/b": "missing.jsonl"}, UsageError),
        (["missing.json"], sv.SqlverdictError),
    ):
        with pytest.raises(error):
            sv.evaluate_golds(cases, SYSTEMS, golds, options=OPTIONS)  # type: ignore[arg-type]
