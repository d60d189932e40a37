"""A match that could not be searched is counted and shown, and is not silently correct."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from sqlverdict.pipeline import Options, evaluate
from sqlverdict.records import Case, Reason
from sqlverdict.refute.witness import NotRefuted
from sqlverdict.report.markdown import write_markdown
from sqlverdict.report.run import Run
from sqlverdict.run.refuter import Refuter

MakeCase = Callable[..., Case]

GOLD = "SELECT count(*) FROM person WHERE age > 30"
CLOCK = "SELECT count(*) FROM person WHERE age > 30 AND date('now') > '2000-01-01'"


def run(case: Case, sql: str, metrics: str = "ex,verdict", out: Path | None = None) -> Run:
    options = Options(metrics, workers=0, cache=None)
    return evaluate([case], {case.id: sql}, options=options, out=out)


def test_a_match_that_cannot_be_searched_needs_review(make_case: MakeCase) -> None:
    found = run(make_case("1", GOLD), CLOCK)
    (result,) = found.results()
    assert result.scores == {"ex": 1.0, "verdict": None}
    assert any(Reason.UNSUPPORTED_FEATURE in found.reasons for found in result.evidence)
    assert found.summary.cuts == {"unsearched": 1}
    assert "NOT SEARCHED: in 1 case" in write_markdown(found).read_text("utf-8")


def test_results_alone_leave_it_correct(make_case: MakeCase) -> None:
    found = run(make_case("1", GOLD), CLOCK, "ex")
    (result,) = found.results()
    assert result.verdict == "correct"
    assert found.summary.cuts == {}


def test_what_the_clock_cut_is_said_not_remembered_and_done_again(
    make_case: MakeCase, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    case = make_case("1", GOLD)
    sql = "SELECT count(*) FROM person WHERE age > 30 AND abs(age) + 1 > 9"
    search = Refuter.refute
    calls = []

    def cut(self: Refuter, case: Case, prediction: str) -> object:
        calls.append(case.id)
        found = search(self, case, prediction)
        assert isinstance(found, NotRefuted)
        return replace(found, cut_by_time=True) if len(calls) < 3 else found

    monkeypatch.setattr(Refuter, "refute", cut)
    again = replace(case, id="2")
    options = Options("ex,verdict", workers=0, cache=None)
    said = {"1": sql, "2": sql}
    first = evaluate([case, again], said, options=options, out=tmp_path / "run")
    assert first.summary.cuts == {"cut_by_time": 2}
    assert [result.final for result in first.results()] == [False, False]
    assert "CUT BY TIME: the clock cut 2 cases" in write_markdown(first).read_text("utf-8")
    second = evaluate([case, again], said, options=options, out=tmp_path / "run")
    assert [result.scores["verdict"] for result in second.results()] == [1.0, 1.0]
    assert second.summary.cuts == {}
    assert len(calls) == 4
