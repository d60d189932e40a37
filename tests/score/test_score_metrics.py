"""The metrics one by one: hand calculations, whose fault, names and parameters."""

from __future__ import annotations

import doctest
import importlib
from dataclasses import replace
from math import sqrt

import pytest

from sqlverdict.errors import UnknownMember, UsageError
from sqlverdict.records import Comparison, Failure, Prediction, Reason, Row, Score
from sqlverdict.score.metric import (
    METRICS,
    OPINIONS,
    SECTIONS,
    Item,
    metric_document,
    parse_metric,
    parse_metrics,
    score_case,
    uses_opinions,
)
from sqlverdict.score.metric_kinds import ROUNDS
from sqlverdict.score.metrics.r_ves import reward
from sqlverdict.testing.fakes import GOLD_SQL, FakeItem

ROWS: list[Row] = [(1, "a"), (2, "b")]
FAILED = Failure(Reason.EXECUTION_ERROR, "no such column")
BUILT_IN = ["text_match", "ex", "r_ves", "soft_f1", "soft_f1_bird", "ts", "ves"]


class OpenItem(FakeItem):
    """An item whose gold leaves the answer open."""

    def compare(self, preset: str, database: str | None = None) -> Comparison:
        return Comparison(None, (Reason.TIE_UNDETERMINED,))


def value(name: str, item: Item) -> float | None:
    spec = parse_metric(name)
    return spec.metric.score(item, spec.parameter).value


def test_the_built_in_metrics() -> None:
    assert set(BUILT_IN) <= set(METRICS.names())


@pytest.mark.parametrize("name", BUILT_IN)
def test_every_metric_documents_a_hand_calculation(name: str) -> None:
    assert list(metric_document(METRICS.get(name))) == ["", *SECTIONS]
    assert "Hand calculation" in metric_document(METRICS.get(name))["Definition"]


@pytest.mark.parametrize("name", ["r_ves", "soft_f1", "soft_f1_bird", "ves"])
def test_hand_calculations_in_the_docstrings_hold(name: str) -> None:
    module = importlib.import_module(f"sqlverdict.score.metrics.{name}")
    outcome = doctest.testmod(module)
    assert outcome.attempted > 0
    assert outcome.failed == 0


def test_metrics_declare_the_judge_they_listen_to() -> None:
    needs = {name: metric.needs & OPINIONS for name, metric in METRICS.items()}
    assert {name for name, need in needs.items() if need} >= {"flex", "verdict"}
    assert needs["flex"] == {"opinion_on_all"}
    assert needs["verdict"] == {"opinion"}
    assert uses_opinions(METRICS.get("flex"))
    assert not uses_opinions(METRICS.get("ex"))


def test_ex_is_one_zero_or_unscored() -> None:
    assert value("ex", FakeItem.of([ROWS], ROWS)) == 1.0
    assert value("ex", FakeItem.of([[(9,)], ROWS], ROWS)) == 1.0
    wrong = METRICS.get("ex").score(FakeItem.of([ROWS], [(1, "a")]), "strict")
    assert wrong == Score(0.0, (Reason.VALUE_MISMATCH,))
    failed = METRICS.get("ex").score(FakeItem.of([ROWS], FAILED), "strict")
    assert failed == Score(0.0, (Reason.EXECUTION_ERROR,))
    no_gold = METRICS.get("ex").score(FakeItem.of([FAILED], ROWS), "strict")
    assert no_gold == Score(None, (Reason.GOLD_EXECUTION_ERROR,))


@pytest.mark.parametrize("name", ["ex", "ves", "r_ves"])
def test_an_open_gold_is_unscored(name: str) -> None:
    closed = FakeItem.of([ROWS], ROWS)
    item = OpenItem(closed.case, closed.prediction, closed.gold_outcomes, closed.outcome)
    spec = parse_metric(name)
    assert spec.metric.score(item, spec.parameter) == Score(None, (Reason.TIE_UNDETERMINED,))


@pytest.mark.parametrize(
    ("name", "default"), [("ex", "strict"), ("ves", "bird"), ("r_ves", "bird"), ("ts", "spider")]
)
def test_the_default_preset_comes_first_and_none_twice(name: str, default: str) -> None:
    parameters = METRICS.get(name).parameters
    assert parameters[0] == default
    assert len(set(parameters)) == len(parameters)
    assert parse_metric(name).parameter == default
    assert parse_metric(f"{name}[{default}]").parameter == default


