"""Summaries: streaming equals naive, unscored is not zero, order, memory, JSON."""

from __future__ import annotations

import json
import weakref
from collections.abc import Iterator
from math import fsum

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from error_parts import refuses_run
from sqlverdict.records import Fault, Reason, Result, Verdict
from sqlverdict.score.estimates import Estimate, MetricValues, Slice
from sqlverdict.score.statistics.intervals import wilson
from sqlverdict.score.summary import Summary, summarise, summary_from_json, summary_to_json


def words(sql: str) -> list[str]:
    """Features for tests: the query's words."""
    return sql.split()


def result(
    index: int,
    scores: dict[str, float | None] | None = None,
    *,
    db_id: str = "d",
    gold: tuple[str, ...] = ("join",),
    difficulty: str | None = None,
    answerable: bool = True,
    abstained: bool = False,
    prediction: str | None = "SELECT 1",
    verdict: Verdict = Verdict.CORRECT,
    fault: Fault | None = None,
    reasons: tuple[str, ...] = (),
) -> Result:
    return Result(
        index=index,
        id=str(index),
        db_id=db_id,
        question="?",
        gold=gold,
        prediction=None if abstained else prediction,
        abstained=abstained,
        verdict=verdict,
        fault=fault,
        scores=scores or {},
        reasons=reasons,
        answerable=answerable,
        difficulty=difficulty,
    )


RESULTS = st.lists(
    st.builds(
        result,
        st.integers(0, 10**6),
        st.fixed_dictionaries(
            {},
            optional={
                "ex": st.sampled_from([None, 0.0, 1.0]),
                "f1": st.one_of(st.none(), st.floats(0, 1, width=32)),
            },
        ),
        db_id=st.sampled_from(["a", "b", "c"]),
        gold=st.sampled_from([(), ("join",), ("join group",), ("limit", "join")]),
        difficulty=st.sampled_from([None, "hard", "easy", "odd"]),
        answerable=st.booleans(),
        abstained=st.booleans(),
        prediction=st.sampled_from(["SELECT 1", None, " "]),
        verdict=st.sampled_from(list(Verdict)),
        fault=st.sampled_from([None, *Fault]),
        reasons=st.lists(st.sampled_from(["A", "B", "C"]), max_size=3).map(tuple),
    ),
    max_size=25,
)


WORTH = {Verdict.CORRECT: 1.0, Verdict.ABSTAINED_RIGHT: 1.0, Verdict.UNSCORED: None}


def value_of(r: Result, metric: str) -> float | None:
    """By the table of docs/metrics.md, in other words than the code's."""
    if metric != "ex":
        return r.scores.get(metric)
    if r.verdict is Verdict.UNSCORED and r.fault is Fault.TOOLKIT:
        return None
    if not r.answerable:
        return None if r.verdict is Verdict.NEEDS_REVIEW else WORTH.get(r.verdict, 0.0)
    if r.abstained and "ex" not in r.scores:
        return None if r.verdict is Verdict.NEEDS_REVIEW else WORTH.get(r.verdict, 0.0)
    value = r.scores.get("ex")
    return 0.0 if r.abstained and value is not None else value


def naive(results: list[Result], metric: str) -> tuple[float | None, int, int, float]:
    values = [value_of(r, metric) for r in results]
    scored = [value for value in values if value is not None]
    mean = fsum(scored) / len(scored) if scored else None
    return mean, len(scored), len(values) - len(scored), fsum(scored)


def check(estimates: tuple[Estimate, ...], results: list[Result]) -> None:
    for estimate, metric in zip(estimates, ("ex", "f1"), strict=True):
        mean, scored, unscored, total = naive(results, metric)
        assert estimate.metric == metric
        assert (estimate.scored, estimate.unscored) == (scored, unscored)
        assert estimate.total == pytest.approx(total)
        if mean is None:
            assert estimate == Estimate(metric, None, 0, unscored)
            continue
        assert estimate.value == pytest.approx(mean)
        assert estimate.low is not None
        assert estimate.high is not None
        assert estimate.interval == ("wilson" if metric == "ex" else "bootstrap")
        if metric == "ex":
            assert (estimate.low, estimate.high) == wilson(round(total), scored)
        assert estimate.low <= estimate.high


