"""Interaction match, by hand; and intervals of turns that go together."""

from __future__ import annotations

from collections.abc import Iterable
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sqlverdict.records import Result, Verdict
from sqlverdict.score.sessions import BY_SESSION, effective_cases, estimate_of
from sqlverdict.score.statistics.intervals import wilson
from sqlverdict.score.summary import (
    Summary,
    summarise,
    summary_from_json,
    summary_to_json,
)

RIGHT, WRONG = Verdict.CORRECT, Verdict.INCORRECT
LATE, OPEN, NONE = Verdict.ABSTAINED_WRONG, Verdict.NEEDS_REVIEW, Verdict.UNSCORED
_VALUES = {RIGHT: 1.0, WRONG: 0.0, LATE: 0.0, OPEN: None, NONE: None}


def turns(*sessions: Iterable[Verdict]) -> list[Result]:
    return [
        Result(
            index=10 * n + turn,
            id=f"{n}_{turn}",
            db_id="shop",
            question="?",
            gold=("SELECT 1",),
            prediction="SELECT 1",
            abstained=verdict is LATE,
            verdict=verdict,
            scores={"verdict": _VALUES[verdict]},
            session=str(n),
            turn=turn,
        )
        for n, session in enumerate(sessions)
        for turn, verdict in enumerate(session, 1)
    ]


def summary_of(results: Iterable[Result]) -> Summary:
    return summarise(results, ["verdict"], binary=["verdict"], features=None)


def test_a_conversation_counts_where_all_of_its_turns_are_right() -> None:
    summary = summary_of(
        turns(
            (RIGHT, RIGHT),
            (RIGHT, WRONG, RIGHT),
            (RIGHT, LATE),
            (RIGHT, OPEN),
            (LATE, WRONG),
            (RIGHT, NONE),
            (WRONG, NONE),
        )
    )
    (match,) = summary.interactions
    assert summary.sessions == 7
    # A conversation with an unscored turn leaves the denominator, right or wrong before it.
    assert (match.scored, match.unscored) == (5, 2)
    assert (match.right, match.wrong, match.abstained, match.review) == (1, 2, 1, 1)
    assert match.value == pytest.approx(1 / 5)
    assert (match.low, match.high) == wilson(1, 5)
    (questions,) = summary.estimates
    assert (questions.right, questions.scored, questions.unscored) == (7, 13, 2)


def test_the_order_of_turns_changes_nothing() -> None:
    results = turns((RIGHT, WRONG), (RIGHT, RIGHT, RIGHT), (WRONG,), (RIGHT, LATE))
    expected = summary_to_json(summary_of(results))
    for seed in range(5):
        Random(seed).shuffle(results)
        assert summary_to_json(summary_of(results)) == expected


def test_a_conversation_of_which_a_turn_is_missing_is_unscored() -> None:
    results = turns((RIGHT, RIGHT, RIGHT), (RIGHT,))
    (match,) = summary_of(results[:1] + results[2:]).interactions
    assert (match.scored, match.unscored) == (1, 1)


def test_turns_have_slices_and_late_ones_share_one() -> None:
    summary = summary_of(turns([RIGHT] * 6, [WRONG] * 2, [RIGHT]))
    parts = [part for part in summary.slices if part.by == "turn"]
    assert [(part.key, part.cases) for part in parts] == [
        ("1", 3),
        ("2", 2),
        ("3", 1),
        ("4", 1),
        ("> 4", 2),
    ]
    assert [part.estimates[0].right for part in parts] == [2, 1, 1, 1, 2]


def test_a_run_without_conversations_has_none() -> None:
    results = [Result(0, "1", "shop", "?", ("SELECT 1",), "SELECT 1", False, RIGHT)]
    summary = summary_of(results)
    assert (summary.sessions, summary.interactions) == (0, ())
    assert {part.by for part in summary.slices}.isdisjoint({"turn"})
    assert summary.estimates[0].interval == "wilson"


def test_a_summary_is_read_back() -> None:
    summary = summary_of(turns((RIGHT, WRONG), (RIGHT,)))
    assert summary_from_json(summary_to_json(summary)) == summary


def test_turns_that_go_together_are_worth_as_much_as_their_conversations() -> None:
    # Ten conversations of four turns, all right or all wrong: each is one case.
    results = turns(*([RIGHT] * 4 for _ in range(6)), *([WRONG] * 4 for _ in range(4)))
    (questions,) = summary_of(results).estimates
    assert questions.interval == BY_SESSION
    # The design effect: 6 * (4 * 0.4)^2 + 4 * (4 * 0.6)^2 over 40 * 0.6 * 0.4, which is 4.
    assert effective_cases(24, 40, [(4, 4)] * 6 + [(0, 4)] * 4) == pytest.approx(10)
    assert (questions.low, questions.high) == pytest.approx(wilson(6, 10))
    assert estimate_of(results, "verdict", binary=True) == questions


def test_where_every_turn_is_right_conversations_are_counted() -> None:
    (questions,) = summary_of(turns([RIGHT] * 4, [RIGHT] * 4)).estimates
    assert (questions.low, questions.high) == wilson(2, 2)


@given(
    st.lists(
        st.integers(1, 6).flatmap(lambda size: st.tuples(st.integers(0, size), st.just(size))),
        min_size=1,
        max_size=30,
    ),
    st.integers(0, 9),
    st.integers(0, 9),
)
def test_dependent_cases_are_worth_no_more_than_independent_ones(
    parts: list[tuple[int, int]], alone_right: int, alone_wrong: int
) -> None:
    right = sum(good for good, _ in parts) + alone_right
    scored = sum(size for _, size in parts) + alone_right + alone_wrong
    cases = effective_cases(right, scored, parts)
    assert 1 <= cases <= scored
    low, high = wilson(right / scored * cases, cases)
    assert 0 <= low <= right / scored <= high <= 1


def test_cases_of_one_turn_are_independent() -> None:
    assert effective_cases(5, 10, [(1, 1)] * 5 + [(0, 1)] * 5) == pytest.approx(10)
    assert effective_cases(5, 10, []) == pytest.approx(10)
