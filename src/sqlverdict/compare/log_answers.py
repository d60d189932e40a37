"""Cuts two answers and their difference to what a line of the run log holds."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from functools import lru_cache

from sqlverdict.compare.difference import (
    AnswerDifference,
    ColumnMap,
    answer_difference,
)
from sqlverdict.evidence_parts import (
    AnswerCell,
    AnswerRow,
    LoggedAnswers,
    LoggedChange,
    TypedCell,
)
from sqlverdict.records import Answer, Cell, ExactNumber, Outcome, Row

_ROWS = 10
"""Differing rows of each side."""
_SAME_ROWS = 5
"""Rows of answers that do not differ."""
_COLUMNS = 40
_TEXT = 200
"""Characters of a text."""
_BYTES = 64
_EXACT = 2**53
"""JSON readers have floats; from here on they lose integers."""


def log_answers(
    golds: Sequence[Outcome],
    prediction: Outcome,
    *,
    matched: bool,
    columns: Sequence[int | None] | None = None,
) -> LoggedAnswers | None:
    """What a line keeps of the answers; ``None`` where no gold gave one.

    Args:
        golds: What the golds gave. The one nearest to the prediction is meant.
        prediction: What the prediction gave.
        matched: Whether a comparison says that they are the same: the order does not count then.
        columns: Which columns belong together, where that is known.
    """
    answered = [(index, gold) for index, gold in enumerate(golds) if isinstance(gold, Answer)]
    if not answered:
        return None
    if not isinstance(prediction, Answer):
        index, gold = answered[0]
        return LoggedAnswers(
            answer_shape(gold),
            None,
            _names(tuple(gold.columns)),
            missing=_rows(gold.rows[:_ROWS]),
            missing_count=len(gold.rows),
            gold=index,
        )
    if len(answered) == 1:
        index, gold = answered[0]
        difference = _difference(gold, prediction, columns, matched)
    else:
        # The map of columns belongs to one of them.
        pairs = [
            (index, gold, _difference(gold, prediction, None, matched)) for index, gold in answered
        ]
        index, gold, difference = min(pairs, key=lambda pair: _size(pair[2]))
    return log_pair(gold, prediction, difference, matched=matched, index=index)


def _difference(
    gold: Answer, prediction: Answer, columns: Sequence[int | None] | None, matched: bool
) -> AnswerDifference | None:
    """``None``: both have the same rows, in the same order where it counts."""
    if gold.rows == prediction.rows or (matched and gold.bag == prediction.bag):
        return None
    return answer_difference(gold, prediction, _checked(columns, gold, prediction), _ROWS)


def _checked(
    columns: Sequence[int | None] | None, gold: Answer, prediction: Answer
) -> ColumnMap | None:
    """The map, where it is one: that of a relation may come from a plug-in."""
    if columns is None or len(columns) != len(gold.columns):
        return None
    used = [column for column in columns if column is not None]
    width = len(prediction.columns)
    fits = all(isinstance(column, int) and 0 <= column < width for column in used)
    return tuple(columns) if fits and len(set(used)) == len(used) and used else None


def _size(difference: AnswerDifference | None) -> int:
    if difference is None:
        return 0
    unpaired = difference.columns.count(None)
    rows = (difference.missing_count, difference.extra_count, difference.changed_count)
    return sum(rows) + unpaired


def log_pair(
    gold: Answer,
    prediction: Answer,
    difference: AnswerDifference | None,
    *,
    matched: bool = False,
    index: int = 0,
) -> LoggedAnswers:
    """What a line keeps of two answers.

    Args:
        gold: The gold's answer.
        prediction: The prediction's answer.
        difference: Their difference; ``None``: they are the same.
        matched: Whether a comparison says that they are the same.
        index: Which of several golds is meant, from 0.
    """
    shapes = answer_shape(gold), answer_shape(prediction)
    names = _names(tuple(gold.columns)), _names(tuple(prediction.columns))
    if difference is None:
        return LoggedAnswers(*shapes, *names, same=_rows(prediction.rows[:_SAME_ROWS]), gold=index)
    columns: ColumnMap | None = difference.columns[:_COLUMNS]
    if difference.columns == tuple(range(len(prediction.columns))):
        columns = None
    if difference.same_rows and (matched or not difference.order_only):
        same = _rows(prediction.rows[:_SAME_ROWS])
        return LoggedAnswers(*shapes, *names, columns, same=same, gold=index)
    return LoggedAnswers(
        *shapes,
        *names,
        columns,
        missing=_rows(difference.missing),
        extra=_rows(difference.extra),
        changed=tuple(
            LoggedChange(_row(change.gold), _row(change.prediction), change.cells)
            for change in difference.changed
        ),
        missing_count=difference.missing_count,
        extra_count=difference.extra_count,
        changed_count=difference.changed_count,
        order_only=difference.order_only,
        gold=index,
    )


def answer_shape(answer: Answer) -> tuple[int, int]:
    """How many rows and columns an answer has."""
    return len(answer.rows), len(answer.columns)


@lru_cache(maxsize=1_024)
def _names(columns: tuple[str, ...]) -> tuple[str, ...]:
    # Queries that differ in letter case and spacing alone share an answer, and its names.
    return tuple(" ".join(name.lower().split())[:_TEXT] for name in columns[:_COLUMNS])


def _rows(rows: Iterable[Row]) -> tuple[AnswerRow, ...]:
    return tuple(map(_row, rows))


def _row(row: Row) -> AnswerRow:
    return tuple(map(_cell, row[:_COLUMNS]))


def _cell(cell: Cell) -> AnswerCell:
    if isinstance(cell, str):
        return cell if len(cell) <= _TEXT else TypedCell("text", cell[:_TEXT], len(cell))
    if isinstance(cell, int):
        return cell if -_EXACT <= cell <= _EXACT else TypedCell("integer", str(cell))
    if isinstance(cell, ExactNumber):
        return TypedCell("decimal", cell.digits)
    if isinstance(cell, float):
        return cell if math.isfinite(cell) else TypedCell("real", str(cell))
    if cell is None:
        return None
    length = len(cell) if len(cell) > _BYTES else 0
    return TypedCell("blob", cell[:_BYTES].hex(), length)