@given(RESULTS)
@settings(max_examples=50, deadline=None)
def test_streaming_equals_naive(results: list[Result]) -> None:
    summary = summarise(iter(results), ["ex", "f1"], binary={"ex"}, features=words)
    assert summary.cases == len(results)
    assert summary.abstained == sum(r.abstained for r in results)
    assert summary.answered == sum(bool(r.prediction and r.prediction.strip()) for r in results)
    assert sum(summary.verdicts.values()) == len(results)
    assert summary.faults == {str(f): n for f in Fault if (n := sum(r.fault is f for r in results))}
    blamed = [r for r in results if not overruled(r)]
    assert summary.reasons == {
        reason: n for reason in "ABC" if (n := sum(reason in r.reasons for r in blamed))
    }
    check(summary.estimates, results)
    for part in summary.slices:
        inside = [r for r in results if belongs(r, part)]
        assert part.cases == len(inside) > 0
        check(part.estimates, inside)
    by_database = [part for part in summary.slices if part.by == "db_id"]
    assert sum(part.cases for part in by_database) == len(results)
    assert summary_from_json(json.loads(json.dumps(summary_to_json(summary)))) == summary


def overruled(r: Result) -> bool:
    """Whether the first binary metric decides what evidence calls wrong or says nothing about."""
    ours = r.verdict is Verdict.UNSCORED and r.fault is Fault.TOOLKIT
    value = r.scores.get("ex")
    if not r.answerable or ours or value is None:
        return False
    if r.verdict is Verdict.UNSCORED:
        return True
    return value == 1 and not r.abstained and r.verdict is not Verdict.CORRECT


def belongs(r: Result, part: Slice) -> bool:
    if part.by == "feature":
        return bool(r.gold) and part.key in r.gold[0].split()
    if part.by == "answerable":
        return r.answerable == (part.key == "answerable")
    if part.by == "difficulty":
        return (r.difficulty or "unlabelled") == part.key
    return r.db_id == part.key


def test_unscored_is_not_zero() -> None:
    results = [
        result(0, {"ex": 1.0}),
        result(1, {"ex": 0.0}),
        result(2, {"ex": 0.0}),
        result(3, {"ex": None}, verdict=Verdict.UNSCORED, fault=Fault.GOLD),
    ]
    (estimate,) = summarise(results, ["ex"], binary={"ex"}, features=None).estimates
    assert estimate.value == pytest.approx(1 / 3)
    assert (estimate.scored, estimate.unscored, estimate.total) == (3, 1, 1.0)


def test_no_results_have_no_value() -> None:
    summary = summarise([], ["ex", "f1"], binary={"ex"})
    assert [e.value for e in summary.estimates] == [None, None]
    assert [e.interval for e in summary.estimates] == ["none", "none"]
    assert summary.slices == ()


def test_slices_stand_in_their_natural_order() -> None:
    levels = ["extra", "hard", "unheard", "easy", None, "medium"]
    results = [result(i, {"ex": 1.0}, difficulty=level) for i, level in enumerate(levels)]
    results += [
        result(9, {"ex": 1.0}, db_id="a", gold=("b a",)),
        result(10, {"ex": None}, answerable=False, gold=()),
    ]
    summary = summarise(results, ["ex"], binary={"ex"}, features=words)
    keys: dict[str, list[str]] = {}
    for part in summary.slices:
        keys.setdefault(part.by, []).append(part.key)
    assert list(keys) == ["db_id", "difficulty", "feature", "answerable"]
    assert keys["db_id"] == ["a", "d"]
    assert keys["difficulty"] == ["easy", "medium", "hard", "extra", "unheard", "unlabelled"]
    assert keys["feature"] == ["a", "b", "join"]
    assert keys["answerable"] == ["answerable", "unanswerable"]


def test_bird_levels_in_their_order() -> None:
    results = [
        result(i, {"ex": 1.0}, difficulty=level)
        for i, level in enumerate(["challenging", "simple", "moderate"])
    ]
    parts = summarise(results, ["ex"], binary={"ex"}, features=None).slices
    levels = [part.key for part in parts if part.by == "difficulty"]
    assert levels == ["simple", "moderate", "challenging"]


