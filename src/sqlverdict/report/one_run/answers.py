"""What both queries returned on the database, in lines of text.

A line starts with ``-`` for a row of the gold alone, ``+`` for one of the prediction alone, ``~``
for a row with other cells, and a blank for a row of both. Cells are written as SQL does.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from sqlverdict.evidence_parts import (
    AnswerCell,
    AnswerRow,
    LoggedAnswers,
    LoggedChange,
    TypedCell,
)
from sqlverdict.files.escapes import escaped
from sqlverdict.files.text import count

_CELL = 40
"""Characters of a cell."""
_LINE = 200
_ARROW = " -> "


def answer_lines(answers: LoggedAnswers | None) -> list[str]:
    """The shapes, the columns and the rows that differ; the first rows where none does."""
    return [] if answers is None else list(_lines(answers))


def sql_cell(cell: AnswerCell) -> str:
    """A cell as SQL writes it, in one line and cut."""
    match cell:
        case None:
            return "NULL"
        case str():
            return _quoted(cell)
        case TypedCell(type="text"):
            return f"{_quoted(cell.text)} ({cell.length:,} characters)"
        case TypedCell(type="blob"):
            bytes_ = f" ({cell.length:,} bytes)" if cell.length else ""
            return f"x'{cut_line(cell.text, _CELL)}'{bytes_}"
        case TypedCell():
            return cell.text
    return str(cell)


def _lines(answers: LoggedAnswers) -> Iterator[str]:
    yield _side("gold", answers.gold_shape, answers.gold_columns, answers.gold)
    if answers.prediction_shape is None:
        yield "the prediction gave no answer"
    else:
        yield _side("prediction", answers.prediction_shape, answers.prediction_columns)
    if answers.same:
        # Those of the prediction, for its columns are named last.
        yield from (f"  {_row(row)}" for row in answers.same)
        return
    if answers.order_only:
        yield f"the same rows in another order; {count(answers.changed_count, 'row')} elsewhere:"
    yield from (f"~ {_change(change, answers)}" for change in answers.changed)
    yield from (f"- {_row(row)}" for row in answers.missing)
    yield from (f"+ {_row(row)}" for row in answers.extra)
    yield from _rest(answers)


def _side(side: str, shape: tuple[int, int], columns: Sequence[str], index: int = 0) -> str:
    rows, width = shape
    which = f" {index + 1}" if index else ""
    names = cut_line(", ".join(map(as_one_line, columns)))
    more = f" ... ({width} columns)" if width > len(columns) else ""
    return f"{side}{which} ({count(rows, 'row')}): {names}{more}"


def _row(row: AnswerRow) -> str:
    return cut_line(" | ".join(map(sql_cell, row)))


def _change(change: LoggedChange, answers: LoggedAnswers) -> str:
    """The gold's row, with what the prediction has instead."""
    columns = answers.columns
    cells = []
    for index, cell in enumerate(change.gold):
        text = sql_cell(cell)
        other = index if columns is None else columns[index] if index < len(columns) else None
        if index in change.cells and other is not None and other < len(change.prediction):
            text += _ARROW + sql_cell(change.prediction[other])
        cells.append(text)
    return cut_line(" | ".join(cells), 2 * _LINE)


def _rest(answers: LoggedAnswers) -> Iterator[str]:
    """How many rows are not shown, and how many both have."""
    counts = (
        ("changed", answers.changed_count, len(answers.changed)),
        ("missing", answers.missing_count, len(answers.missing)),
        ("extra", answers.extra_count, len(answers.extra)),
    )
    more = [
        f"{number - printed:,} more {kind}" for kind, number, printed in counts if number > printed
    ]
    if answers.prediction_shape is not None and not answers.order_only:
        both = answers.gold_shape[0] - answers.missing_count - answers.changed_count
        if both > 0:
            more.append(f"{count(both, 'row')} the same")
    if more:
        yield ", ".join(more)


def _quoted(text: str) -> str:
    return "'" + cut_line(as_one_line(text).replace("'", "''"), _CELL) + "'"


def as_one_line(text: str) -> str:
    """Text on one line with every blank of it: two texts may differ in blanks alone."""
    return escaped(text.replace("\t", "\\t").replace("\n", "\\n"))


def cut_line(text: str, width: int = _LINE) -> str:
    """The beginning of a text."""
    return text if len(text) <= width else text[: width - 1] + "…"
