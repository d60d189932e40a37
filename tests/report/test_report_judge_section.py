"""What a run says about its judge: numbers in words, and why no verdict came."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from sqlverdict.evidence import Judged
from sqlverdict.records import Reason, Result
from sqlverdict.report.one_run.judge_section import (
    categories_table,
    judge_sentences,
    no_verdict_sentences,
)
from sqlverdict.runlog.run import Run
from sqlverdict.score.summary import Summary

MakeRun = Callable[..., Run]
MakeResult = Callable[..., Result]


def silent(message: str, reason: Reason = Reason.JUDGE_UNAVAILABLE) -> Judged:
    return Judged("flex", (reason,), explanation=message)


def test_causes_are_counted_the_most_frequent_first(
    make_run: MakeRun, make_result: MakeResult
) -> None:
    messages = [
        "no reply after 1 attempt: refused",
        "no reply after 3 attempts: status 500 in 0.25 s",
        "no reply after 3 attempts: status 500 in 1.5 s",
        "the key is missing",
        "the key is missing",
        "the key is missing",
        "something else",
        "and again something",
    ]
    results = [make_result(n, evidence=(silent(text),)) for n, text in enumerate(messages)]
    opinion = Judged("flex", correct=True, calls=1)
    results.append(make_result(len(messages), evidence=(opinion,)))
    assert no_verdict_sentences(make_run("r", results)) == [
        "3 questions: the key is missing",
        "2 questions: no reply after 3 attempts: status 500 in 0.25 s",
        "1 question: no reply after 1 attempt: refused",
        "2 questions: other causes; report.md lists them",
    ]


def test_a_run_in_which_all_were_heard_has_no_causes(
    make_run: MakeRun, make_result: MakeResult
) -> None:
    opinion = Judged("flex", correct=False, calls=1)
    assert no_verdict_sentences(make_run("r", [make_result(0, evidence=(opinion,))])) == []


@pytest.mark.parametrize(
    ("totals", "sentence"),
    [
        ({"questions": 1, "calls": 1}, "judge: 1 question, 1 reply"),
        ({"questions": 2, "calls": 3}, "judge: 2 questions, 3 replies"),
        ({"unparseable": 1}, "judge: the reply to 1 question could not be read; unscored, not"),
        (
            {"unparseable": 2, "unavailable": 1},
            "judge: the reply to 2 questions could not be read and 1 question got no reply;",
        ),
        ({"questions": 2, "calls": 4, "cached": 4}, "4 replies, 4 of them from the cache"),
        ({"panels": 2, "unanimous": 2}, "judge: all votes agreed in 2 of 2 panels"),
        ({"repeated": 1, "flipped": 1}, "changed its verdict in 1 of 1 case (100.0%)"),
        ({"repeated": 3, "flipped": 1}, "changed its verdict in 1 of 3 cases (33.3%)"),
        ({"would_ask": 1}, "no LLM judge was used; it would be asked about 1 case"),
    ],
)
def test_numbers_agree_with_their_nouns(totals: dict[str, int], sentence: str) -> None:
    summary = Summary(0, 0, 0, (), judge=totals)
    assert any(sentence in line for line in judge_sentences(summary))


def test_kinds_of_error_are_counted(make_run: MakeRun, make_result: MakeResult) -> None:
    def opinion(correct: bool, *kinds: str) -> Judged:
        return Judged("flex", correct=correct, categories=kinds)

    run = make_run(
        "a",
        [
            make_result(0, evidence=(opinion(False, "filtering", "several_rows"),)),
            make_result(1, evidence=(opinion(False, "filtering"),)),
            make_result(2, evidence=(opinion(True, "wrong_gold"),)),
            make_result(3, evidence=(opinion(True),)),
        ],
    )
    assert [tuple(row) for row in categories_table(run).rows] == [
        ("wrong", "filtering", "2", "100.0%"),
        ("wrong", "several_rows", "1", "50.0%"),
        ("right", "wrong_gold", "1", "100.0%"),
    ]
