"""The score that people would give a run, from the probability that each verdict carries.

The estimate is the mean of ``p_right``. It may be off for two reasons: each case is right or wrong
by itself, and the rate of a situation may be another one in this run than in the labels that it
was counted on. The second kind of error is shared by all cases of a situation, and does not
shrink with their number.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

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
    """

    cases: int
    undecided: int
    correct: int
    value: float
    low: float
    high: float


class Expectation:
    """Counts results, and says what to expect of them."""

    def __init__(self) -> None:
        self._counts: Counter[tuple[str, float, float]] = Counter()
        self._undecided = self._correct = 0

    def add(self, result: Result) -> None:
        """Count a result that carries a probability."""
        p, deviation = result.p_right, result.p_deviation or 0.0
        if p is None and result.verdict is Verdict.INCORRECT:
            # Text without SQL, or an answer where there is none: nobody needs a label for that.
            p = 0.0
        if p is None or result.abstained:
            return
        self._counts[result.situation, p, deviation] += 1
        self._undecided += result.verdict is Verdict.NEEDS_REVIEW
        self._correct += result.verdict is Verdict.CORRECT

    def expected(self) -> ExpectedScore | None:
        """The estimate with its bounds; ``None`` where no result carries a probability."""
        cases = sum(self._counts.values())
        if not cases:
            return None
        total = variance = 0.0
        shared: dict[str, float] = {}
        for (situation, p, deviation), number in sorted(self._counts.items()):
            total += number * p
            variance += number * p * (1 - p)
            shared[situation] = shared.get(situation, 0.0) + number * deviation
        variance += sum(value**2 for value in shared.values())
        value, off = total / cases, _QUANTILE * variance**0.5 / cases
        low, high = max(0.0, value - off), min(1.0, value + off)
        return ExpectedScore(
            cases, self._undecided, self._correct, round(value, 4), round(low, 4), round(high, 4)
        )
