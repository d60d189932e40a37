"""What both queries of a case returned, as a line of the run log holds it."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct


class TypedCell(Struct, frozen=True, omit_defaults=True):
    """A cell that JSON cannot hold as it is, or of which a part is kept.

    Attributes:
        type: Its type in the database.
        text: The hexadecimal digits of a blob, the digits of an integer beyond 2^53, ``inf``,
            ``-inf`` or ``nan`` of a real, or the beginning of a text.
        length: The bytes of the blob or characters of the text, where only a part is kept.
    """

    type: Literal["blob", "integer", "real", "text"]
    text: str
    length: int = 0


AnswerCell = None | int | float | str | TypedCell
AnswerRow = tuple[AnswerCell, ...]


class LoggedChange(Struct, frozen=True):
    """A changed row: the gold's, the prediction's, and the gold's columns in which they differ."""

    gold: AnswerRow
    prediction: AnswerRow
    cells: tuple[int, ...]


class LoggedAnswers(Struct, frozen=True, omit_defaults=True):
    """What both queries returned on the real database, as far as a run log keeps it.

    Rows and names of columns stand in each answer's own order of columns; names are in lower case.

    Attributes:
        gold_shape: Rows and columns of the gold's answer.
        prediction_shape: Those of the prediction's; ``None``: it gave no answer.
        gold_columns: The names of the gold's columns.
        prediction_columns: Those of the prediction's.
        columns: The prediction's column that stands for each of the gold's, ``None`` where none
            does; the whole is ``None`` where each stands for the one at its place.
        same: The first rows of the prediction, where both answers have the same rows.
        missing: Rows of the gold that the prediction lacks; its first rows where there is no
            prediction's answer.
        extra: Rows of the prediction that the gold lacks.
        changed: Rows that differ in some cells; where only the order differs, what stands where.
        missing_count: How many rows are missing.
        extra_count: How many rows are extra.
        changed_count: How many rows are changed, or stand elsewhere.
        order_only: Both have the same rows, in another order.
        gold: Which of several golds is meant, from 0.
    """

    gold_shape: tuple[int, int]
    prediction_shape: tuple[int, int] | None
    gold_columns: tuple[str, ...] = ()
    prediction_columns: tuple[str, ...] = ()
    columns: tuple[int | None, ...] | None = None
    same: tuple[AnswerRow, ...] = ()
    missing: tuple[AnswerRow, ...] = ()
    extra: tuple[AnswerRow, ...] = ()
    changed: tuple[LoggedChange, ...] = ()
    missing_count: int = 0
    extra_count: int = 0
    changed_count: int = 0
    order_only: bool = False
    gold: int = 0
