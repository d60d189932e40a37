"""Spider 2.0's comparison: every gold column that counts is a column of the prediction.

Ignores
    Column names and order; further columns; row order; which values stand in one row; numbers
    that differ by at most 0.01; the difference between NULL and the number 0, between True and 1.

Respects
    The number of rows; duplicates; the letter case of texts. The columns that count are those of
    the contract's ``key_columns`` (``condition_cols``); without them, all.

Quirks, kept on purpose
    Both answers are read as pandas reads CSV: the text ``NA`` is no value, a column of digits is a
    column of numbers. Columns are matched one by one, so scrambled rows pass, and one column of
    the prediction may stand for several of the gold. Values are sorted as texts before numbers
    are compared: 9.999 and 10.001 sort apart, and noise below 0.01 may fail. Where an instance
    has one gold ``<id>_a.csv`` and a flat list of columns, the list is read as one entry a gold:
    its first number is the one column that counts, and 0 means all. A gold beyond the end of the
    list of lists is never matched, nor is one that lacks a column that counts.

Source
    xlang-ai/Spider2, ``evaluate.py`` at e12c5f1; equal on 837 of 837 reference verdicts.
"""

from __future__ import annotations

from sqlverdict.compare.preset import PRESETS, QueryPair
from sqlverdict.compare.spider2_rules import compare_columns
from sqlverdict.records import Answer, Comparison


@PRESETS.member
class Spider2:
    """See the module's docstring."""

    def prepare(self, gold: str, prediction: str) -> tuple[str, str]:
        """Both queries as they are."""
        return gold, prediction

    def compare(self, gold: Answer, prediction: Answer, pair: QueryPair) -> Comparison:
        """Whether the columns that count are among the prediction's."""
        return compare_columns(gold, prediction, pair, null_is_zero=True, takes_numbers=True)