def test_em_reads_tokens_not_spaces() -> None:
    pytest.importorskip("sqlverdict.parse.tokens")
    item = FakeItem.of([ROWS], FAILED, sql=GOLD_SQL.lower().replace(" ", "\n ") + " ;")
    assert value("text_match", item) == 1.0
    assert value("text_match", FakeItem.of([ROWS], ROWS)) == 0.0
    two = replace(item, case=replace(item.case, golds=("SELECT 1", GOLD_SQL)))
    assert value("text_match", two) == 1.0
    none = replace(item, case=replace(item.case, golds=("  ",)))
    assert METRICS.get("text_match").score(none, "") == Score(None, (Reason.GOLD_SUSPECT,))


def test_em_keeps_literals_apart() -> None:
    pytest.importorskip("sqlverdict.parse.tokens")
    item = FakeItem.of([ROWS], ROWS, sql="SELECT name FROM t WHERE a = 'X'")
    apart = replace(item, case=replace(item.case, golds=("SELECT name FROM t WHERE a = 'x'",)))
    assert value("text_match", apart) == 0.0


@pytest.mark.parametrize(
    ("seconds", "expected"), [((0.008, 0.002), 2.0), ((0.001, 0.001), 1.0), ((0.001, 0.004), 0.5)]
)
def test_ves_hand_calculations(seconds: tuple[float, float], expected: float) -> None:
    assert value("ves", FakeItem.of([ROWS], ROWS, seconds=seconds)) == pytest.approx(expected)
    assert value("ves", FakeItem.of([ROWS], [(3,)], seconds=seconds)) == 0.0


def test_ves_takes_medians_of_nine_rounds() -> None:
    calls: list[int] = []

    class Noisy(FakeItem):
        def clock(self, rounds: int) -> tuple[list[float], list[float]]:
            calls.append(rounds)
            return [0.004] * (rounds - 1) + [5.0], [0.001] * (rounds - 2) + [7.0, 9.0]

    calm = FakeItem.of([ROWS], ROWS)
    item = Noisy(calm.case, calm.prediction, calm.gold_outcomes, calm.outcome)
    assert value("ves", item) == pytest.approx(2.0)
    assert calls == [ROUNDS] == [9]


@pytest.mark.parametrize("name", ["ves", "r_ves"])
def test_a_clock_without_runs_is_unscored(name: str) -> None:
    class Stopped(FakeItem):
        def clock(self, rounds: int) -> tuple[list[float], list[float]]:
            return [], []

    calm = FakeItem.of([ROWS], ROWS)
    item = Stopped(calm.case, calm.prediction, calm.gold_outcomes, calm.outcome)
    assert METRICS.get(name).score(item, "bird") == Score(None, (Reason.BUDGET_EXHAUSTED,))


@pytest.mark.parametrize(
    ("ratio", "worth"),
    [
        (100.0, 1.25),
        (2.0, 1.25),
        (1.999, 1.0),
        (1.0, 1.0),
        (0.999, 0.75),
        (0.5, 0.75),
        (0.499, 0.5),
        (0.25, 0.5),
        (0.249, 0.25),
        (0.0001, 0.25),
    ],
)
def test_r_ves_steps(ratio: float, worth: float) -> None:
    assert reward(ratio) == worth
    item = FakeItem.of([ROWS], ROWS, seconds=(ratio, 1.0))
    assert value("r_ves", item) == pytest.approx(sqrt(worth))
    assert value("r_ves", FakeItem.of([ROWS], [(3,)], seconds=(ratio, 1.0))) == 0.0


def test_ts_needs_every_database() -> None:
    same: tuple[list[Row], list[Row]] = ([(1,)], [(1,)])
    other: tuple[list[Row], list[Row]] = ([(1,)], [(2,)])
    assert value("ts", FakeItem.of([ROWS], ROWS, suite={"b": same, "c": same})) == 1.0
    assert value("ts", FakeItem.of([ROWS], ROWS, suite={"b": same, "c": other})) == 0.0
    assert value("ts", FakeItem.of([ROWS], [(3,)], suite={"b": same})) == 0.0


def test_ts_of_one_database_is_unscored() -> None:
    right, wrong = FakeItem.of([ROWS], ROWS), FakeItem.of([ROWS], [(3,)])
    for item in (right, wrong):
        assert METRICS.get("ts").score(item, "spider") == Score(None, (Reason.NO_TEST_SUITE,))


