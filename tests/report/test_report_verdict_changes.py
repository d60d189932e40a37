"""What gates, comparisons and runs under other golds say of cases that the evidence decides."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from xml.etree import ElementTree

import pytest

from sqlverdict.evidence import Refuted, Tested
from sqlverdict.records import Reason, Result, Verdict
from sqlverdict.report.one_run.junit import write_junit
from sqlverdict.report.several_runs.comparison import compare_runs
from sqlverdict.report.several_runs.gate import check_run
from sqlverdict.report.several_runs.gate_rules import Allowance, Rules
from sqlverdict.report.several_runs.golds_board import GoldColumn, rank_golds
from sqlverdict.report.several_runs.golds_tables import golds_sentences, questions_table
from sqlverdict.report.several_runs.pull_request import pull_request_comment
from sqlverdict.runlog.run import Run

BY_VERDICT: dict[str, Any] = {"metrics": {"verdict": 1}, "binary": ("verdict",)}
LUCKY = "results match, but a witness separates the queries: they differ when a price is 2"
VALUES = {Verdict.CORRECT: 1.0, Verdict.INCORRECT: 0.0}

MakeRun = Callable[..., Run]


@pytest.fixture
def judged_run(make_run: MakeRun, make_result: Callable[..., Result]) -> MakeRun:
    def make(name: str, *verdicts: Verdict, **fields: Any) -> Run:
        results = [
            make_result(index, verdict=verdict, scores={"verdict": VALUES.get(verdict)}, **fields)
            for index, verdict in enumerate(verdicts)
        ]
        return make_run(name, results, **BY_VERDICT)

    return make


def lucky_fields(sentence: str = "they differ when a price is 2") -> dict[str, Any]:
    witness = Refuted("refute", (Reason.EMPTY_RESULT,), grade="ordinary", sentence=sentence)
    return {"evidence": (Tested("compare"), witness), "reasons": (Reason.EMPTY_RESULT,)}


def test_a_lucky_match_is_lost_by_its_witness_and_not_by_its_results(judged_run: MakeRun) -> None:
    """The reason of the witness stood there as that of the results: EMPTY_RESULT, of a match."""
    before = judged_run("before", Verdict.CORRECT)
    now = judged_run("now", Verdict.INCORRECT, **lucky_fields())
    report = check_run(now, Rules(max_regressions=Allowance(number=0)), [before])
    assert report.conditions[0].detail == (f"q0: {LUCKY}. Question 0?",)
    assert LUCKY in pull_request_comment(report, now, show=5)
    (change,) = compare_runs(before, now).lost
    assert (change.witness, change.worse.reasons) == (LUCKY, ("EMPTY_RESULT",))
    failure = ElementTree.parse(write_junit(now)).find(".//failure")
    assert failure is not None
    assert failure.get("message") == f"incorrect: {LUCKY}"


def test_a_case_that_needs_review_now_is_not_called_unscored(judged_run: MakeRun) -> None:
    before = judged_run("before", Verdict.CORRECT)
    now = judged_run("now", Verdict.NEEDS_REVIEW, **lucky_fields())
    report = check_run(now, Rules(max_regressions=Allowance(number=0)), [before])
    assert report.conditions[0].detail == (f"q0: needs review now, {LUCKY}. Question 0?",)


def test_a_case_that_needed_review_was_not_right_under_other_golds(judged_run: MakeRun) -> None:
    review, right, wrong = Verdict.NEEDS_REVIEW, Verdict.CORRECT, Verdict.INCORRECT
    old = judged_run("mine", review, right, wrong, review, right)
    new = judged_run("mine+fixed", right, review, right, wrong, right)
    board = rank_golds([GoldColumn("run", "", (old,)), GoldColumn("fixed", "f.jsonl", (new,))])
    (change,) = board.changes
    assert (change.gained, change.lost, change.scored_now, change.unscored_now) == (2, 1, 0, 0)
    assert [each.value for each in board.places] == [2 / 5, 3 / 5]
    assert (change.test.difference, change.test.pairs) == (pytest.approx(1 / 5), 5)
    moves = [move.verdicts for question in board.questions for move in question.moves]
    assert moves == [
        ("needs_review", "correct"),
        ("correct", "needs_review"),
        ("incorrect", "correct"),
    ]
    assert questions_table(board, 5).rows[1][-1] == "mine is not right now by verdict"
    assert "3 questions with another gold or value" in golds_sentences(board)[-1]
