"""The risk-coverage curve: what share is answered, and what share of the answers is wrong.

A system that says how sure it is can answer only from some confidence on. Every such threshold
gives a coverage (the share of items answered) and a risk (the share of answers that are wrong).
Items of equal confidence stand or fall together, so they are one group and one point of the
curve: no figure here depends on the order of the items.

An item is one answer with its confidence. It is right if the answer is correct; an answer to an
unanswerable question is wrong. Abstentions have no place on the curve.
"""

from __future__ import annotations

import math
from array import array
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from sqlverdict.errors import UsageError

RISKS = (0.01, 0.05, 0.10)
"""Risks at which the coverage is reported."""


@dataclass(frozen=True)
class Curve:
    """Counts up to and including each group of equal confidence, the surest group first.

    Attributes:
        thresholds: The confidence of each group, falling.
        answered: Items with at least that confidence.
        wrong: Wrong ones among them.
    """

    thresholds: Sequence[float]
    answered: Sequence[int]
    wrong: Sequence[int]

    @property
    def items(self) -> int:
        """All items."""
        return self.answered[-1] if self.answered else 0

    @property
    def errors(self) -> int:
        """All wrong items."""
        return self.wrong[-1] if self.wrong else 0

    def __len__(self) -> int:
        return len(self.thresholds)

    def groups(self) -> Iterator[tuple[float, int, int]]:
        """Confidence, items and wrong items of each group, the surest first."""
        items = errors = 0
        for value, answered, wrong in zip(self.thresholds, self.answered, self.wrong, strict=True):
            yield value, answered - items, wrong - errors
            items, errors = answered, wrong


@dataclass(frozen=True)
class Point:
    """One threshold: who answers from it on.

    Attributes:
        threshold: Answers of at least this confidence are given; infinite: none is.
        coverage: The share of items answered.
        risk: The share of the answers that are wrong; ``None`` where there is no answer.
        answered: How many items are answered.
        wrong: How many of them wrongly.
    """

    threshold: float
    coverage: float
    risk: float | None
    answered: int
    wrong: int


def curve_of(confidences: Iterable[float], right: Iterable[bool]) -> Curve:
    """The curve of some items; takes two sorts of plain numbers, whatever their order.

    Args:
        confidences: How sure the system was of each item, larger for surer; on any scale.
        right: Whether each item is right, in the same order.

    Raises:
        UsageError: a confidence is not a number, or there are more of one than of the other.
    """
    sure = array("d"), array("d")
    for confidence, good in zip(confidences, right, strict=True):
        sure[bool(good)].append(confidence)
    for values in sure:
        if any(map(math.isnan, values)):
            raise UsageError("a confidence is not a number (NaN); leave such items out")
    bad, good_ones = (sorted(values, reverse=True) for values in sure)
    return _merged(good_ones, bad)


def _merged(right: Sequence[float], wrong: Sequence[float]) -> Curve:
    thresholds, answered, errors = array("d"), array("q"), array("q")
    i = j = 0
    n, m = len(right), len(wrong)
    while i < n or j < m:
        value = right[i] if j >= m or (i < n and right[i] >= wrong[j]) else wrong[j]
        while i < n and right[i] == value:
            i += 1
        while j < m and wrong[j] == value:
            j += 1
        thresholds.append(value)
        answered.append(i + j)
        errors.append(j)
    return Curve(thresholds, answered, errors)


def curve_points(curve: Curve) -> Iterator[Point]:
    """Every threshold that the curve has, from answering nothing to answering all."""
    yield Point(math.inf, 0.0, None, 0, 0)
    for value, answered, wrong in zip(curve.thresholds, curve.answered, curve.wrong, strict=True):
        yield Point(value, answered / curve.items, wrong / answered, answered, wrong)


def aurc(curve: Curve) -> float | None:
    """The area under the risk-coverage curve: the mean, over items, of the risk at their threshold.

    AURC = (1/n) sum_i R(t_i), with t_i the confidence of item i and R(t) the share of wrong
    items among those of at least t. Lower is better; ``None`` without items.

    Hand calculation: confidences 3, 2, 1 with right, wrong, right: risks 0, 1/2, 1/3; mean
    5/18 = 0.278. With confidences 3, 2, 2 the last two are one group of risk 1/3: mean 2/9.
    """
    if not curve.items:
        return None
    starts = (0, *curve.answered[:-1])
    risks = (
        (answered - start) * wrong / answered
        for start, answered, wrong in zip(starts, curve.answered, curve.wrong, strict=True)
    )
    return math.fsum(risks) / curve.items


def best_aurc(curve: Curve) -> float | None:
    """The AURC of the same items, had every wrong one less confidence than every right one."""
    n, errors = curve.items, curve.errors
    if not n:
        return None
    return math.fsum(k / (n - errors + k) for k in range(1, errors + 1)) / n


def augrc(curve: Curve) -> float | None:
    """The area under the generalised risk-coverage curve: the risk of silent failures.

    The generalised risk of a threshold is the share of all items that are answered and wrong;
    the area is that of straight lines between the curve's points, from (0, 0) on. It equals
    (1 - AUROC) acc (1 - acc) + (1 - acc)^2 / 2. Lower is better; ``None`` without items.

    Hand calculation: confidences 3, 2, 1 with right, wrong, right: generalised risks 0, 0, 1/3,
    1/3 at coverages 0, 1/3, 2/3, 1: area (0 + 1/6 + 1/3) / 3 = 1/6.
    """
    if not curve.items:
        return None
    ends = zip((0, *curve.answered), (0, *curve.wrong), strict=True)
    twice = sum((b - a) * (d + c) for (a, c), (b, d) in pairwise(ends))
    return twice / (2 * curve.items**2)


def auroc(curve: Curve) -> float | None:
    """How often a right item is surer than a wrong one, ties counting half; ``None``: no pair."""
    wrong_ones, right_ones = curve.errors, curve.items - curve.errors
    if not wrong_ones or not right_ones:
        return None
    twice = right_before = 0
    for _, items, wrong in curve.groups():
        right = items - wrong
        twice += wrong * (2 * right_before + right)
        right_before += right
    return twice / (2 * wrong_ones * right_ones)


def coverage_at(curve: Curve, risk: float) -> Point:
    """The threshold with the largest coverage whose risk is not above the given one.

    Answering nothing has no risk, so there is always one. The risk is that of these items: for a
    promise about others see :func:`sqlverdict.score.reliability.thresholds.certified_threshold`.

    Raises:
        UsageError: the risk is no share.
    """
    if not 0 <= risk <= 1:
        raise UsageError(f"a risk of {risk} was asked for; expected a share from 0 to 1")
    for index in range(len(curve) - 1, -1, -1):
        answered, wrong = curve.answered[index], curve.wrong[index]
        if wrong <= risk * answered:
            value = curve.thresholds[index]
            return Point(value, answered / curve.items, wrong / answered, answered, wrong)
    return Point(math.inf, 0.0, None, 0, 0)
