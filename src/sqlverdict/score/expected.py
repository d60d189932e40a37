"""The score that people would give a run, from the probability that each verdict carries.

The estimate is the mean of ``p_right``. It may be off for two reasons. Each case is right or wrong
by itself; and these people may be more or less lenient than those whose labels were counted. The
second error is the same for all cases and does not shrink with their number, so the bounds of
the cases are averaged as they are: where one case is at its lower bound, all are.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from math import hypot, sqrt

from sqlverdict.records import Result, Verdict

_QUANTILE = 1.96
"""Of the normal distribution, for 95 %."""


@dataclass(frozen=True)
class ExpectedScore:
    """What people would say of a run.

    Attributes:
        cases: The cases that carry a probability.
        undecided: How many of them need review.
        correct: How many of them are called correct.
        value: The share that people would call right.
        low: Its lower bound, at 95 %.
        high: Its upper bound.
        unlabelled: How many more answers there are, in situations without labels.
        calibrated: Whether the user's own labels are counted.
    """

    cases: int
    undecided: int
    correct: int
    value: float
    low: float
    high: float
    unlabelled: int = 0
    calibrated: bool = False


class Expectation:
    """Counts results, and says what to expect of them."""

    def __init__(self) -> None:
        self._counts: Counter[tuple[float, float, float]] = Counter()
        self._undecided = self._correct = self._labelled = self._unlabelled = self._own = 0

    def add(self, result: Result) -> None:
        """Count the result of an answer."""
        if result.abstained or result.verdict is Verdict.UNSCORED:
            return
        p, basis = result.p_right, result.p_basis
        if p is not None and basis is not None:
            self._counts[p, basis.low, basis.high] += 1
            self._labelled += 1
            self._own += basis.own
        elif not result.situation and result.verdict is Verdict.INCORRECT:
            # Text without SQL, or an answer where there is none: nobody needs a label for that.
            self._counts[0.0, 0.0, 0.0] += 1
        else:
            self._unlabelled += 1
            return
        self._undecided += result.verdict is Verdict.NEEDS_REVIEW
        self._correct += result.verdict is Verdict.CORRECT

    def expected(self) -> ExpectedScore | None:
        """The estimate with its bounds; ``None`` where no result carries a probability."""
        if not self._labelled:
            return None
        cases = sum(self._counts.values())
        value = low = high = variance = 0.0
        for (p, least, most), number in sorted(self._counts.items()):
            value += number * p / cases
            low += number * least / cases
            high += number * most / cases
            variance += number * p * (1 - p) / cases**2
        by_case = _QUANTILE * sqrt(variance)
        return ExpectedScore(
            cases,
            self._undecided,
            self._correct,
            round(value, 4),
            round(max(0.0, value - hypot(value - low, by_case)), 4),
            round(min(1.0, value + hypot(high - value, by_case)), 4),
            self._unlabelled,
            bool(self._own),
        )
