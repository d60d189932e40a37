"""The same rows in the same order, with the same types, column by column.

Ignores
    Column names.

Respects
    All else: row order, column order, duplicates, 4 against 4.0, every float digit.

Source
    Ours; for regression tests of one system against itself.
"""

from __future__ import annotations

from sqlverdict.compare.preset import PRESETS, QueryPair, column_reason, row_reasons
from sqlverdict.records import Answer, Comparison, Reason, Row


@PRESETS.member
class ExactPreset:
    """See the module's docstring."""

    def prepare(self, gold: str, prediction: str) -> tuple[str, str]:
        """Both queries as they are."""
        return gold, prediction

    def compare(self, gold: Answer, prediction: Answer, pair: QueryPair) -> Comparison:
        """Whether the two answers are identical."""
        del pair
        wrong_width = column_reason(gold, prediction)
        if wrong_width is not None:
            return Comparison(False, (wrong_width,))
        if gold.rows == prediction.rows:
            if _types(gold.rows) == _types(prediction.rows):
                return Comparison(True)
            return Comparison(False, (Reason.VALUE_MISMATCH,))
        if sorted(map(repr, gold.rows)) == sorted(map(repr, prediction.rows)):
            return Comparison(False, (Reason.ORDER_MISMATCH,))
        return Comparison(False, row_reasons(gold, prediction))


def _types(rows: list[Row]) -> list[tuple[type, ...]]:
    return [tuple(map(type, row)) for row in rows]
