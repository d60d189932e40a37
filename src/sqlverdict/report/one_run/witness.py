"""The rows of a witness and what both queries return on them, in lines of text.

A row that begins with ``*`` is one on which only one of the two answers depends. Cells are written
as SQL does, cut, and with control characters spelt out.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import islice

from sqlverdict.evidence import Refuted
from sqlverdict.evidence_parts import AnswerExcerpt, ExcerptCell, ExcerptRow, TableExcerpt
from sqlverdict.files.text import count
from sqlverdict.report.one_run.answers import as_one_line, cut_line, sql_cell

_ROWS = 10
"""Rows of a table or an answer."""
_TABLES = 8
_BLOB = re.compile(r"x'(?:[0-9a-f]{2})*(?:'|…)")
"""How an excerpt holds a blob."""
_TELLING = "(*: only one of the answers depends on the row)"


def witness_lines(witness: Refuted) -> list[str]:
    """The tables of a witness, then both answers; empty where the log has no rows."""
    if not witness.rows:
        return []
    lines = [*_tables(witness.rows, witness.telling)]
    if any(line.startswith("*") for line in lines):
        lines.append(_TELLING)
    lines += _answer("the gold", witness.gold)
    lines += _answer("the prediction", witness.prediction)
    if witness.other is not None:
        lines += _answer("the prediction in another legal order", witness.other)
    return lines


def _tables(
    tables: Mapping[str, TableExcerpt], telling: Mapping[str, tuple[int, ...]]
) -> Iterator[str]:
    for name, content in islice(tables.items(), _TABLES):
        size = len(content.rows)
        yield f"table {as_one_line(name)}: {count(size, 'row') if size else 'no row'}"
        yield from _grid(content.columns, content.rows, size, telling.get(name, ()))
    if len(tables) > _TABLES:
        yield f"... and {count(len(tables) - _TABLES, 'more table')}"


def _answer(side: str, answer: AnswerExcerpt) -> Iterator[str]:
    if answer.failed is not None:
        yield f"{side} fails: {answer.failed}: {as_one_line(answer.message)}"
        return
    yield f"{side} returns {count(answer.count, 'row') if answer.count else 'no row'}"
    yield from _grid(answer.columns, answer.rows, answer.count)


def _grid(
    columns: Sequence[str], rows: Sequence[ExcerptRow], size: int, telling: Collection[int] = ()
) -> Iterator[str]:
    """The names of the columns and the first rows, one below the other."""
    if not rows or not columns:
        return
    cells = [[as_one_line(name) for name in columns], *([*map(_cell, row)] for row in rows[:_ROWS])]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    for number, row in enumerate(cells, -1):
        mark = "*" if number in telling else " "
        text = " | ".join(map(str.ljust, row, widths))
        yield cut_line(f"{mark} {text}".rstrip())
    if size > _ROWS:
        yield f"  ... and {count(size - _ROWS, 'more row')}"


def _cell(cell: ExcerptCell) -> str:
    is_blob = isinstance(cell, str) and _BLOB.fullmatch(cell)
    return cut_line(cell, 40) if is_blob and isinstance(cell, str) else sql_cell(cell)
