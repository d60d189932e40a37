"""What a limit cut, and what was not searched, is counted and said."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from sqlverdict.records import Evidence, Reason, Result, Rung, Verdict
from sqlverdict.refute.explain.sentence import evidence_of
from sqlverdict.refute.witness import NotRefuted
from sqlverdict.report.one_run.sections import cut_sentences
from sqlverdict.score.summary import from_json, summarise, to_json

LATE = NotRefuted(3, 0, Reason.BUDGET_EXHAUSTED, "cut by time", cut_by_time=True)


def result(number: int, *evidence: Evidence) -> Result:
    return Result(
        index=number,
        id=str(number),
        db_id="db",
        question="",
        gold=("SELECT 1",),
        prediction="SELECT 1",
        abstained=False,
        verdict=Verdict.CORRECT,
        fault=None,
        scores={"ex": 1.0},
        reasons=(),
        evidence=evidence,
    )


def executed(**detail: Any) -> Evidence:
    return Evidence(Rung.RELATED, "execute", False, (Reason.EXECUTION_TIMEOUT,), detail=detail)


def test_cuts_are_counted_once_a_case_and_said() -> None:
    results = [
        result(0, evidence_of(NotRefuted(400))),
        result(1, evidence_of(NotRefuted(0, message="the two queries are the same text"))),
        result(2, evidence_of(LATE), executed(failed="prediction", cut_by_time=True)),
        result(3, evidence_of(NotRefuted(9, 0, Reason.BUDGET_EXHAUSTED, "cut by its budget"))),
        result(4, evidence_of(NotRefuted(0, reason=Reason.UNSUPPORTED_FEATURE))),
        result(5, evidence_of(NotRefuted(0, reason=Reason.PARSE_ERROR))),
        result(6, executed(failed="prediction")),
    ]
    summary = summarise(results, ["ex"], binary=["ex"], features=None)
    assert summary.cuts == {"cut_by_time": 1, "cut_by_work": 1, "unsearched": 2}
    assert from_json(to_json(summary)) == summary
    said = cut_sentences(summary)
    assert [line.split(":")[0] for line in said] == ["NOT SEARCHED", "CUT BY TIME", "CUT BY WORK"]
    assert "in 2 cases" in said[0]
    assert "the clock cut 1 case." in said[1]


def test_what_leaves_no_evidence_is_counted_where_the_result_is_not_final() -> None:
    late = replace(result(0), final=False)
    judged = Evidence(Rung.JUDGED, "flex", None, (Reason.JUDGE_UNAVAILABLE,))
    silent = replace(result(1, judged), final=False)
    summary = summarise([late, silent], ["ex"], binary=["ex"], features=None)
    assert summary.cuts == {"cut_by_time": 1}


def test_a_run_without_cuts_says_nothing_about_them() -> None:
    summary = summarise([result(0)], ["ex"], binary=["ex"], features=None)
    assert summary.cuts == {}
    assert cut_sentences(summary) == []


def test_evidence_names_the_clock() -> None:
    assert evidence_of(LATE).detail["cut_by_time"] is True
    assert "cut_by_time" not in evidence_of(NotRefuted(3)).detail
