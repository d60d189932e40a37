"""What the calls about pairs refuse: a wrong argument is a UsageError at the call, never a score."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import pytest

import sqlverdict as sv
from sqlverdict.errors import UsageError
from sqlverdict.rl import Rewarder

GOLD = "SELECT name FROM t WHERE n > 1"


@pytest.mark.parametrize(
    "gold", [{"sql": GOLD}, {GOLD}, [], (), ["", GOLD], b"SELECT 1", 5, math.nan, [GOLD, None]]
)
def test_what_is_no_gold_is_refused(db: Path, gold: Any) -> None:
    """The keys of a mapping are no golds, and an empty list does not say "unanswerable"."""
    with pytest.raises(UsageError, match="a gold is"):
        sv.Scorer(db=db).check(gold, GOLD)


def test_several_golds_may_come_in_any_order_that_is_kept(db: Path) -> None:
    for golds in (["SELECT 1", GOLD], ("SELECT 1", GOLD), iter(["SELECT 1", GOLD])):
        assert sv.Scorer(db=db)(golds, GOLD) == 1.0  # type: ignore[arg-type]


def test_none_says_that_a_question_has_no_answer(db: Path) -> None:
    assert sv.Scorer(db=db).check(None, None).correct is True


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ({"question": ["a"]}, "question is list"),
        ({"knowledge": 5}, "knowledge is int"),
        ({"contract": {"order": "ignore"}}, "contract is dict"),
        ({"id": 5}, "id is int"),
        ({"db_id": 5}, "db_id is int"),
    ],
)
def test_arguments_of_a_check_have_their_types(
    db: Path, more: dict[str, Any], message: str
) -> None:
    scorer = sv.Scorer(databases=db.parent) if "db_id" in more else sv.Scorer(db=db)
    with pytest.raises(UsageError, match=message):
        scorer.check(GOLD, GOLD, **more)


def test_no_question_is_an_empty_one(db: Path) -> None:
    assert sv.check(GOLD, GOLD, db=db, question=None).correct is True
    assert sv.Scorer(db=db).check(GOLD, GOLD, question=None, knowledge=None).correct is True


@pytest.mark.parametrize("timeout", [0, -1.0, "2", math.nan, math.inf, True, 1e300, 10**400])
def test_a_timeout_is_a_number_of_seconds(db: Path, timeout: Any) -> None:
    for make in (sv.Scorer, Rewarder):
        with pytest.raises(UsageError, match="timeout is"):
            make(db=db, timeout=timeout)


@pytest.mark.parametrize("budget", [0, -1.0, "2", math.nan, math.inf, True, 1e305, 10**400])
def test_a_budget_is_a_number_of_milliseconds(db: Path, budget: Any) -> None:
    with pytest.raises(UsageError, match="budget_ms is"):
        sv.Scorer("verdict", db=db, budget_ms=budget)


def test_numbers_of_arrays_are_numbers(db: Path) -> None:
    numpy = pytest.importorskip("numpy", reason="numpy is not installed")
    scorer = sv.Scorer("verdict", db=db, timeout=numpy.float32(9.5), budget_ms=numpy.int64(20))
    assert scorer(GOLD, GOLD) == 1.0
    assert scorer.plan.limits.seconds == 9.5


@pytest.mark.parametrize("seconds", [math.nan, math.inf, 1e300, -1, 0, "1", None, True])
def test_a_limit_is_a_time_that_a_clock_counts_to(seconds: Any) -> None:
    with pytest.raises(UsageError, match="seconds of Limits"):
        sv.Limits(seconds=seconds)


@pytest.mark.parametrize("name", ["steps", "rows", "bytes", "memory", "cell", "sql_length"])
def test_a_limit_is_a_whole_number_above_0(name: str) -> None:
    for value in ("x", -1, 0, 1.5, None, True):
        with pytest.raises(UsageError, match=f"{name} of Limits is {value!r}"):
            sv.Limits(**{name: value})  # type: ignore[arg-type]
    assert getattr(sv.Limits(**{name: 1}), name) == 1  # type: ignore[arg-type]


def test_the_word_no_trusts_no_role() -> None:
    with pytest.raises(UsageError, match="trust_role of Limits is 'no'"):
        sv.Limits(trust_role="no")  # type: ignore[arg-type]


@pytest.mark.parametrize(("name", "value"), [("refute", -1), ("refute", "40"), ("memo", -1)])
def test_counts_are_not_negative(db: Path, name: str, value: Any) -> None:
    for make in (sv.Scorer, Rewarder):
        with pytest.raises(UsageError, match=f"{name} is"):
            make(db=db, **{name: value})


def test_nothing_is_remembered_with_a_memo_of_0(db: Path) -> None:
    scorer = sv.Scorer(db=db, memo=0)
    assert [scorer(GOLD, GOLD), scorer(GOLD, GOLD)] == [1.0, 1.0]


@pytest.mark.parametrize(
    ("pair", "message"),
    [
        ({"gold": GOLD}, "'prediction'"),
        ({"prediction": GOLD}, "no 'gold'"),
        ({"gold": GOLD, "prediction": GOLD, "databse": "x"}, "'databse'"),
        ((GOLD,), "a pair is"),
        (GOLD, "a pair is"),
    ],
)
def test_a_pair_has_the_names_of_the_arguments(db: Path, pair: Any, message: str) -> None:
    for batch in (sv.Scorer(db=db).batch, Rewarder(db=db).batch):
        with pytest.raises(UsageError, match=message):
            batch([pair])


@pytest.mark.parametrize("reply", [None, 5, ["SELECT 1"]])
def test_a_reply_from_which_sql_is_taken_is_a_text(reply: Any) -> None:
    with pytest.raises(UsageError, match="a reply is"):
        sv.extract_sql(reply)


@pytest.mark.parametrize("make", [sv.Scorer, Rewarder])
def test_one_database_for_all_needs_no_name(db: Path, make: Any) -> None:
    """A name was needed, and then not read."""
    for where in (db, str(db), db.parent):
        with make(databases=where) as scorer:
            assert scorer(GOLD, GOLD) == 1.0
            assert scorer(GOLD, GOLD, db_id="shop") == 1.0
    with make(databases=db) as scorer:
        assert scorer(GOLD, GOLD, db_id="Shop.sqlite") == 1.0
        for other in ("club", ""):
            with pytest.raises(UsageError, match=f"db_id='{other}'"):
                scorer(GOLD, GOLD, db_id=other)


def test_of_several_databases_one_is_to_be_named(db: Path) -> None:
    db.with_name("club.sqlite").write_bytes(db.read_bytes())
    with sv.Scorer(databases=db.parent) as scorer, pytest.raises(UsageError, match="no database"):
        scorer(GOLD, GOLD)


def test_options_but_the_metrics_are_given_by_name() -> None:
    assert sv.Options("ex,esm", workers=0) == sv.Options(metrics="ex,esm", workers=0)
    with pytest.raises(TypeError, match="positional"):
        sv.Options("ex", 0)  # type: ignore[misc]
