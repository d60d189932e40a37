"""How the efficiency metrics measure time: medians of interleaved warm runs."""

from __future__ import annotations

from statistics import median

from sqlverdict.records import Reason, Score
from sqlverdict.score.metric import Item

ROUNDS = 9
"""Timed runs of each query after one warm-up: odd, so that the median is a measured time."""

RESOLUTION = 1e-9
"""Seconds; no clock here is finer, and a query that seems to take no time divides by this."""


def time_ratio(item: Item, preset: str) -> float | Score:
    """Gold's median time over the prediction's (2.0: twice as fast), or the final score.

    The final score is 0 for a wrong answer and unscored where the preset cannot tell or the
    clock has nothing to say.
    """
    comparison = item.compare(preset)
    if comparison.equal is None:
        return Score(None, comparison.reasons)
    if not comparison.equal:
        return Score(0.0, comparison.reasons)
    gold, prediction = item.clock(ROUNDS)
    if not gold or not prediction:
        return Score(None, (Reason.BUDGET_EXHAUSTED,))
    return max(median(gold), RESOLUTION) / max(median(prediction), RESOLUTION)
