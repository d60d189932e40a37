"""Judge: whether a judge that is asked about every pair calls the prediction right.

Definition:
    value = 1 if the judge in brackets says that the prediction is right, 0 if it says that it is
    wrong. Every pair whose two queries run is asked about, and a prediction that fails is 0
    without a call, as for ``flex``. ``judge[solver_miniature]``, ``judge[solver_explain]`` and
    ``judge[rubric]`` are the baselines of FLEX's table 3; several of them in one run are asked of
    the same model, one after the other. A bare ``judge`` is ``judge[flex]``. The score of a run
    is the mean over its scored cases.

    Hand calculation: of four pairs that run, the judge calls three right and one wrong, and one
    prediction fails. The values are 1, 1, 1, 0 and 0: 3 / 5 = 0.6.

Range:
    {0, 1}

Direction:
    Higher is better.

Unscored cases:
    Every gold fails, the database is missing, no model was given or none could be asked
    (``JUDGE_UNAVAILABLE``), or no reply could be read (``JUDGE_UNPARSEABLE``).

Source:
    Kim, Jeon, Choi, Choi and Cho, "FLEX", sections 4.3 and 6.1; each judge's own document names
    its source.
"""

from __future__ import annotations

from sqlverdict.judge.judge import JUDGES
from sqlverdict.records import Score
from sqlverdict.score.metric import METRICS, Item, Need
from sqlverdict.score.metric_kinds import opinion_score

_DEFAULT = "flex"


@METRICS.member
class JudgeMetric:
    """The word of the judge in brackets on every pair that runs."""

    name = "judge"
    version = 1
    needs: frozenset[Need] = frozenset({"answers", "opinion_on_all"})
    binary = True

    @property
    def parameters(self) -> tuple[str, ...]:
        """The judges."""
        return (_DEFAULT, *(name for name in JUDGES.names() if name != _DEFAULT))

    def score(self, item: Item, parameter: str) -> Score:
        """1 where the judge says so, 0 where it denies it or the prediction fails."""
        labels = {f"{self.name}[{parameter}]", *((self.name,) if parameter == _DEFAULT else ())}
        return opinion_score(
            item.evidence(), lambda opinion: not labels.isdisjoint(opinion.metrics)
        )
