"""Questions whose golds differ between sets: what is said of the golds, and of who moves."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

import sqlverdict as sv
from sqlverdict.report.several_runs.golds_board import GoldsBoard
from sqlverdict.report.several_runs.golds_tables import golds_sentences, questions_table

COUNT, MOST = "SELECT count(*) FROM item", "SELECT max(price) FROM item"
Board = Callable[..., GoldsBoard]


@pytest.fixture
def board(tmp_path: Path) -> Board:
    """Systems that answer with ``COUNT`` and with ``MOST``, by the golds of one case and others."""
    file = tmp_path / "shop.sqlite"
    with closing(sqlite3.connect(file)) as connection:
        connection.executescript(
            "CREATE TABLE item (id INTEGER PRIMARY KEY, price REAL NOT NULL);"
            "INSERT INTO item VALUES (1, 1.0), (2, 9.0);"
        )
    systems = [sv.System("count", {"1": COUNT}), sv.System("most", {"1": MOST})]

    def build(before: tuple[str, ...], after: list[str], metrics: str = "ex") -> GoldsBoard:
        cases = [sv.Case("1", "shop", "How many?", before, str(file))]
        options = sv.Options(metrics, workers=0, cache=None)
        return sv.evaluate_golds(cases, systems, {"other": {"1": after}}, options=options).board

    return build


def test_several_golds_are_not_called_equal(board: Board) -> None:
    """A gold that is left out made an answer right, whatever is proved of the one that stays."""
    (question,) = board((COUNT, MOST), ["SELECT count(id) FROM item"]).questions
    assert question.relation == "several golds"
    assert question.evidence == (
        "2 golds, then 1; the first of these against those before: proved: both golds agree on "
        "every legal database"
    )
    assert [move.system for move in question.moves] == ["most"]
    assert board((COUNT,), [COUNT, MOST]).questions[0].relation == "several golds"
    assert board((COUNT,), ["SELECT count(id) FROM item"]).questions[0].relation == "proved equal"


def test_a_gold_that_is_no_sql_does_not_run(board: Board) -> None:
    (question,) = board((COUNT,), ["SELEC"]).questions
    assert question.relation == "does not run"
    assert question.evidence == "the other gold does not run: it is no SQL"


def test_golds_that_the_runs_have_are_named_so(board: Board) -> None:
    sentences = golds_sentences(board((COUNT,), [COUNT]))
    assert sentences == ["other: these are the golds of the runs, so nothing moves"]


def test_where_no_measure_moves_a_rank_none_is_named(board: Board) -> None:
    lines = golds_sentences(board((COUNT,), ["SELECT count(id) FROM item"], "ex,ex[bird]"))
    assert "other: no rank moves by any measure" in lines


def test_where_every_measure_moves_none_is_named(board: Board) -> None:
    moves = questions_table(board((COUNT,), [MOST], "ex,ex[bird]"), 1).rows[0][-1]
    assert moves == "count is not right now by every measure; most is right now by every measure"
    one = questions_table(board((COUNT,), [MOST]), 1).rows[0][-1]
    assert one == "count is not right now by ex; most is right now by ex"
