"""The conformance suite for metrics, built-in or plug-in.

In a plug-in's tests::

    from sqlverdict.testing.metrics import check_metric

    def test_my_metric():
        check_metric("my_metric")
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from math import isfinite
from typing import get_args

from sqlverdict.records import Failure, Fault, Reason, Row, Score
from sqlverdict.score.metric import METRICS, SECTIONS, Metric, Need, metric_document
from sqlverdict.testing.fakes import GOLD_SQL, FakeItem
from sqlverdict.testing.members import member_of

ROWS: list[Row] = [("Ada", 36), ("Bob", 41), ("Cy", None), ("Dee", 2.5)]

RIGHT: dict[str, FakeItem] = {
    "the gold's own text": FakeItem.of([ROWS], ROWS, sql=GOLD_SQL),
    "the gold's own text, no rows": FakeItem.of([[]], [], sql=GOLD_SQL),
}
"""The gold query as the prediction, as fast as itself: nothing may score better."""

WRONG: dict[str, FakeItem] = {
    "one wrong cell": FakeItem.of([ROWS], [*ROWS[:3], ("Dee", 2)]),
    "one row missing": FakeItem.of([ROWS], ROWS[:3]),
    "one row too many": FakeItem.of([ROWS], [*ROWS, ("Eve", 1)]),
    "a row twice": FakeItem.of([ROWS], [*ROWS, ROWS[0]]),
    "one column missing": FakeItem.of([ROWS], [row[:1] for row in ROWS]),
    "one column too many": FakeItem.of([ROWS], [(*row, 0) for row in ROWS]),
    "other rows": FakeItem.of([ROWS], [("x", b"y")]),
    "no rows": FakeItem.of([ROWS], []),
    "rows where gold has none": FakeItem.of([[]], ROWS),
    "another database of the suite differs": FakeItem.of(
        [ROWS], ROWS, suite={"b.sqlite": ([(1,)], [(2,)])}
    ),
}

RIGHT_OTHERWISE: dict[str, FakeItem] = {
    "other text, same rows": FakeItem.of([ROWS], ROWS),
    "other text, rows in another order": FakeItem.of([ROWS], ROWS[::-1]),
    "the second gold's rows": FakeItem.of([[("x", 1)], ROWS], ROWS),
    "a suite that agrees": FakeItem.of([ROWS], ROWS, suite={"b.sqlite": ([(1,)], [(1,)])}),
    "one of two golds fails": FakeItem.of(
        [Failure(Reason.EXECUTION_ERROR, "no such table"), ROWS], ROWS
    ),
    "much faster": FakeItem.of([ROWS], ROWS, seconds=(0.9, 0.001)),
    "much slower": FakeItem.of([ROWS], ROWS, seconds=(0.001, 0.9)),
    "too fast for the clock": FakeItem.of([ROWS], ROWS, seconds=(0.0, 0.0)),
}

FAILING: dict[str, FakeItem] = {
    f"a prediction that fails with {reason}": FakeItem.of([ROWS], Failure(reason, "failed"))
    for reason in (
        Reason.PARSE_ERROR,
        Reason.EXECUTION_ERROR,
        Reason.EXECUTION_TIMEOUT,
        Reason.WRITE_BLOCKED,
        Reason.ROW_LIMIT,
        Reason.MEMORY_LIMIT,
    )
}

NO_GOLD: dict[str, FakeItem] = {
    "a gold that fails": FakeItem.of([Failure(Reason.EXECUTION_ERROR, "no such table")], ROWS),
    "a gold that times out": FakeItem.of([Failure(Reason.EXECUTION_TIMEOUT, "too slow")], ROWS),
    "gold and prediction fail": FakeItem.of(
        [Failure(Reason.EXECUTION_ERROR, "gold")], Failure(Reason.EXECUTION_ERROR, "prediction")
    ),
    "a database that is missing": FakeItem.of(
        [Failure(Reason.DATABASE_UNAVAILABLE, "no file", fault=Fault.ENGINE)],
        Failure(Reason.DATABASE_UNAVAILABLE, "no file", fault=Fault.ENGINE),
    ),
}

BOUNDS = re.compile(r"[\[({]\s*(-?[\d.]+|-inf)\s*,\s*(-?[\d.]+|inf)\s*[\])}]")


@dataclass(frozen=True)
class _ValueScale:
    """What the document says about the values."""

    low: float
    high: float
    sign: int


def check_metric(metric: str | Metric) -> None:
    """Hold a metric to what every metric promises.

    The document has every heading and a readable range and direction; the version is a whole
    number from 1; values lie in the stated range and are 0 or 1 where the metric says it is
    binary; the gold's own query gets the best value; a prediction that fails is scored and
    never beats it; a gold that fails is unscored with a reason (for metrics that need anything
    run, which a proof does not); scores are the same again, in any order of calls.

    Args:
        metric: A name in the registry, or the metric itself.

    Raises:
        AssertionError: a promise is broken; the message says which and what to do.
    """
    name = metric if isinstance(metric, str) else member_of(METRICS, metric).name
    metric = member_of(METRICS, metric)
    _expect(metric.name == name, name, f"calls itself {metric.name!r}; use its file's name")
    _check_fields(name, metric)
    scale = _check_document(name, metric)
    for parameter in metric.parameters or ("",):
        _check_values(f"{name}[{parameter}]" if parameter else name, metric, parameter, scale)


def _check_fields(name: str, metric: Metric) -> None:
    version = metric.version
    whole = isinstance(version, int) and not isinstance(version, bool) and version >= 1
    _expect(whole, name, f"has version {version!r}; it must be a whole number from 1")
    unknown = sorted(set(metric.needs) - set(get_args(Need)))
    _expect(not unknown, name, f"needs {unknown}; only {', '.join(get_args(Need))} can be had")
    names = list(metric.parameters)
    _expect(
        all(re.fullmatch(r"\w+", parameter) for parameter in names),
        name,
        f"has parameters {names}; each must be a word, since it stands in brackets",
    )
    _expect(len(set(names)) == len(names), name, f"has a parameter twice: {names}")
    _expect(isinstance(metric.binary, bool), name, f"has binary = {metric.binary!r}; say a bool")


def _check_document(name: str, metric: Metric) -> _ValueScale:
    sections = metric_document(metric)
    _expect(bool(sections.get("")), name, "has no summary line; its module docstring begins so")
    for section in SECTIONS:
        _expect(
            bool(sections.get(section)),
            name,
            f"has nothing under {section!r}; its module docstring needs a line '{section}:' "
            "with text indented below",
        )
    bounds = BOUNDS.match(sections["Range"])
    if bounds is None:
        raise AssertionError(
            f"metric {name} has the range {sections['Range']!r}; begin it with its bounds, "
            "such as [0, 1] or {0, 1} or [0, inf)"
        )
    direction = re.search(r"\b(higher|lower)\b", sections["Direction"], re.IGNORECASE)
    if direction is None:
        raise AssertionError(f"metric {name} has no direction; say 'Higher is better' or 'Lower'")
    sign = 1 if direction[1].lower() == "higher" else -1
    return _ValueScale(float(bounds[1]), float(bounds[2]), sign)


def _check_values(label: str, metric: Metric, parameter: str, scale: _ValueScale) -> None:
    items = {**RIGHT, **WRONG, **RIGHT_OTHERWISE, **FAILING, **NO_GOLD}
    if "databases" in metric.needs:
        items = {what: _with_suite(item) for what, item in items.items()}
    scores = {what: _score(label, metric, parameter, what, items[what]) for what in items}
    again = {what: metric.score(items[what], parameter) for what in reversed(items)}
    for what, score in scores.items():
        _expect(
            again[what] == score,
            label,
            f"gave {score} and then {again[what]} for {what}; a score may depend on nothing but "
            "the item, neither on chance nor on earlier calls",
        )
        _check_value(label, metric, what, score, scale)
    for what in FAILING:
        _expect(
            scores[what].value is not None,
            label,
            f"is unscored for {what}; that is the prediction's fault and has the worst value",
        )
    if metric.needs - {"proof"}:
        for what in NO_GOLD:
            _expect(
                scores[what].value is None,
                label,
                f"gave {scores[what].value} for {what}; it must be unscored, since that is not "
                "the model's fault",
            )
    own = _values(scores, RIGHT)
    _expect(len(own) == len(RIGHT), label, "is unscored for the gold's own query")
    worst_own = min(scale.sign * value for value in own)
    same_speed = [what for what in items if items[what].seconds == (0.002, 0.002)]
    for what in same_speed:
        value = scores[what].value
        _expect(
            value is None or scale.sign * value <= worst_own,
            label,
            f"gave {value} for {what}, better than the gold's own query, which has {own}",
        )


def _with_suite(item: FakeItem) -> FakeItem:
    """The item with a suite: one database is none, so one stands beside it that agrees."""
    same = FakeItem.of([ROWS], ROWS)
    agrees = (same.gold_outcomes[0], same.outcome)
    return item if item.suite else replace(item, suite={"b.sqlite": agrees})


def _score(label: str, metric: Metric, parameter: str, what: str, item: FakeItem) -> Score:
    score = metric.score(item, parameter)
    _expect(isinstance(score, Score), label, f"returned {score!r} for {what}; return a Score")
    return score


def _check_value(label: str, metric: Metric, what: str, score: Score, scale: _ValueScale) -> None:
    value = score.value
    if value is None:
        _expect(bool(score.reasons), label, f"is unscored for {what} without a reason; give one")
        return
    _expect(
        isfinite(value) and scale.low <= value <= scale.high,
        label,
        f"gave {value} for {what}; its range says {scale.low} to {scale.high}",
    )
    _expect(
        not metric.binary or value in (0.0, 1.0),
        label,
        f"gave {value} for {what}, yet says it is binary; only 0 and 1 are",
    )


def _values(scores: dict[str, Score], which: Iterable[str]) -> list[float]:
    return [value for what in which if (value := scores[what].value) is not None]


def _expect(holds: bool, label: str, complaint: str) -> None:
    """As assert, but also under ``python -O``."""
    if not holds:
        raise AssertionError(f"metric {label} {complaint}")
