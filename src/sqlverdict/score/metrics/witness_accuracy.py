"""Witness accuracy: equal on the real database, and no database was found where it differs.

Definition:
    value = 1 if EX under the preset is 1 and there is a proof, or a search for a witness found
    none, else 0. A witness is a small database that obeys the schema and on which gold and
    prediction give different answers, or the prediction leaves open what the gold decides; one
    refutes an equality that was luck, and an answer that only fits a tie of the gold. A pair
    that is proved (see ``proved``) has no witness, and none is sought. The preset stands in
    brackets; a bare ``witness_accuracy`` is ``witness_accuracy[strict]``. The search itself
    compares as the run's search does. The score of a run is the mean over its scored cases; it
    is at most EX over the same cases.

    Hand calculation: of five cases four are equal on the real database; for one of these four a
    witness is found, for two none is found on 160 databases each, and one is proved. The fifth
    is unequal. The values are 0, 1, 1, 1 and 0: 3 / 5 = 0.6, where EX = 4 / 5 = 0.8.

Range:
    {0, 1}

Direction:
    Higher is better.

Unscored cases:
    Those that EX leaves unscored: every gold fails, the database is missing, or the preset says
    that the gold leaves the answer open and no witness was found. A case that is equal on the
    real database, is not proved and for which no search could be made (a query beyond our
    parser, the clock in it) is unscored with the search's reason: nothing was tried. A
    prediction that fails is scored: 0. "Not refuted" is no proof: a larger budget may lower the
    score, never raise it.

Source:
    This project. The idea of holding matches against further databases is that of test-suite
    accuracy (Zhong, Yu and Klein, EMNLP 2020); here the databases are made for each pair.
"""

from __future__ import annotations

from sqlverdict.compare.preset import DEFAULT_PRESET
from sqlverdict.records import Reason, Score
from sqlverdict.score.metric import METRICS, Item, Need
from sqlverdict.score.metric_kinds import preset_names


@METRICS.member
class WitnessAccuracy:
    """Execution accuracy that no witness takes back."""

    name = "witness_accuracy"
    version = 3
    needs: frozenset[Need] = frozenset({"answers", "proof", "witness"})
    binary = True

    @property
    def parameters(self) -> tuple[str, ...]:
        """The comparison presets."""
        return preset_names(DEFAULT_PRESET)

    def score(self, item: Item, parameter: str) -> Score:
        """1 for an equal answer that was not refuted, 0 for an unequal or a refuted one."""
        comparison = item.compare(parameter)
        if comparison.equal is None:
            tied = Reason.TIE_UNDETERMINED in comparison.reasons
            refutation = item.refute() if tied and not item.prove().proved else None
            if refutation is not None and refutation.refuted:
                return Score(0.0, refutation.reasons)
            return Score(None, comparison.reasons)
        if not comparison.equal:
            return Score(0.0, comparison.reasons)
        if item.prove().proved:
            return Score(1.0)
        refutation = item.refute()
        if refutation.refuted:
            return Score(0.0, refutation.reasons)
        return (
            Score(None, refutation.reasons)
            if refutation.reasons and not refutation.instances_tried
            else Score(1.0)
        )
