"""What the labels' own errors add to an interval, from cases that two people labelled.

An interval of :mod:`~sqlverdict.estimate.share` knows the error of drawing, not that of the
people. If each label is wrong with the same probability ``e``, whatever the case, whoever gives
it, and two labels err independently of each other, then two people differ with probability ``2 e
(1 - e)``, and a share ``q`` of right cases is seen as ``q (1 - 2 e) + e``. Cases that two people
labelled bound ``e`` from above and below, and each bound turns the ends of the interval back.
These assumptions are strong: people who err on the same hard cases differ less often than they
err.

Only labels err. Let the cases that labels stand for be the part ``W`` of all cases, with and
without a label, and let ``K`` be what the others add to the share without anybody's label: the
part of right abstentions and, at the upper end, the part of cases of which nothing is known. The
share of right cases is ``p = K + W q``, and it is seen as ``s = K + W (q (1 - 2 e) + e)``. So an
end ``s`` is turned back to ::

    p = K + (s - K - W e) / (1 - 2 e)

and lies between ``K`` and ``K + W``. A panel may draw a case that needs no label in a later run:
the part of such cases, and of the right ones among them, is that of the sample.

Errors of labels are by chance even where every case has a label, so that the interval that is
turned back has no correction for a finite population: its variance is that of labels of which each
is right with probability ``q (1 - 2 e) + e``, and never less than that of the draw and the errors
together.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import fsum, sqrt

from sqlverdict.estimate.share import DrawnStratum, share_interval
from sqlverdict.score.statistics.intervals import CONFIDENCE, wilson

FEWEST_TWICE = 20
"""With fewer cases that two people labelled, their errors are not bounded."""

MOST_DIFFER = 0.42
"""Two labels that differ more often are errors in 3 of 10 cases: no end can be turned back."""

_MANY = 10**6
"""A population so many times as large has no correction for being finite."""


def share_with_label_error(
    strata: Sequence[DrawnStratum],
    twice: int,
    differ: int,
    confidence: float = CONFIDENCE,
    *,
    known: int = 0,
    known_right: int = 0,
    uncovered: int = 0,
) -> tuple[float, float] | None:
    """The interval of a share that also holds under label errors; ``None``: it cannot be told.

    Args:
        strata: The strata.
        twice: How many cases two people labelled.
        differ: On how many of them they differ.
        confidence: The share of such intervals that shall hold the truth.
        known: Cases that need no label.
        known_right: How many of them are right.
        uncovered: Cases that no stratum holds.
    """
    if twice < FEWEST_TWICE:
        return None
    low, high = share_interval(
        [replace(each, size=each.size * _MANY) for each in strata],
        known=known * _MANY,
        known_right=known_right * _MANY,
        uncovered=uncovered * _MANY,
        confidence=half_risk(confidence),
    )
    with_labels = [each for each in strata if each.labels]
    cases = sum(each.size for each in strata) + known + uncovered
    sure = known_right + fsum(each.size * each.known_right / each.sample for each in with_labels)
    unknown = uncovered + sum(each.size for each in strata if not each.labels)
    by_label = fsum(each.size * (1 - each.known / each.sample) for each in with_labels)
    return interval_with_label_error(
        low,
        high,
        twice,
        differ,
        confidence,
        labelled=by_label / cases,
        others=(sure / cases, (sure + unknown) / cases),
    )


def interval_with_label_error(
    low: float,
    high: float,
    twice: int,
    differ: int,
    confidence: float = CONFIDENCE,
    *,
    labelled: float = 1.0,
    others: tuple[float, float] = (0.0, 0.0),
) -> tuple[float, float] | None:
    """An interval that holds the share under label errors, too; ``None``: it cannot be told.

    Both the interval and the rate of errors must hold: so each is asked for with half of the risk.
    The caller gives an interval of the confidence :func:`half_risk`.

    Args:
        low: The lower end of the interval of drawing, at half of the risk.
        high: Its upper end.
        twice: How many cases two people labelled.
        differ: On how many of them they differ.
        confidence: The share of such intervals that shall hold the truth.
        labelled: The part of all cases that labels stand for.
        others: What the other cases add to the lower and to the upper end.
    """
    if twice < FEWEST_TWICE:
        return None
    least, most = wilson(differ, twice, half_risk(confidence))
    if most >= MOST_DIFFER:
        return None
    rates = [_error_rate(least), _error_rate(most)]
    lows, highs = (
        [known + (end - known - labelled * rate) / (1 - 2 * rate) for rate in rates]
        for end, known in zip((low, high), others, strict=True)
    )
    return max(others[0], min(lows)), min(others[1] + labelled, max(highs))


def half_risk(confidence: float) -> float:
    """The confidence of each of two statements that shall hold together."""
    return 1 - (1 - confidence) / 2


def _error_rate(differ: float) -> float:
    """The probability of an error, from that of a difference."""
    return (1 - sqrt(1 - 2 * differ)) / 2
