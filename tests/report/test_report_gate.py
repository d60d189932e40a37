"""The gate: what it reads, what it finds, and that it fails closed."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from error_parts import asks_for
from sqlverdict.errors import UsageError
from sqlverdict.report.several_runs.gate import check_run
from sqlverdict.report.several_runs.gate_rules import (
    Allowance,
    Rules,
    parse_allowance,
    parse_drop,
    parse_minimum,
)
from sqlverdict.runlog.run import Run

Scored = Callable[..., Run]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("ex[bird]=0.60", ("ex[bird]", 0.6)),
        (" ex = 60% ", ("ex", 0.6)),
        ("ves=1.2", ("ves", 1.2)),
    ],
)
def test_minimums_are_read(text: str, expected: tuple[str, float]) -> None:
    assert parse_minimum(text) == expected


@pytest.mark.parametrize("text", ["ex", "ex=", "=0.6", "ex=high", "ex=nan", ""])
def test_what_is_no_minimum_is_refused(text: str) -> None:
    with asks_for("min") as refusal:
        parse_minimum(text)
    assert "METRIC=VALUE" in str(refusal.value)


def test_allowances_are_numbers_or_shares() -> None:
    assert parse_allowance("5") == Allowance(number=5)
    assert parse_allowance("2%").most(150) == 3
    assert parse_allowance("0").most(9) == 0
    for wrong in ("0.5", "-1", "x%", "200%", ""):
        with asks_for("max_unscored"):
            parse_allowance(wrong)
    assert parse_drop("1%") == parse_drop("0.01") == 0.01
    with asks_for("max_drop"):
        parse_drop("5")


@pytest.mark.parametrize(("least", "passes"), [(0.75, True), (0.7501, False)])
def test_a_minimum_may_be_met_exactly(scored_run: Scored, least: float, passes: bool) -> None:
    run = scored_run("r", [1.0, 1.0, 1.0, 0.0])
    result = check_run(run, Rules(minimums={"ex": least}))
    assert (result.passed, result.exit_code) == (passes, 0 if passes else 1)
    assert result.conditions[0].actual == "75.00%"


def test_a_metric_that_scored_nothing_meets_no_minimum(scored_run: Scored) -> None:
    result = check_run(scored_run("r", [None, None]), Rules(minimums={"ex": 0.0}))
    assert not result.passed
    assert result.conditions[0].actual == "no case scored"


def test_a_metric_that_the_run_lacks_is_a_usage_error(scored_run: Scored) -> None:
    run = scored_run("r", [1.0])
    with pytest.raises(UsageError, match=r"'ex\[bird\]'"):
        check_run(run, Rules(minimums={"ex[bird]": 0.5}))
    with pytest.raises(UsageError, match="'em'"):
        check_run(run, Rules(max_regressions=Allowance(number=0), metrics=("em",)), [run])


@pytest.mark.parametrize(
    ("now", "lost"),
    [
        ([1.0, 1.0, 0.0, None], ()),
        ([1.0, 1.0, 1.0, 1.0], ()),
        ([1.0, 0.0, 1.0, None], ("q1: wrong now",)),
        ([1.0, None, 1.0, None], ("q1: unscored now",)),
        ([1.0], ("q1: not in this run",)),
    ],
)
def test_a_regression_is_a_right_case_that_is_not_right_now(
    scored_run: Scored, now: list[float | None], lost: tuple[str, ...]
) -> None:
    baseline = scored_run("before", [1.0, 1.0, 0.0, None])
    result = check_run(
        scored_run("after", now), Rules(max_regressions=Allowance(number=0)), [baseline]
    )
    assert result.passed is not bool(lost)
    detail = result.conditions[0].detail
    assert len(detail) == len(lost)
    assert all(line.startswith(start) for line, start in zip(detail, lost, strict=True))


def test_a_gain_does_not_make_up_for_a_loss(scored_run: Scored) -> None:
    baseline = scored_run("before", [1.0, 0.0, 0.0])
    after = scored_run("after", [0.0, 1.0, 1.0])
    rules = Rules(max_regressions=Allowance(number=0), max_drop=0.0)
    regressions, drop = check_run(after, rules, [baseline]).conditions
    assert not regressions.passed
    assert drop.passed
    assert drop.actual == "+33.3 points"


def test_long_lists_of_losses_are_cut(scored_run: Scored) -> None:
    baseline, after = scored_run("before", [1.0] * 25), scored_run("after", [0.0] * 25)
    (condition,) = check_run(
        after, Rules(max_regressions=Allowance(number=0)), [baseline]
    ).conditions
    assert condition.actual == "25 cases lost"
    assert len(condition.detail) == 11
    assert condition.detail[-1] == "and 15 more"


@pytest.mark.parametrize(
    ("allowed", "passes"), [("1", True), ("0", False), ("25%", True), ("24%", False)]
)
def test_unscored_cases_are_counted(scored_run: Scored, allowed: str, passes: bool) -> None:
    run = scored_run("r", [1.0, 1.0, 0.0, None])
    assert check_run(run, Rules(max_unscored=parse_allowance(allowed))).passed is passes


def test_a_gate_without_conditions_is_a_mistake(scored_run: Scored) -> None:
    run = scored_run("r", [1.0])
    with asks_for("min", "max", "max_unscored", "baseline", "no_regressions", "max_drop"):
        check_run(run, Rules())
    with asks_for("no_regressions", "max_regressions", "max_drop", "baseline"):
        check_run(run, Rules(max_regressions=Allowance(number=0)))
    with asks_for("baseline", "no_regressions", "max_drop"):
        check_run(run, Rules(minimums={"ex": 0.5}), [run])


def test_what_is_not_met_names_the_command_that_shows_the_cases(scored_run: Scored) -> None:
    baseline, after = scored_run("before", [1.0] * 3), scored_run("after", [0.0] * 2)
    rules = Rules(
        minimums={"ex": 0.5},
        maximums={"VALUE_MISMATCH": Allowance(number=0), "incorrect": Allowance(number=0)},
        max_regressions=Allowance(number=0),
    )
    steps = [condition.next_step for condition in check_run(after, rules, [baseline]).conditions]
    words = ["--verdict incorrect", "--reason VALUE_MISMATCH", "--verdict incorrect", "q0 q1"]
    assert steps == [f"sqlverdict show {after.folder} {word}" for word in words]
