"""VES: valid efficiency score, the speed of right answers relative to the gold query.

Definition:
    value = 0 if the answer is wrong under the preset, else sqrt(T(gold) / T(prediction)),
    where T is the median of 9 warm runs. The preset is BIRD's unless one stands in brackets.
    The score of a run is the mean over its scored cases (BIRD prints it times 100).

    Hand calculation: gold takes 8 ms and a right prediction 2 ms: sqrt(8 / 2) = 2.

    >>> Ves().worth(0.008 / 0.002)
    2.0

    What is measured: both queries run once to warm the caches, then nine times in turn (gold,
    prediction, gold, ...) on one open connection to the last row fetched, in one process alone
    on its core. What is not: planning for other data, cold caches, concurrent load. Below a
    millisecond the ratio is mostly noise; differences of a few hundredths mean nothing.

    How BIRD's script differs: it runs each query 100 times, one after the other, on a fresh
    connection each time (which it times from outside, in some versions without fetching the
    rows), drops ratios beyond three standard deviations, averages the *ratios* (an average
    above 1 even for identical queries), and does so in parallel processes that disturb one
    another.

Range:
    [0, inf) where a right answer as fast as the gold has 1.

Direction:
    Higher is better.

Unscored cases:
    As for EX: every gold fails, the database is missing, the preset leaves it open; and where
    the clock returns no runs. A prediction that fails is scored: 0.

Source:
    Li et al., "Can LLM already serve as a database interface? A big bench for large-scale
    database grounded text-to-SQLs" (BIRD), NeurIPS 2023.
"""

from __future__ import annotations

from math import sqrt

from sqlverdict.score.metric import METRICS
from sqlverdict.score.metric_kinds import EfficiencyMetric


@METRICS.member
class Ves(EfficiencyMetric):
    """Valid efficiency score."""

    name = "ves"
    version = 1

    def worth(self, ratio: float) -> float:
        """The root of how many times faster than the gold."""
        return sqrt(ratio)
