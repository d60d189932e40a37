"""Spider 2.0's comparison as it was in 2024: as ``spider2``, but NULL is not 0.

Ignores
    What ``spider2`` ignores, except that NULL equals NULL alone.

Respects
    What ``spider2`` respects.

Quirks, kept on purpose
    Those of ``spider2``, with one difference: an instance with one gold ``<id>_a.csv`` and a flat
    list of columns never matches, not even the gold itself. Papers of 2024 and copies of
    the script in other projects (OmniSQL's) score so.

Source
    xlang-ai/Spider2, ``evaluate_utils.py`` at e12c5f1; equal on 837 of 837 reference verdicts.
"""

from __future__ import annotations

from sqlverdict.compare.preset import PRESETS, QueryPair
from sqlverdict.compare.spider2_rules import compare_columns
from sqlverdict.records import Answer, Comparison


@PRESETS.member
class Spider2Of2024:
    """See the module's docstring."""

    def prepare(self, gold: str, prediction: str) -> tuple[str, str]:
        """Both queries as they are."""
        return gold, prediction

    def compare(self, gold: Answer, prediction: Answer, pair: QueryPair) -> Comparison:
        """Whether the columns that count are among the prediction's."""
        return compare_columns(gold, prediction, pair, null_is_zero=False, takes_numbers=False)