def test_without_difficulties_there_is_no_such_slice() -> None:
    parts = summarise([result(0)], ["ex"], binary={"ex"}, features=None).slices
    assert {part.by for part in parts} == {"db_id", "answerable"}


def test_unanswerable_cases_are_unscored_not_wrong() -> None:
    results = [
        result(0, {"ex": 1.0}),
        result(1, {"ex": None}, answerable=False, verdict=Verdict.ABSTAINED_RIGHT, abstained=True),
    ]
    summary = summarise(results, ["ex"], binary={"ex"}, features=None)
    assert summary.estimates[0].value == 1.0
    assert (summary.answered, summary.abstained) == (1, 1)
    assert summary.verdicts == {"correct": 1, "abstained_right": 1}


def test_reasons_are_counted_once_a_case_and_ranked() -> None:
    results = [
        result(0, reasons=(Reason.VALUE_MISMATCH, Reason.VALUE_MISMATCH)),
        result(1, reasons=(Reason.ORDER_MISMATCH,)),
        result(2, reasons=(Reason.VALUE_MISMATCH, Reason.EMPTY_RESULT)),
    ]
    reasons = summarise(results, [], binary=(), features=None).reasons
    assert list(reasons.items()) == [
        ("VALUE_MISMATCH", 2),
        ("EMPTY_RESULT", 1),
        ("ORDER_MISMATCH", 1),
    ]


def test_the_interval_of_equal_values_is_the_value() -> None:
    results = [result(i, {"f1": 1 / 3}) for i in range(5)]
    (estimate,) = summarise(results, ["f1"], binary=(), features=None).estimates
    assert (estimate.low, estimate.high) == pytest.approx((1 / 3, 1 / 3), abs=1e-12)


def test_the_same_seed_gives_the_same_summary() -> None:
    results = [result(i, {"f1": (i * 7 % 11) / 11}) for i in range(40)]
    first = summarise(results, ["f1"], binary=(), seed=1, features=None)
    assert summarise(iter(results), ["f1"], binary=(), seed=1, features=None) == first
    assert summarise(results, ["f1"], binary=(), seed=2, features=None) != first


def test_features_are_asked_once_a_query() -> None:
    texts: list[str] = []

    def count_features(sql: str) -> list[str]:
        texts.append(sql)
        return ["x"]

    results = [result(i, gold=(f"q{i % 3}", "other gold")) for i in range(60)]
    summarise(results, [], binary=(), features=count_features)
    assert sorted(texts) == ["q0", "q1", "q2"]


@pytest.mark.slow
def test_no_result_is_kept() -> None:
    alive = most = 0
    references = []

    def fail(_: object) -> None:
        nonlocal alive
        alive -= 1

    def stream() -> Iterator[Result]:
        nonlocal alive, most
        for i in range(3000):
            each = result(i, {"ex": float(i % 2), "ves": i / 7}, gold=(f"q{i}",))
            references.append(weakref.ref(each, fail))
            alive += 1
            most = max(most, alive)
            yield each

    summarise(stream(), ["ex", "ves"], binary={"ex"}, features=words)
    assert 1 <= most <= 2


def test_a_million_different_values_take_a_small_histogram() -> None:
    values = MetricValues("ves", binary=False)
    for i in range(100_000):
        values.add(i / 10_000 + 1e-7)
    assert len(values.histogram) < 3000
    assert values.estimate(seed=0, limit=2000).interval == "normal"


@pytest.mark.parametrize("spoil", ["missing", "unknown", "shape"])
def test_a_spoilt_summary_is_refused(spoil: str) -> None:
    plain = summary_to_json(
        summarise([result(0, {"ex": 1.0})], ["ex"], binary={"ex"}, features=None)
    )
    if spoil == "missing":
        del plain["cases"]
    elif spoil == "unknown":
        plain["surprise"] = 1
    else:
        plain["estimates"] = 3
    with refuses_run("another_version"):
        summary_from_json(plain)


def test_default_features_come_from_the_parser() -> None:
    pytest.importorskip("sqlverdict.parse.features")
    summary = summarise(
        [result(0, {"ex": 1.0}, gold=("SELECT a FROM t JOIN u",))], ["ex"], binary={"ex"}
    )
    assert isinstance(summary, Summary)
    assert any(part.by == "feature" for part in summary.slices)
