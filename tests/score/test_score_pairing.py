"""Two runs held against one another."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from error_parts import refuses_run
from sqlverdict.errors import UsageError
from sqlverdict.records import Result, Verdict
from sqlverdict.score.statistics.pairing import paired
from sqlverdict.score.statistics.significance import mcnemar


def run(scores: dict[str, float | None], metric: str = "ex") -> list[Result]:
    return [
        Result(i, case_id, "d", "", (), "", False, Verdict.CORRECT, scores={metric: value})
        for i, (case_id, value) in enumerate(scores.items())
    ]


def test_every_case_is_in_one_place() -> None:
    a = run({"1": 1.0, "2": 1.0, "3": 0.0, "4": 0.0, "5": None, "6": 1.0, "x": 1.0})
    b = run({"y": 1.0, "6": None, "5": 0.0, "4": 1.0, "3": 0.0, "2": 0.0, "1": 1.0})
    outcome = paired(a, b, "ex")
    assert outcome.common == 6
    assert outcome.only_in_a == ("x",)
    assert outcome.only_in_b == ("y",)
    assert (outcome.both_right, outcome.both_wrong) == (1, 1)
    assert outcome.gained == ("4",)
    assert outcome.lost == ("2",)
    assert outcome.unscored == ("6", "5")
    assert outcome.p_value == 1.0
    assert outcome.difference == 0.0
    assert outcome.test.test == "mcnemar"
    assert outcome.test.pairs == 4


SCORES = st.dictionaries(st.sampled_from("abcdefghij"), st.sampled_from([None, 0.0, 1.0]))


@given(SCORES, SCORES)
def test_counts_add_up_and_mirror(
    first: dict[str, float | None], second: dict[str, float | None]
) -> None:
    there, back = paired(run(first), run(second), "ex"), paired(run(second), run(first), "ex")
    assert there.common == len(first.keys() & second.keys())
    assert there.test.pairs == (
        there.both_right + there.both_wrong + len(there.gained) + len(there.lost)
    )
    assert there.common == there.test.pairs + len(there.unscored)
    assert set(there.gained) == set(back.lost)
    assert there.p_value == back.p_value
    if there.test.pairs:
        assert there.p_value == mcnemar(len(there.lost), len(there.gained))


def test_a_metric_that_is_not_binary_gets_the_bootstrap() -> None:
    a = run({str(i): 0.5 for i in range(50)}, "f1")
    b = run({str(i): 0.75 if i % 2 else 0.5 for i in range(50)}, "f1")
    outcome = paired(a, b, "f1")
    assert outcome.test.test == "paired bootstrap"
    assert outcome.difference == pytest.approx(0.125)
    assert outcome.p_value is not None
    assert outcome.p_value < 0.05
    assert (outcome.both_right, outcome.both_wrong, len(outcome.gained)) == (0, 25, 25)
    assert paired(a, b, "f1", seed=0) == outcome


def test_binary_can_be_said() -> None:
    a, b = run({"1": 1.0, "2": 0.0}, "ves"), run({"1": 1.0, "2": 1.0}, "ves")
    assert paired(a, b, "ves").test.test == "mcnemar"
    assert paired(a, b, "ves", binary=False).test.test == "paired bootstrap"


def test_runs_without_common_cases_have_no_p_value() -> None:
    outcome = paired(run({"1": 1.0}), run({"2": 1.0}), "ex")
    assert outcome.p_value is None
    assert outcome.difference is None
    assert paired([], [], "ex").p_value is None


def test_a_metric_the_run_does_not_have() -> None:
    with pytest.raises(UsageError, match=r"second run .* 'ex'.* em"):
        paired(run({"1": 1.0}), run({"1": 1.0}, "em"), "ex")


def test_a_case_twice() -> None:
    with refuses_run("damaged", "'1' twice"):
        paired(run({"1": 1.0}) * 2, run({"1": 1.0}), "ex")
