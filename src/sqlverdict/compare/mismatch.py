"""Reason codes for two answers that differ."""

from __future__ import annotations

from sqlverdict.records import Answer, Reason, Row


def column_reason(gold: Answer, prediction: Answer) -> Reason | None:
    """Too many or too few columns, if so."""
    surplus = len(prediction.columns) - len(gold.columns)
    if surplus == 0:
        return None
    return Reason.RESULT_EXTRA_COLUMNS if surplus > 0 else Reason.RESULT_MISSING_COLUMNS


def row_reasons(gold: Answer, prediction: Answer) -> tuple[Reason, ...]:
    """What is wrong with rows that are not the same bag."""
    if gold.rows and not prediction.rows:
        return (Reason.EMPTY_RESULT,)
    expected, predicted = gold.bag, prediction.bag
    if expected.keys() == predicted.keys():
        return (Reason.DUPLICATES_MISMATCH,)
    surplus = len(prediction.rows) - len(gold.rows)
    if surplus < 0 and _holds(expected, predicted):
        return (Reason.RESULT_MISSING_ROWS,)
    if surplus > 0 and _holds(predicted, expected):
        return (Reason.RESULT_EXTRA_ROWS,)
    if surplus == 0:
        return (Reason.VALUE_MISMATCH,)
    count = Reason.RESULT_EXTRA_ROWS if surplus > 0 else Reason.RESULT_MISSING_ROWS
    return (Reason.VALUE_MISMATCH, count)


def _holds(larger: dict[Row, int], smaller: dict[Row, int]) -> bool:
    """Whether one bag contains the other."""
    return smaller.keys() <= larger.keys() and all(
        times <= larger[row] for row, times in smaller.items()
    )
