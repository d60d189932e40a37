"""FLEX: whether an LLM judge that is told if the results match calls the prediction right.

Definition:
    value = 1 if the judge says that the prediction answers the question, 0 if it says that it
    does not. Every pair whose two queries run is asked about: with the results where they
    differ, without them where they match. A prediction that fails is 0 without a call. Nothing
    else is looked at; ``verdict`` is the metric that weighs evidence first. The score of a run
    is the mean over its scored cases.

    Hand calculation: of five cases one prediction fails; of the other four the judge calls two
    right and one wrong, and one reply cannot be read. The values are 0, 1, 1, 0 and unscored:
    2 / 4 = 0.5.

Range:
    {0, 1}

Direction:
    Higher is better.

Unscored cases:
    Every gold fails, the database is missing, no judge was given or none could be asked
    (``JUDGE_UNAVAILABLE``), or the reply could not be read after it was asked for again
    (``JUDGE_UNPARSEABLE``). Never "incorrect" for want of a readable reply.

Source:
    Kim, Jeon, Choi, Choi and Cho, "FLEX: Expert-level False-Less EXecution Metric for Reliable
    Text-to-SQL Benchmark"; the prompts are our own words.
"""

from __future__ import annotations

from sqlverdict.records import Score
from sqlverdict.score.metric import METRICS, Item, Need
from sqlverdict.score.metric_kinds import opinion_score


@METRICS.member
class FlexMetric:
    """The judge's word on every pair that runs."""

    name = "flex"
    version = 1
    needs: frozenset[Need] = frozenset({"answers", "opinion_on_all"})
    parameters: tuple[str, ...] = ()
    binary = True

    def score(self, item: Item, parameter: str) -> Score:  # noqa: ARG002 - takes none
        """1 where the judge says so, 0 where it denies it or the prediction fails."""
        return opinion_score(item.evidence(), lambda opinion: self.name in opinion.metrics)
