"""A metric over the cases of a run and over its slices: means with intervals.

One pass with flat memory: a counter for each metric and slice, never a list of results. What a
case counts as is decided in :mod:`sqlverdict.score.deciding`; an unscored case leaves the
denominator and is counted apart.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from sqlverdict.parse.features import features
from sqlverdict.records import Result, Verdict
from sqlverdict.score.deciding import WORTH, counted_verdict
from sqlverdict.score.statistics.intervals import (
    BOOTSTRAP_LIMIT,
    mean_and_error,
    mean_interval,
    wilson,
)

DIFFICULTIES = ("easy", "simple", "medium", "moderate", "hard", "challenging", "extra")
"""The published levels in their natural order; any other level follows by name."""

UNLABELLED = "unlabelled"
"""The slice of the cases without a difficulty, where others have one."""

SLICES = ("db_id", "difficulty", "turn", "feature", "answerable")
"""What a run is sliced by, in the order of the summary."""

LAST_TURN = 4
"""Later turns share a slice, as in the tables of SParC and CoSQL."""

SLICE_BOOTSTRAP_LIMIT = 2_000
"""As BOOTSTRAP_LIMIT, for a slice: there are many, and together they must not take long."""

REMEMBERED_GOLDS = 4096
"""Gold queries whose features are remembered."""


_Value = Verdict | float | None
"""What is counted of a case: its verdict by a metric of 0 and 1, the value of another one."""


@dataclass(frozen=True)
class Estimate:
    """A metric over some cases: mean, interval, its denominator and what is not in it.

    ``scored`` is the denominator. Of a metric of 0 and 1, ``right``, ``wrong``, ``abstained`` and
    ``review`` add up to it.

    Examples:
        >>> cases = [{"id": 1, "gold": "SELECT 1", "prediction": "SELECT 1"}]
        >>> estimate = sv.evaluate(cases, db="shop.sqlite").estimate("ex")
        >>> estimate.value, estimate.scored, round(estimate.low, 2)
        (1.0, 1, 0.21)
    """

    metric: str
    value: float | None
    scored: int
    unscored: int
    low: float | None = None
    high: float | None = None
    interval: str = "none"
    total: float = 0.0
    """The sum of the values: for a binary metric, how many cases are right."""
    abstained: int = 0
    """For a binary metric: abstentions from questions that have an answer."""
    review: int = 0
    """For a binary metric: cases that a person must decide; not right so far."""

    @property
    def right(self) -> int:
        """How many cases are right, by a metric of 0 and 1."""
        return round(self.total)

    @property
    def wrong(self) -> int:
        """How many cases are wrong, by a metric of 0 and 1."""
        return self.scored - self.right - self.abstained - self.review


@dataclass(frozen=True)
class Slice:
    """The estimates over the cases that share a property, such as a database."""

    by: str
    key: str
    cases: int
    estimates: tuple[Estimate, ...]


def sql_features(sql: str) -> Iterable[str]:
    """The features of a query; imported late because the parser is slow to load."""
    return features(sql)


class Tallies:
    """Counts the values of results, for all cases and for each slice.

    Args:
        metrics: The labels to report, in the order to report them.
        binary: The labels whose values are all 0 or 1: they get Wilson intervals.
        features: The features of a gold query, for the slices by feature; ``None``: no such slice.
    """

    def __init__(
        self,
        metrics: Sequence[str],
        binary: Collection[str],
        features: Callable[[str], Iterable[str]] | None,
    ) -> None:
        plan = self._plan = tuple((label, label in binary) for label in metrics)
        self.whole = _Tally(plan)
        self._features = (
            None if features is None else lru_cache(REMEMBERED_GOLDS)(_frozen(features))
        )
        self._slices: dict[tuple[str, str], _Tally] = defaultdict(lambda: _Tally(plan))
        # Sums of 0 and 1 are exact in any order: what is alike is counted, and added at once.
        self._exact = all(is_binary for _, is_binary in plan)
        self._alike: dict[tuple[Any, ...], _Alike] = {}

    def add(self, result: Result) -> None:
        """Count one result."""
        values = tuple(
            [
                counted_verdict(result, label) if binary else result.scores.get(label)
                for label, binary in self._plan
            ]
        )
        marks = (
            *(result.db_id, result.difficulty, result.turn, result.answerable, result.gold[:1]),
            values,
        )
        same = self._alike.get(marks)
        if same is None:
            if len(self._alike) >= REMEMBERED_GOLDS:
                self._add_alike()
            slices = [self._slices[key] for key in _slice_keys(result, self._features)]
            same = self._alike[marks] = _Alike([self.whole, *slices], values)
        same.count += 1
        if not self._exact:
            self._add_alike()

    def estimates(self, seed: int) -> tuple[Estimate, ...]:
        """Each metric over all cases; ``seed`` is that of bootstrap intervals."""
        self._add_alike()
        return self.whole.estimates(seed, BOOTSTRAP_LIMIT)

    def slices(self, seed: int) -> tuple[Slice, ...]:
        """Each metric over each slice, in the order of reports."""
        self._add_alike()
        levels = {key for by, key in self._slices if by == "difficulty"}
        if levels == {UNLABELLED}:
            del self._slices["difficulty", UNLABELLED]
        return tuple(
            Slice(
                *key,
                self._slices[key].cases,
                self._slices[key].estimates(seed, SLICE_BOOTSTRAP_LIMIT),
            )
            for key in sorted(self._slices, key=_slice_order)
        )

    def _add_alike(self) -> None:
        """Add what was counted, and forget it."""
        for same in self._alike.values():
            for tally in same.tallies:
                tally.add(same.values, same.count)
        self._alike.clear()


def _frozen(features: Callable[[str], Iterable[str]]) -> Callable[[str], frozenset[str]]:
    return lambda sql: frozenset(features(sql))


def _slice_keys(
    result: Result, features: Callable[[str], frozenset[str]] | None
) -> Iterator[tuple[str, str]]:
    """The slices a result belongs to."""
    yield "db_id", result.db_id
    yield "difficulty", result.difficulty or UNLABELLED
    if result.turn is not None:
        yield "turn", str(result.turn) if result.turn <= LAST_TURN else f"> {LAST_TURN}"
    yield "answerable", "answerable" if result.answerable else "unanswerable"
    if features is not None and result.gold:
        for feature in features(result.gold[0]):
            yield "feature", feature


def difficulty_rank(level: str) -> int:
    """Where a level stands among others, from easy to hard; levels that nobody foresaw are last."""
    return DIFFICULTIES.index(level) if level in DIFFICULTIES else len(DIFFICULTIES)


def _slice_order(slice_key: tuple[str, str]) -> tuple[int, int, str]:
    by, key = slice_key
    rank = 0
    if by == "difficulty":
        rank = difficulty_rank(key) + (key == UNLABELLED)
    elif by == "turn" and not key.isdigit():
        rank = 1
    return SLICES.index(by), rank, key


class _Tally:
    """Running counts of some cases under every metric."""

    def __init__(self, plan: tuple[tuple[str, bool], ...]) -> None:
        self.cases = 0
        self._values = [MetricValues(label, binary) for label, binary in plan]

    def add(self, scores: Sequence[_Value], times: int) -> None:
        self.cases += times
        for values, score in zip(self._values, scores, strict=True):
            values.add(score, times)

    def estimates(self, seed: int, limit: int) -> tuple[Estimate, ...]:
        return tuple(values.estimate(seed, limit) for values in self._values)


@dataclass
class _Alike:
    """Results with the same values in the same slices, not yet added there."""

    tallies: Sequence[_Tally]
    values: Sequence[_Value]
    count: int = 0


class MetricValues:
    """One metric's values: the sum, and for the bootstrap a histogram.

    The histogram keeps three digits of each value, so that a metric of times, whose values all
    differ, takes no more memory than any other. The sum is of the values themselves.
    """

    def __init__(self, label: str, binary: bool) -> None:
        self.label = label
        self.binary = binary
        self.scored = 0
        self.unscored = 0
        self.total = 0.0
        self.verdicts: Counter[Verdict] = Counter()
        self.histogram: Counter[float] = Counter()

    def add(self, value: _Value, times: int = 1) -> None:
        """Count a value so many times."""
        if isinstance(value, Verdict):
            self.verdicts[value] += times
            value = WORTH[value]
        if value is None:
            self.unscored += times
            return
        self.scored += times
        self.total += value * times
        if not self.binary:
            self.histogram[value if value in (0.0, 1.0) else float(f"{value:.3g}")] += times

    def estimate(self, seed: int, limit: int) -> Estimate:
        """The mean with its interval; ``seed`` and ``limit`` are those of the bootstrap."""
        if not self.scored:
            return Estimate(self.label, None, 0, self.unscored)
        mean = self.total / self.scored
        if self.binary:
            low, high = wilson(round(self.total), self.scored)
            label = "wilson"
        else:
            low, high, label = mean_interval(self.histogram, seed=seed, limit=limit)
            # The interval belongs around the mean of the values, not of their three digits.
            shift = mean - mean_and_error(self.histogram)[0]
            low, high = low + shift, high + shift
        return Estimate(
            self.label,
            mean,
            self.scored,
            self.unscored,
            low,
            high,
            label,
            self.total,
            self.verdicts[Verdict.ABSTAINED_WRONG],
            self.verdicts[Verdict.NEEDS_REVIEW],
        )
