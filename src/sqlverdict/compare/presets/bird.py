"""BIRD's comparison: the two sets of rows are equal.

Ignores
    Row order (even where the question asks for one), duplicates, column names.

Respects
    Column order, exact floats, types.

Quirks, kept on purpose
    ``SELECT name`` against ``SELECT DISTINCT name`` is equal; a wrong ORDER BY is equal; two
    columns swapped are different; a sum that differs in its last digit is different.

Source
    BIRD's evaluation script: ``set(predicted) == set(gold)``.
"""

from __future__ import annotations

from sqlverdict.compare.preset import PRESETS, QueryPair, column_reason, row_reasons
from sqlverdict.records import Answer, Comparison


@PRESETS.member
class BirdPreset:
    """See the module's docstring."""

    def prepare(self, gold: str, prediction: str) -> tuple[str, str]:
        """Both queries as they are."""
        return gold, prediction

    def compare(self, gold: Answer, prediction: Answer, pair: QueryPair) -> Comparison:
        """Whether the two answers are the same set of rows."""
        del pair
        if gold.rows == prediction.rows or set(gold.rows) == set(prediction.rows):
            return Comparison(True)
        wrong_width = column_reason(gold, prediction)
        if wrong_width is not None:
            return Comparison(False, (wrong_width,))
        return Comparison(False, row_reasons(gold, prediction))
