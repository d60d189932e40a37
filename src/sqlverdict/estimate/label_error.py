"""What the labels' own errors add to an interval, from cases that two people labelled.

An interval of :mod:`~sqlverdict.estimate.share` knows the error of drawing, not that of the
people. If each label is wrong with the same probability ``e``, whatever the case, whoever gives
it, and two labels err independently of each other, then two people differ with probability ``2 e
(1 - e)``, and a share ``p`` of right cases is seen as ``p (1 - 2 e) + e``. Cases that two people
labelled bound ``e`` from above and below, and each bound turns the ends of the interval back.
These assumptions are strong: people who err on the same hard cases differ less often than they
err.
"""

from __future__ import annotations

from math import sqrt

from sqlverdict.score.statistics.intervals import CONFIDENCE, wilson

FEWEST_TWICE = 20
"""With fewer cases that two people labelled, their errors are not bounded."""

MOST_DIFFER = 0.42
"""Two labels that differ more often are errors in 3 of 10 cases: no end can be turned back."""


def interval_with_label_error(
    low: float, high: float, twice: int, differ: int, confidence: float = CONFIDENCE
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
    """
    if twice < FEWEST_TWICE:
        return None
    least, most = wilson(differ, twice, half_risk(confidence))
    if most >= MOST_DIFFER:
        return None
    rates = [_error_rate(least), _error_rate(most)]
    ends = [(end - rate) / (1 - 2 * rate) for end in (low, high) for rate in rates]
    return max(0.0, min(ends)), min(1.0, max(ends))


def half_risk(confidence: float) -> float:
    """The confidence of each of two statements that shall hold together."""
    return 1 - (1 - confidence) / 2


def _error_rate(differ: float) -> float:
    """The probability of an error, from that of a difference."""
    return (1 - sqrt(1 - 2 * differ)) / 2
