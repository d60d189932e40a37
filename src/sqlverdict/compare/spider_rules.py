"""What the Spider-like presets share: the script's repairs and its test of denotations."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import chain

from sqlverdict.compare.columns import SearchExhausted, match_columns
from sqlverdict.compare.preset import QueryPair, column_reason, row_reasons
from sqlverdict.records import Answer, Comparison, Reason, Row

_YEAR = re.compile(r"YEAR\s*\(\s*CURDATE\s*\(\s*\)\s*\)\s*", re.IGNORECASE)


def prepare_sql(sql: str) -> str:
    """The script's repairs: operators split by a blank, and the current year."""
    if " =" in sql:
        sql = sql.replace("> =", ">=").replace("< =", "<=").replace("! =", "!=")
    return _YEAR.sub("2020", sql) if "URDATE" in sql.upper() else sql


def same_denotation(gold: Answer, prediction: Answer, pair: QueryPair) -> Comparison:
    """Whether some order of the columns makes both the same bag (or list) of rows."""
    rows, predicted = gold.rows, prediction.rows
    if not rows and not predicted:
        return Comparison(True)
    if len(rows) != len(predicted):
        return Comparison(False, row_reasons(gold, prediction))
    wrong_width = column_reason(gold, prediction)
    if wrong_width is not None:
        return Comparison(False, (wrong_width,))
    ordered = "order by" in pair.gold_sql.lower()
    if rows == predicted:
        return Comparison(True, columns=tuple(range(len(gold.columns))))
    if _told_apart_by_text(rows, predicted, ordered):
        return Comparison(False, (Reason.VALUE_MISMATCH,))
    try:
        columns = match_columns(rows, predicted, range(len(rows)) if ordered else None)
    except SearchExhausted as stopped:
        return Comparison(None, (Reason.BUDGET_EXHAUSTED,), message=str(stopped))
    if columns is not None:
        return Comparison(True, columns=columns)
    if ordered and match_columns(rows, predicted) is not None:
        return Comparison(False, (Reason.ORDER_MISMATCH,))
    return Comparison(False, row_reasons(gold, prediction))


def _told_apart_by_text(gold: Sequence[Row], prediction: Sequence[Row], ordered: bool) -> bool:
    """The script's quick rejection, which matters only where 1 meets 1.0.

    It sorts each row's cells by their text and type before comparing rows, so equal numbers
    of two types may sort to different places.
    """
    if float not in set(map(type, chain(*gold, *prediction))):
        return False
    left, right = list(map(_sorted_cells, gold)), list(map(_sorted_cells, prediction))
    return left != right if ordered else set(left) != set(right)


def _sorted_cells(row: Row) -> Row:
    return tuple(sorted(row, key=lambda cell: str(cell) + str(type(cell))))
