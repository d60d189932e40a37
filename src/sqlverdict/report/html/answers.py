"""What both queries returned on the real database: rows side by side, with what differs marked."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Literal

from msgspec import Struct

from sqlverdict.files.text import count
from sqlverdict.logged_answers import AnswerCell, LoggedAnswers, LoggedChange, TypedCell

PageCell = str | None
"""A cell as text behind a letter: ``n`` a number, ``t`` a text, ``b`` a blob; ``None``: NULL. A
browser reads numbers of JSON as floats, which would make 2**53 + 1 equal to 2**53."""

PageRow = tuple[PageCell, ...]
RowState = Literal["same", "changed", "missing", "extra"]


class AlignedRow(Struct, frozen=True, omit_defaults=True):
    """A row of either answer or of both; ``changed`` are the columns that differ, on each side."""

    state: RowState
    gold: PageRow | None = None
    prediction: PageRow | None = None
    gold_changed: tuple[int, ...] = ()
    prediction_changed: tuple[int, ...] = ()


class PageAnswers(Struct, frozen=True, omit_defaults=True):
    """Both answers, as far as the run log keeps them.

    Attributes:
        gold_columns: The names of the gold's columns.
        prediction_columns: Those of the prediction's; ``None``: it gave no answer.
        gold_count: How many rows the gold returns.
        prediction_count: How many the prediction returns.
        rows: Their rows, aligned.
        notes: What is not shown, and what to know about the order, in words.
        gold: Which of several golds is meant, from 0.
    """

    gold_columns: tuple[str, ...]
    prediction_columns: tuple[str, ...] | None
    gold_count: int
    prediction_count: int
    rows: tuple[AlignedRow, ...]
    notes: tuple[str, ...] = ()
    gold: int = 0


def page_answers(answers: LoggedAnswers) -> PageAnswers:
    """Both answers of a case for the page, columns that belong together in one order."""
    prediction = answers.prediction_shape
    order = _column_order(answers)
    columns = tuple(answers.prediction_columns[at] for at in order)
    return PageAnswers(
        gold_columns=answers.gold_columns,
        prediction_columns=None if prediction is None else columns,
        gold_count=answers.gold_shape[0],
        prediction_count=0 if prediction is None else prediction[0],
        rows=tuple(_rows(answers, order)),
        notes=tuple(_notes(answers, order)),
        gold=answers.gold,
    )


def _column_order(answers: LoggedAnswers) -> Sequence[int]:
    """The prediction's columns: first those that stand for the gold's, in the gold's order."""
    own = range(len(answers.prediction_columns))
    matched = [at for at in answers.columns or () if at in own]
    return list(dict.fromkeys([*matched, *own]))


def _rows(answers: LoggedAnswers, order: Sequence[int]) -> Iterator[AlignedRow]:
    for row in answers.same:
        # The log keeps the prediction's row; the gold's has the same cells, in its own order.
        cells = page_row(row)
        yield AlignedRow("same", _in_order_of_gold(cells, answers), _ordered(cells, order))
    for change in answers.changed:
        yield _changed(change, answers, order)
    for row in answers.missing:
        yield AlignedRow("missing", gold=page_row(row))
    for row in answers.extra:
        yield AlignedRow("extra", prediction=_ordered(page_row(row), order))


def _ordered(cells: PageRow, order: Sequence[int]) -> PageRow:
    return tuple(cells[at] for at in order if at < len(cells))


def _in_order_of_gold(cells: PageRow, answers: LoggedAnswers) -> PageRow:
    if answers.columns is None:
        return cells
    return tuple(
        cells[at] if at is not None and at < len(cells) else None for at in answers.columns
    )


def _changed(change: LoggedChange, answers: LoggedAnswers, order: Sequence[int]) -> AlignedRow:
    columns = answers.columns
    there = [
        at if columns is None else columns[at] if at < len(columns) else None for at in change.cells
    ]
    return AlignedRow(
        "changed",
        page_row(change.gold),
        _ordered(page_row(change.prediction), order),
        change.cells,
        tuple(order.index(at) for at in there if at in order),
    )


def _notes(answers: LoggedAnswers, order: Sequence[int]) -> Iterator[str]:
    if list(order) != sorted(order):
        yield "The prediction's columns are shown in the order of the matching gold columns."
    if answers.order_only:
        yield "The rows are the same, in another order."
    hidden = [
        f"{number - logged:,} more {kind}"
        for kind, number, logged in (
            ("changed", answers.changed_count, len(answers.changed)),
            ("missing", answers.missing_count, len(answers.missing)),
            ("extra", answers.extra_count, len(answers.extra)),
        )
        if number > logged
    ]
    both = answers.gold_shape[0] - answers.missing_count - answers.changed_count
    both -= len(answers.same)
    if answers.prediction_shape is not None and not answers.order_only and both > 0:
        hidden.append(f"{count(both, 'row')} in both")
    if hidden:
        yield f"Not shown: {', '.join(hidden)}."


def page_row(row: Iterable[AnswerCell]) -> PageRow:
    """The cells of a row for the page."""
    return tuple(map(_cell, row))


def _cell(cell: AnswerCell) -> PageCell:
    match cell:
        case None:
            return None
        case str():
            return f"t{cell}"
        case TypedCell(type="text"):
            return f"t{cell.text}… ({cell.length:,} characters)"
        case TypedCell(type="blob"):
            size = f" ({cell.length:,} bytes)" if cell.length else ""
            return f"bx'{cell.text}'{size}"
        case TypedCell():
            return f"n{cell.text}"
    return f"n{cell!r}"
