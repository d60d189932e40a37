"""ETM: enhanced tree matching, equality of syntax trees under the paper's rules.

Definition:
    value = 1 if the rules of the paper rewrite gold and prediction to the same tree, else 0.
    Nothing is run. Some of the paper's rules hold only under conditions that the paper does
    not state; they are part of this metric, which reproduces the paper's, and of nothing else:
    a match here is no proof (``proved`` is the metric of proofs), and what the schema declares
    is not checked on the data. With several golds one
    match suffices. The score of a run is the mean over its scored cases.

    Hand calculation: three predictions, of which two match their gold's tree after rewriting:
    the values are 1, 1 and 0; ETM = 2 / 3 = 0.667.

Range:
    {0, 1}

Direction:
    Higher is better.

Unscored cases:
    No gold can be read, or the schema is not known. A prediction that cannot be read is
    scored: 0. Queries of engines other than SQLite: the paper's rules read SQLite's dialect.

Source:
    Ascoli, Kandikonda and Choi, "ETM: Modern Insights into Perspective on Text-to-SQL
    Evaluation in the Age of Large Language Models", 2025.
"""

from __future__ import annotations

from sqlverdict.dialects import checked_dialects
from sqlverdict.score.metric import METRICS
from sqlverdict.score.metric_kinds import ProofMetric


@METRICS.member
class Etm(ProofMetric):
    """Enhanced tree matching, under the paper's rules."""

    name = "etm"
    version = 1
    profile = "etm_paper"
    dialects = frozenset(checked_dialects("etm_paper"))
