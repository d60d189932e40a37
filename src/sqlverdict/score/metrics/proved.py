"""Proved: whether the prediction is proved to answer as the gold on every legal database.

Definition:
    value = 1 if a derivation by sound rules rewrites gold and prediction to one and the same
    query, each step licensed by what the schema declares, else 0. With several golds one proof
    suffices. Neither query is run. Where the case has a database, the facts that a proof uses
    are checked there, and a proof that rests on a broken one counts as none: it holds under
    the declared schema only. Without a database the declared schema is all there is. The score
    of a run is the mean over its scored cases: a lower bound of the share of right answers,
    since what is not proved may be right all the same.

    Hand calculation: of four predictions two are proved, one is not, and one gold cannot be
    read. The values are 1, 1, 0 and unscored: 2 / 3 = 0.667, not 2 / 4.

Range:
    {0, 1}

Direction:
    Higher is better.

Unscored cases:
    No gold can be read, or runs on its own schema; or the schema is not known. A prediction
    that cannot be read is scored: 0. So is one whose proof the data break (FACT_BROKEN).

Source:
    This project; the idea of equivalence by verifiable rules is ETM's (Ascoli, Kandikonda and
    Choi, 2025).
"""

from __future__ import annotations

from sqlverdict.score.metric import METRICS
from sqlverdict.score.metric_kinds import ProofMetric


@METRICS.member
class ProvedMetric(ProofMetric):
    """Proved equivalence under the sound rules."""

    name = "proved"
    version = 2
    profile = "sound"
