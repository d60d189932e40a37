"""What a limit cut, and what was not searched, is counted and said."""

from __future__ import annotations

from msgspec.structs import replace

from sqlverdict.evidence import Evidence, Failed, Judged
from sqlverdict.records import Reason, Result, Verdict
from sqlverdict.refute.explain.evidence import refutation_evidence
from sqlverdict.refute.witness import NotRefuted
from sqlverdict.report.one_run.sections import cut_sentences
from sqlverdict.score.summary import summarise, summary_from_json, summary_to_json

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


def failed(*, cut_by_time: bool = False) -> Failed:
    return Failed(
        "execute", (Reason.EXECUTION_TIMEOUT,), cut_by_time=cut_by_time, query="prediction"
    )


def test_a_server_that_does_not_answer_is_no_matter_of_time() -> None:
    lost = NotRefuted(0, 0, Reason.DATABASE_UNAVAILABLE, "no answer", cut_by_time=True)
    summary = summarise(
        [result(0, refutation_evidence(lost))], ["ex"], binary=["ex"], features=None
    )
    assert summary.cuts == {"unsearched": 1}


def test_cuts_are_counted_once_a_case_and_said() -> None:
    results = [
        result(0, refutation_evidence(NotRefuted(400))),
        result(1, refutation_evidence(NotRefuted(0, message="the two queries are the same text"))),
        result(2, refutation_evidence(LATE), failed(cut_by_time=True)),
        result(
            3, refutation_evidence(NotRefuted(9, 0, Reason.BUDGET_EXHAUSTED, "cut by its budget"))
        ),
        result(4, refutation_evidence(NotRefuted(0, reason=Reason.UNSUPPORTED_FEATURE))),
        result(5, refutation_evidence(NotRefuted(0, reason=Reason.PARSE_ERROR))),
        result(6, failed()),
    ]
    summary = summarise(results, ["ex"], binary=["ex"], features=None)
    assert summary.cuts == {"cut_by_time": 1, "cut_by_work": 1, "unsearched": 2}
    assert summary_from_json(summary_to_json(summary)) == summary
    sentences = cut_sentences(summary)
    assert [line.split(":")[0] for line in sentences] == [
        "NOT SEARCHED",
        "CUT BY TIME",
        "CUT BY WORK",
    ]
    assert "in 2 cases" in sentences[0]
    assert "a time limit cut 1 case short." in sentences[1]


def test_what_leaves_no_evidence_is_counted_where_the_result_is_not_final() -> None:
    late = replace(result(0), final=False)
    judged = Judged("flex", (Reason.JUDGE_UNAVAILABLE,))
    silent = replace(result(1, judged), final=False)
    summary = summarise([late, silent], ["ex"], binary=["ex"], features=None)
    assert summary.cuts == {"cut_by_time": 1}


def test_a_run_without_cuts_says_nothing_about_them() -> None:
    summary = summarise([result(0)], ["ex"], binary=["ex"], features=None)
    assert summary.cuts == {}
    assert cut_sentences(summary) == []


def test_evidence_names_the_clock() -> None:
    assert refutation_evidence(LATE).cut_by_time
    assert not refutation_evidence(NotRefuted(3)).cut_by_time
