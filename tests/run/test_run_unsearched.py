"""A match that could not be searched is counted and shown, and is not silently correct."""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest

from sqlverdict import Options, evaluate
from sqlverdict.evidence import Proved, Tested
from sqlverdict.records import Case, Reason
from sqlverdict.refute.witness import NotRefuted
from sqlverdict.report.one_run.markdown import write_markdown
from sqlverdict.report.one_run.sections import cut_sentences
from sqlverdict.run.refuter import Refuter
from sqlverdict.runlog.run import Run

MakeCase = Callable[..., Case]

GOLD = "SELECT count(*) FROM person WHERE age > 30"
CLOCK = "SELECT count(*) FROM person WHERE age > 30 AND date('now') > '2000-01-01'"


def run(
    case: Case,
    sql: str,
    metrics: str = "ex,verdict",
    out: Path | None = None,
    policy: str = "strict",
) -> Run:
    options = Options(metrics, workers=0, cache=None, policy=policy)
    return evaluate([case], {case.id: sql}, options=options, out=out)


def test_a_match_that_cannot_be_searched_needs_review(make_case: MakeCase) -> None:
    outcome = run(make_case("1", CLOCK), GOLD)
    (result,) = outcome.results()
    assert result.scores == {"ex": 1.0, "verdict": None}
    assert any(Reason.UNSUPPORTED_FEATURE in outcome.reasons for outcome in result.evidence)
    assert outcome.summary.cuts == {"unsearched": 1, "gold_reads_clock": 1}
    (sentence, *_) = cut_sentences(outcome.summary)
    assert sentence in write_markdown(outcome).read_text("utf-8")


def test_by_intent_a_match_that_cannot_be_searched_is_correct_and_says_so(
    make_case: MakeCase,
) -> None:
    outcome = run(make_case("1", CLOCK), GOLD, policy="intent")
    (result,) = outcome.results()
    assert result.scores == {"ex": 1.0, "verdict": 1.0}
    assert Reason.UNSUPPORTED_FEATURE in result.reasons
    assert outcome.summary.cuts == {"unsearched": 1, "gold_reads_clock": 1}
    (sentence, *_) = cut_sentences(outcome.summary)
    assert sentence in write_markdown(outcome).read_text("utf-8")


FOR_EVER = "(WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT max(x) FROM c)"


@pytest.mark.slow
@pytest.mark.parametrize(
    "sql",
    [
        CLOCK,
        "SELECT {right} + 0 * random()",
        "SELECT CASE WHEN (SELECT count(*) FROM person) = {all} THEN {right} ELSE json('{{') END",
        f"SELECT CASE (SELECT count(*) FROM person) WHEN {{all}} THEN {{right}} ELSE {FOR_EVER} END",
        "SELECT CASE (SELECT count(*) FROM person) WHEN {all} THEN {right} WHEN 0 THEN 0 "
        f"ELSE {FOR_EVER} END",
        "SELECT {right} FROM numbered JOIN sqlite_sequence ON 1 LIMIT 1",
        "SELECT {right}, random() IS NULL",
    ],
    ids=["clock", "chance", "error", "for_ever", "for_ever_but_empty", "sequence", "one_more"],
)
def test_a_prediction_does_not_void_itself_by_standing_against_the_search(
    make_case: MakeCase, tmp_path: Path, sql: str
) -> None:
    """A constant that is right by luck was unscored, or even correct, with such a guard."""
    shared = make_case("1", GOLD)
    copy = shutil.copy(str(shared.database), tmp_path / "people.sqlite")
    case = replace(shared, database=str(copy))
    with closing(sqlite3.connect(copy, isolation_level=None)) as database:
        database.execute("CREATE TABLE numbered (a INTEGER PRIMARY KEY AUTOINCREMENT)")
        database.execute("INSERT INTO numbered VALUES (1)")
        # To shrink a witness of hundreds of rows takes hundreds of runs that never end.
        database.execute("DELETE FROM person WHERE id > 15")
        (everybody,) = database.execute("SELECT count(*) FROM person").fetchone()
        (right,) = database.execute(GOLD).fetchone()
    outcome = run(case, sql.format(all=everybody, right=right), "ex,verdict,witness_accuracy")
    (result,) = outcome.results()
    assert result.scores["verdict"] == 0.0
    assert result.scores["witness_accuracy"] == 0.0


def test_no_witness_is_sought_for_a_proved_pair(make_case: MakeCase) -> None:
    case = make_case("1", "SELECT name FROM person WHERE age > 30 AND id > 0")
    with patch.object(Refuter, "refute", side_effect=AssertionError):
        outcome = run(case, "SELECT name FROM person WHERE id > 0 AND 30 < age", "witness_accuracy")
    (result,) = outcome.results()
    assert result.scores == {"witness_accuracy": 1.0}
    assert [type(piece) for piece in result.evidence[:2]] == [Proved, Tested]


