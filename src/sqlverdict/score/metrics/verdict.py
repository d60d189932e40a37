"""Verdict: whether all evidence together says that the prediction is right.

Definition:
    value = 1 if the case's verdict is ``correct``, 0 if it is ``incorrect``, none if it
    ``needs_review`` or could not be evaluated. The verdict is made by the run's policy, a table
    in ``situations.py``: ``intent`` (does the answer serve the question? the default), ``strict``
    (a match by luck is wrong) or ``results`` (the benchmark's own comparison). Where there is a
    judge, it is asked what the policy leaves to it. The score of a run is the share of its
    cases that are right. A case that needs review is among them and is not right so far, a right
    abstention is right, and what could not be evaluated is left out. Beside it the report says
    between which bounds the score lies that people would give.

    Hand calculation, by ``intent``: of five cases one is proved, one matches without a witness,
    one matches and is refuted by ordinary data, one differs by an extra column, and one returns
    other rows. The values are 1, 1, 1, none (to review) and 0: 3 / 5 = 0.6.

Range:
    {0, 1}

Direction:
    Higher is better.

Unscored cases:
    Every gold fails, or the database is missing. What nothing decided needs review, as does a
    case whose judge gave no verdict (``JUDGE_UNAVAILABLE``, ``JUDGE_UNPARSEABLE``): it has no
    value of its own, and counts as not right in the score of a run. A prediction that fails is
    scored: 0. So is one that needs review because its own text keeps it from being
    searched: nobody leaves the score by standing against a search.

Source:
    This project. What may be weighed as harmless, and that matches deserve a second look, is
    FLEX's (Kim et al.); that a judge overrules a match only with a witness in hand is ours.
"""

from __future__ import annotations

from sqlverdict.records import Score, Verdict
from sqlverdict.score.metric import METRICS, Item, Need

_VALUES = {Verdict.CORRECT: 1.0, Verdict.INCORRECT: 0.0}


@METRICS.member
class VerdictMetric:
    """The headline: right by all evidence."""

    name = "verdict"
    version = 2
    needs: frozenset[Need] = frozenset({"answers", "witness", "proof", "opinion"})
    parameters: tuple[str, ...] = ()
    binary = True

    def score(self, item: Item, parameter: str) -> Score:  # noqa: ARG002 - takes none
        """1 for correct, 0 for incorrect."""
        judgement = item.judgement()
        return Score(_VALUES.get(judgement.verdict), judgement.reasons)
