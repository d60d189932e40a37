"""R-VES: reward-based valid efficiency score, VES in five steps.

Definition:
    value = 0 if the answer is wrong under the preset, else sqrt(reward), where
    r = T(gold) / T(prediction) on the medians of 9 warm runs and

    - reward = 1.25 for r >= 2
    - reward = 1    for 1 <= r < 2
    - reward = 0.75 for 0.5 <= r < 1
    - reward = 0.5  for 0.25 <= r < 0.5
    - reward = 0.25 for r < 0.25

    The preset is BIRD's unless one stands in brackets. The score of a run is the mean over its
    scored cases (BIRD prints it times 100).

    Hand calculation: a right answer in 4 ms where gold takes 3 ms has r = 0.75, reward 0.75
    and value sqrt(0.75) = 0.866.

    >>> round(RVes().worth(0.003 / 0.004), 3)
    0.866

    What is measured, and how BIRD's script measures, is said in ``ves``. The steps hide most of
    the noise except at r = 1: two queries that are the same fall on either side of it by
    chance, so a difference between 0.866 and 1 is not yet a finding.

Range:
    [0, 1.12] as sqrt(1.25) = 1.118; a right answer has at least sqrt(0.25) = 0.5.

Direction:
    Higher is better.

Unscored cases:
    As for VES: every gold fails, the database is missing, the preset leaves it open, the clock
    returns no runs. A prediction that fails is scored: 0.

Source:
    BIRD Mini-Dev, the R-VES of its evaluation script.
"""

from __future__ import annotations

from math import sqrt

from sqlverdict.score.metric import METRICS
from sqlverdict.score.metric_kinds import EfficiencyMetric

STEPS = ((2.0, 1.25), (1.0, 1.0), (0.5, 0.75), (0.25, 0.5))


def reward(ratio: float) -> float:
    """The reward for being ``ratio`` times as fast as the gold."""
    return next((worth for least, worth in STEPS if ratio >= least), 0.25)


@METRICS.member
class RVes(EfficiencyMetric):
    """Reward-based valid efficiency score."""

    name = "r_ves"
    version = 1

    def worth(self, ratio: float) -> float:
        """The root of the reward."""
        return sqrt(reward(ratio))
