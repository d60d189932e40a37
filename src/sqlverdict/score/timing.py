"""How the efficiency metrics measure time: medians of interleaved warm runs."""

from __future__ import annotations

from abc import ABC, abstractmethod
from statistics import median

from sqlverdict.records import Reason, Score
from sqlverdict.score.metric import Item, Need
from sqlverdict.score.parameters import preset_names

ROUNDS = 9
"""Timed runs of each query after one warm-up: odd, so that the median is a measured time."""

RESOLUTION = 1e-9
"""Seconds; no clock here is finer, and a query that seems to take no time divides by this."""


class EfficiencyMetric(ABC):
    """A metric whose value is 0 for a wrong answer, else what the speed of a right one is worth."""

    needs: frozenset[Need] = frozenset({"answers", "timing"})
    binary = False

    @property
    def parameters(self) -> tuple[str, ...]:
        """The comparison presets, BIRD's first."""
        return preset_names("bird")

    @abstractmethod
    def worth(self, ratio: float) -> float:
        """What a right answer is worth that is ``ratio`` times as fast as the gold."""

    def score(self, item: Item, parameter: str) -> Score:
        """The worth of a right answer; 0 for a wrong one."""
        ratio = time_ratio(item, parameter)
        return ratio if isinstance(ratio, Score) else Score(self.worth(ratio))


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