@pytest.mark.parametrize("prediction", [Prediction("1"), Prediction("1", abstained=True)])
def test_ts_of_one_database_is_unscored_for_a_reply_without_sql_too(prediction: Prediction) -> None:
    alone = replace(FakeItem.of([ROWS], ROWS), prediction=prediction)
    assert score_case(parse_metric("ts"), alone) == Score(None, (Reason.NO_TEST_SUITE,))
    same: tuple[list[Row], list[Row]] = ([(1,)], [(1,)])
    suite = replace(FakeItem.of([ROWS], ROWS, suite={"b": same}), prediction=prediction)
    assert score_case(parse_metric("ts"), suite) == Score(0.0, (Reason.NO_SQL_PRODUCED,))


def test_ts_one_difference_settles_what_failing_golds_leave_open() -> None:
    calm = FakeItem.of([ROWS], ROWS)
    answers = (calm.gold_outcomes[0], calm.outcome)
    wrong = (calm.gold_outcomes[0], FakeItem.of([ROWS], []).outcome)
    gold_fails = (FAILED, calm.outcome)
    undecided = replace(calm, suite={"b": gold_fails, "c": answers})
    spec = parse_metric("ts")
    assert spec.metric.score(undecided, "spider") == Score(None, (Reason.GOLD_EXECUTION_ERROR,))
    decided_item = replace(calm, suite={"b": gold_fails, "c": wrong})
    assert spec.metric.score(decided_item, "spider").value == 0.0


def test_ts_without_databases_is_unscored() -> None:
    class Nowhere(FakeItem):
        def databases(self) -> tuple[str, ...]:
            return ()

    calm = FakeItem.of([ROWS], ROWS)
    item = Nowhere(calm.case, calm.prediction, calm.gold_outcomes, calm.outcome)
    score = METRICS.get("ts").score(item, "spider")
    assert score == Score(None, (Reason.DATABASE_UNAVAILABLE,))


@pytest.mark.parametrize("name", BUILT_IN)
def test_abstentions_and_unanswerable_cases_are_decided_outside(name: str) -> None:
    spec = parse_metric(name)
    item = FakeItem.of([ROWS], ROWS, sql=GOLD_SQL, suite={"b": (ROWS, ROWS)})
    silent = Score(0.0, (Reason.NO_SQL_PRODUCED,))
    assert score_case(spec, replace(item, prediction=Prediction("1", abstained=True))) == silent
    assert score_case(spec, replace(item, prediction=Prediction("1"))) == silent
    assert score_case(spec, replace(item, prediction=Prediction("1", " \n"))) == silent
    unanswerable = replace(item, case=replace(item.case, answerable=False, golds=()))
    assert score_case(spec, unanswerable) == Score(None)
    abstained = replace(unanswerable, prediction=Prediction("1", abstained=True))
    assert score_case(spec, abstained) == Score(None)


def test_an_answered_case_goes_to_the_metric() -> None:
    assert score_case(parse_metric("ex"), FakeItem.of([ROWS], ROWS)) == Score(1.0)


def test_only_em_runs_without_databases() -> None:
    free = [name for name in BUILT_IN if not METRICS.get(name).needs]
    assert free == ["text_match"]
    timed = [name for name in BUILT_IN if "timing" in METRICS.get(name).needs]
    assert timed == ["r_ves", "ves"]


def test_metric_names_as_users_write_them() -> None:
    specs = parse_metrics(" ex , text_match,ex[strict]")
    assert [spec.label for spec in specs] == ["ex", "text_match", "ex[strict]"]
    assert [spec.parameter for spec in specs] == ["strict", "", "strict"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "no metric"),
        ("ex,ex", "twice"),
        ("ex[", "write it like"),
        ("text_match[bird]", "takes no parameter"),
        ("ex[nope]", "takes no parameter"),
    ],
)
def test_metric_names_that_are_wrong(text: str, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        parse_metrics(text)


@pytest.mark.parametrize("name", ["summary", "intervals", "exx"])
def test_helpers_are_no_metrics(name: str) -> None:
    with pytest.raises(UnknownMember) as unknown:
        parse_metrics(name)
    assert (unknown.value.kind, unknown.value.name) == ("metric", name)
    assert unknown.value.known == tuple(METRICS.names())
