"""EX: execution accuracy, whether the prediction's answer is the gold's under a preset.

Definition:
    value = 1 if compare(gold answer, predicted answer) under the preset is equal, else 0.
    With several golds one equal answer suffices. The preset stands in brackets: ``ex[bird]``
    compares sets of rows, ``ex[spider]`` bags under a column permutation; a bare ``ex`` is
    ``ex[strict]``. The score of a run is the mean over its scored cases.

    Hand calculation: of four cases one is equal, two are unequal and one gold fails. The values
    are 1, 0, 0 and unscored; EX = 1 / 3 = 0.333, not 1 / 4.

Range:
    {0, 1}

Direction:
    Higher is better.

Unscored cases:
    Every gold fails, the database is missing, or the preset says that the gold leaves the
    answer open (``TIE_UNDETERMINED``). A prediction that fails is scored: 0; so is an
    abstention or a reply without SQL, unless the gold fails, which leaves no answer scored.

Source:
    Spider's and BIRD's evaluation scripts for the presets named after them; equal answers on one
    database do not prove equal queries.
"""

from __future__ import annotations

from sqlverdict.compare.preset import DEFAULT_PRESET
from sqlverdict.records import Score
from sqlverdict.score.metric import METRICS, Item, Need
from sqlverdict.score.metric_kinds import preset_names


@METRICS.member
class Ex:
    """Execution accuracy."""

    name = "ex"
    version = 1
    needs: frozenset[Need] = frozenset({"answers"})
    binary = True

    @property
    def parameters(self) -> tuple[str, ...]:
        """The comparison presets."""
        return preset_names(DEFAULT_PRESET)

    def score(self, item: Item, parameter: str) -> Score:
        """1 for an equal answer, 0 for another one."""
        comparison = item.compare(parameter)
        value = None if comparison.equal is None else float(comparison.equal)
        return Score(value, comparison.reasons)
