"""The default preset: order from the tree, ties free, nothing lost."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from error_parts import refuses_data
from sqlverdict.compare.answers import compare_answers
from sqlverdict.errors import DataError, UnknownMember
from sqlverdict.execute.engine import ENGINES, Limits
from sqlverdict.records import Answer, Contract, Outcome, Reason

SCHEMA = """
CREATE TABLE player (id INTEGER PRIMARY KEY, name TEXT, team TEXT, score INTEGER, rate REAL);
INSERT INTO player VALUES (1, 'Ann', 'red', 9, 0.1), (2, 'Bob', 'red', 9, 0.2),
  (3, 'Cid', 'blue', 7, 0.3), (4, 'Dee', 'blue', 7, 0.1), (5, 'Eve', NULL, 5, NULL);
"""


@pytest.fixture
def run(tmp_path: Path) -> Callable[[str], Outcome]:
    path = tmp_path / "players.sqlite"
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.executescript(SCHEMA)
    connection.close()
    session = ENGINES.get("sqlite").open(path, Limits())
    return session.run


def verdict(
    run: Callable[[str], Outcome], gold: str, prediction: str, contract: Contract | None = None
) -> tuple[bool | None, tuple[Reason, ...]]:
    ours, theirs = run(gold), run(prediction)
    assert isinstance(ours, Answer)
    assert isinstance(theirs, Answer)
    comparison = compare_answers(
        ours, theirs, gold_sql=gold, prediction_sql=prediction, contract=contract, probe=run
    )
    return comparison.equal, comparison.reasons


@pytest.mark.parametrize(
    ("gold", "prediction"),
    [
        ("SELECT name, score FROM player", "SELECT score, name FROM player ORDER BY id DESC"),
        ("SELECT name FROM player ORDER BY score DESC", "SELECT name FROM player ORDER BY score DESC, name DESC"),
        ("SELECT count(*) FROM player", "SELECT 5.0"),
        ("SELECT sum(rate) FROM player", "SELECT 0.1 + 0.1 + 0.2 + 0.3"),
        ("SELECT name FROM (SELECT * FROM player ORDER BY score)", "SELECT name FROM player ORDER BY id DESC"),
        ("SELECT 'order by' || name FROM player", "SELECT 'order by' || name FROM player ORDER BY name DESC"),
        ("SELECT name FROM player ORDER BY score LIMIT 1", "SELECT 'Eve'"),
    ],
)  # fmt: skip
def test_equal(run: Callable[[str], Outcome], gold: str, prediction: str) -> None:
    assert verdict(run, gold, prediction) == (True, ())


@pytest.mark.parametrize(
    ("gold", "prediction", "reason"),
    [
        ("SELECT name FROM player ORDER BY score", "SELECT name FROM player ORDER BY score DESC", Reason.ORDER_MISMATCH),
        ("SELECT team FROM player", "SELECT DISTINCT team FROM player", Reason.DUPLICATES_MISMATCH),
        ("SELECT name FROM player", "SELECT name FROM player WHERE score > 5", Reason.RESULT_MISSING_ROWS),
        ("SELECT name FROM player WHERE score > 5", "SELECT name FROM player", Reason.RESULT_EXTRA_ROWS),
        ("SELECT name FROM player", "SELECT name, id FROM player", Reason.RESULT_EXTRA_COLUMNS),
        ("SELECT name, id FROM player", "SELECT name FROM player", Reason.RESULT_MISSING_COLUMNS),
        ("SELECT score FROM player", "SELECT CAST(score AS TEXT) FROM player", Reason.VALUE_MISMATCH),
        ("SELECT name FROM player", "SELECT name FROM player WHERE 0", Reason.EMPTY_RESULT),
        ("SELECT team FROM player WHERE id = 5", "SELECT 0", Reason.VALUE_MISMATCH),
        ("SELECT name FROM player ORDER BY score LIMIT 1", "SELECT 'Ann'", Reason.VALUE_MISMATCH),
        ("SELECT name, score FROM player ORDER BY score DESC, id LIMIT 1", "SELECT 'Bob', 9", Reason.VALUE_MISMATCH),
    ],
)  # fmt: skip
def test_different(
    run: Callable[[str], Outcome], gold: str, prediction: str, reason: Reason
) -> None:
    equal, reasons = verdict(run, gold, prediction)
    assert equal is False
    assert reason in reasons


@pytest.mark.parametrize(
    ("gold", "prediction"),
    [
        ("SELECT name FROM player ORDER BY score DESC LIMIT 1", "SELECT name FROM player WHERE id = 2"),
        ("SELECT name FROM player LIMIT 2", "SELECT name FROM player WHERE id > 3"),
        ("SELECT name FROM player ORDER BY score DESC LIMIT 3", "SELECT name FROM player WHERE id IN (1, 2, 4) ORDER BY id"),
        ("SELECT name FROM player ORDER BY score DESC LIMIT 1 OFFSET 1", "SELECT 'Ann'"),
        ("SELECT team, max(score) FROM player WHERE team IS NOT NULL GROUP BY team ORDER BY count(*) LIMIT 1", "SELECT 'red', 9"),
    ],
)  # fmt: skip
def test_a_limit_that_cuts_through_a_tie_is_undetermined(
    run: Callable[[str], Outcome], gold: str, prediction: str
) -> None:
    assert verdict(run, gold, prediction) == (None, (Reason.TIE_UNDETERMINED,))


def test_rows_outside_the_tie_stay_wrong(run: Callable[[str], Outcome]) -> None:
    gold = "SELECT name FROM player ORDER BY score DESC LIMIT 1"
    assert verdict(run, gold, "SELECT name FROM player WHERE id = 3")[0] is False


def test_contract_changes_what_counts(run: Callable[[str], Outcome]) -> None:
    swapped = ("SELECT name, score FROM player", "SELECT score, name FROM player")
    assert verdict(run, *swapped, Contract(columns="same_order"))[0] is False
    reordered = ("SELECT name FROM player", "SELECT name FROM player ORDER BY id DESC")
    assert verdict(run, *reordered, Contract(order="respect"))[0] is False
    ordered = ("SELECT name FROM player ORDER BY id", "SELECT name FROM player ORDER BY id DESC")
    assert verdict(run, *ordered, Contract(order="ignore"))[0] is True
    near = ("SELECT 1.0", "SELECT 1.004")
    assert verdict(run, *near)[0] is False
    assert verdict(run, *near, Contract(float_abs=0.01))[0] is True


def test_without_a_probe_hidden_keys_make_order_exact() -> None:
    gold = "SELECT name FROM player ORDER BY score"
    comparison = compare_answers([("a",), ("b",)], [("b",), ("a",)], gold_sql=gold)
    assert comparison.equal is False


def test_bad_calls_are_explained() -> None:
    with refuses_data(DataError, "wrong_value", "[1, 2] cells"):
        compare_answers([(1,), (1, 2)], [(1,)])
    with pytest.raises(UnknownMember) as unknown:
        compare_answers([(1,)], [(1,)], "strickt")
    assert (unknown.value.kind, unknown.value.near) == ("preset", "strict")


@pytest.mark.parametrize(
    "gold",
    [
        "SELECT name FROM (SELECT name FROM player ORDER BY score, id) LIMIT 1",
        "SELECT * FROM (SELECT name FROM player ORDER BY score, id) LIMIT 1",
        "WITH d AS (SELECT name FROM player ORDER BY score, id) SELECT name FROM d LIMIT 1",
        "SELECT name FROM (SELECT * FROM (SELECT * FROM player ORDER BY score) WHERE id > 0) LIMIT 1",
        "SELECT DISTINCT name FROM (SELECT name FROM player ORDER BY score, id) LIMIT 1",
    ],
)
def test_a_limit_over_an_ordered_subquery_takes_the_first_rows_in_that_order(
    run: Callable[[str], Outcome], gold: str
) -> None:
    assert verdict(run, gold, "SELECT 'Eve'") == (True, ())
    assert verdict(run, gold, "SELECT 'Ann'")[0] is False
    assert verdict(run, gold, "SELECT name FROM player ORDER BY score DESC, id LIMIT 1")[0] is False


@pytest.mark.parametrize(
    "gold",
    [
        "SELECT name FROM (SELECT name, score FROM player ORDER BY score DESC) LIMIT 1",
        "SELECT name FROM (SELECT name, score AS s FROM player ORDER BY s DESC) WHERE s > 1 LIMIT 1",
        "SELECT name FROM (SELECT name, score FROM player ORDER BY 2 DESC) AS d LIMIT 1",
    ],
)
def test_a_tie_under_an_inner_order_stays_open(run: Callable[[str], Outcome], gold: str) -> None:
    assert verdict(run, gold, "SELECT 'Bob'") == (None, (Reason.TIE_UNDETERMINED,))
    assert verdict(run, gold, "SELECT 'Cid'")[0] is False


@pytest.mark.parametrize("view", ["best", "best_names"])
def test_a_limit_over_an_ordered_view_takes_the_first_rows_in_that_order(
    tmp_path: Path, view: str
) -> None:
    path = tmp_path / "views.sqlite"
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.executescript(SCHEMA)
        connection.execute("CREATE VIEW best AS SELECT name FROM player ORDER BY score, id")
        connection.execute("CREATE VIEW best_names AS SELECT name FROM best")
        connection.execute("CREATE VIEW plain AS SELECT name FROM player")
    connection.close()
    run = ENGINES.get("sqlite").open(path, Limits()).run
    gold = f"SELECT name FROM {view} LIMIT 1"
    assert verdict(run, gold, "SELECT 'Eve'") == (True, ())
    assert verdict(run, gold, "SELECT 'Ann'")[0] is False
    open_ = verdict(run, "SELECT name FROM plain LIMIT 1", "SELECT 'Bob'")
    assert open_ == (None, (Reason.TIE_UNDETERMINED,))


def test_groups_of_an_ordered_subquery_come_in_no_order(run: Callable[[str], Outcome]) -> None:
    gold = "SELECT team, count(*) FROM (SELECT * FROM player ORDER BY score) WHERE team > '' GROUP BY team LIMIT 1"
    assert verdict(run, gold, "SELECT 'red', 2") == (None, (Reason.TIE_UNDETERMINED,))