def test_results_alone_leave_it_correct(make_case: MakeCase) -> None:
    outcome = run(make_case("1", GOLD), CLOCK, "ex", policy="results")
    (result,) = outcome.results()
    assert result.verdict == "correct"
    assert outcome.summary.cuts == {}


def test_what_the_clock_cut_is_said_not_remembered_and_done_again(
    make_case: MakeCase, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    case = make_case("1", GOLD)
    sql = "SELECT count(*) FROM person WHERE age > 30 AND abs(age) + 1 > 9"
    search = Refuter.refute
    calls = []

    def cut(self: Refuter, case: Case, *parts: Any) -> object:
        calls.append(case.id)
        outcome = search(self, case, *parts)
        assert isinstance(outcome, NotRefuted)
        return replace(outcome, cut_by_time=True) if len(calls) < 3 else outcome

    monkeypatch.setattr(Refuter, "refute", cut)
    again = replace(case, id="2")
    options = Options("ex,verdict", workers=0, cache=None)
    predictions = {"1": sql, "2": sql}
    first = evaluate([case, again], predictions, options=options, out=tmp_path / "run")
    assert first.summary.cuts == {"cut_by_time": 2}
    assert [result.final for result in first.results()] == [False, False]
    (sentence,) = cut_sentences(first.summary)
    assert sentence in write_markdown(first).read_text("utf-8")
    second = evaluate([case, again], predictions, options=options, out=tmp_path / "run")
    assert [result.scores["verdict"] for result in second.results()] == [1.0, 1.0]
    assert second.summary.cuts == {}
    assert len(calls) == 3, "the second case has what was found for the first"


@pytest.mark.parametrize("policy", ["intent", "strict"])
@pytest.mark.parametrize(
    "end", ["", " /* ", " ORDER BY random()"], ids=["plain", "open_comment", "chance"]
)
def test_standing_against_the_search_never_makes_another_form_right_by_intent(
    make_case: MakeCase, policy: str, end: str
) -> None:
    """One more column needs review; a comment that was never closed made it correct.

    A comment is left out before anything is searched.
    """
    barred = "random" in end
    case = make_case("1", "SELECT name FROM person WHERE age > 30")
    outcome = run(case, f"SELECT name, age FROM person WHERE age > 30{end}", policy=policy)
    (result,) = outcome.results()
    assert result.scores["ex"] == 0.0
    assert result.situation == ("unsearched_difference" if barred else "harmless_difference")
    assert result.verdict == ("correct" if policy == "strict" and not barred else "needs_review")
    # Who stands against the search gets nothing for it.
    assert result.scores["verdict"] == (0.0 if barred else 1.0 if policy == "strict" else None)


NUMBERS = ", ".join(map(str, range(20_000)))
EMPTY_GOLD = "SELECT name FROM person WHERE age > 30 AND name = 'nobody'"
EMPTY = "SELECT name FROM person WHERE age < 30 AND name = 'nobody at all'"


@pytest.mark.parametrize("policy", ["intent", "strict"])
@pytest.mark.parametrize(
    ("sql", "situation"),
    [
        (f"{EMPTY} AND random() IS NOT NULL", "barred_match"),
        (f"{EMPTY} AND datetime('now') IS NOT NULL", "barred_match"),
        (f"{EMPTY} AND id IN ({NUMBERS})", "barred_match"),
        (f"{EMPTY}{' AND 1' * 984}", "barred_match"),
        (f"{EMPTY} AND 1 IN ({NUMBERS})", "empty_match_witness"),
        (f"{EMPTY} -- {'x' * 200_000}", "empty_match_witness"),
        (f"{EMPTY} /* {'x' * 200_000}", "empty_match_witness"),
    ],
    ids=["chance", "clock", "list", "deep", "decided_list", "long_comment", "open_comment"],
)
def test_an_empty_match_is_not_paid_for_keeping_the_search_away(
    make_case: MakeCase, policy: str, sql: str, situation: str
) -> None:
    outcome = run(make_case("1", EMPTY_GOLD), sql, "ex,verdict,witness_accuracy", policy=policy)
    (result,) = outcome.results()
    assert result.scores["ex"] == 1.0
    assert result.situation == situation
    assert result.verdict == ("incorrect" if policy == "strict" else "needs_review")
    assert result.scores["verdict"] in (None, 0.0)
    assert result.scores["witness_accuracy"] == 0.0
