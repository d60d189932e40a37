"""BIRD mini-dev's EX: the two sets of rows are equal, as the driver gives their values.

Ignores
    Row order, duplicates, column names.

Respects
    Column order; Python's equality of driver values: ``Decimal('0.5')`` equals 0.5 and
    ``Decimal('1.10')`` differs from 1.1, a date differs from its text.

Quirks, kept on purpose
    On SQLite it is ``bird``. On PostgreSQL and MySQL the types decide: a prediction that casts to
    another type may fail with the same numbers. A row that holds an array or a JSON object cannot
    stand in a set: such answers are never equal.

Source
    bird-bench/mini_dev, ``evaluation_ex.py`` at 4d970a9. Not imitated: the script runs the
    prediction before the gold in one transaction, so that a prediction that writes may change
    what the gold sees. Its Soft-F1 is ``soft_f1_bird[bird_mini_dev]``, its R-VES
    ``r_ves[bird_mini_dev]``.
"""

from __future__ import annotations

from sqlverdict.compare.preset import PRESETS, QueryPair, column_reason, row_reasons
from sqlverdict.records import Answer, Comparison, Reason


@PRESETS.member
class BirdMiniDevPreset:
    """See the module's docstring."""

    driver_values = True

    def prepare(self, gold: str, prediction: str) -> tuple[str, str]:
        """Both queries as they are."""
        return gold, prediction

    def compare(self, gold: Answer, prediction: Answer, pair: QueryPair) -> Comparison:
        """Whether the two answers are the same set of rows."""
        del pair
        try:
            equal = set(gold.values) == set(prediction.values)
        except TypeError as error:
            return Comparison(False, (Reason.UNSUPPORTED_FEATURE,), message=str(error))
        if equal:
            return Comparison(True)
        wrong_width = column_reason(gold, prediction)
        if wrong_width is not None:
            return Comparison(False, (wrong_width,))
        return Comparison(False, row_reasons(gold, prediction))
