"""All that is printed about a witness: its sentences, its rows, and both answers on it.

``show``, ``report.md``, ``junit.xml``, ``str()`` of a result and ``refute --replay`` print it from
here; what a search of ``refute`` found is printed by ``cli/show_pair.py``, and ``report.html`` has
a script of its own, ``report/html/assets/evidence.js``. A row that begins with ``*`` is one on
which only one of the two answers depends. Cells are cut, and control characters are spelt out.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import islice

from sqlverdict.evidence import Refuted
from sqlverdict.evidence_parts import AnswerExcerpt, ExcerptCell, ExcerptRow, TableExcerpt
from sqlverdict.files.text import count
from sqlverdict.report.one_run.answers import as_one_line, cut_line, sql_cell

_GRADES = {
    "ordinary": "data like the real data",
    "ungraded": "there are no real data to compare with",
    "needs_tie": "rows tie",
    "needs_missing_partner": "a row has no partner in a join",
    "needs_null": "a value is NULL",
    "needs_empty_table": "a table is empty",
    "breaks_regularity": "unlike the real data",
}
"""How usual the data of a witness are, in words."""
_ROWS = 10
"""Rows of a table or an answer."""
_TABLES = 8
_BLOB = re.compile(r"x'(?:[0-9a-f]{2})*(?:'|…)")
"""How an excerpt holds a blob."""
_DECIDING = "(*: only one of the answers depends on the row)"


def witness_sentences(witness: Refuted, file: str = "") -> Iterator[str]:
    """How large and how usual a witness is, when the queries differ, and how to replay it.

    Args:
        witness: The witness.
        file: Where it is saved; empty: nowhere.
    """
    rows = count(witness.size, "row") if witness.size is not None else "? rows"
    grade = _GRADES.get(witness.grade, witness.grade)
    yield f"refuted by {rows} ({witness.grade}: {grade}): {witness.sentence}"
    if file:
        yield f"replay it: sqlverdict refute --replay {shlex.quote(file)}"
    for broken in witness.broken:
        yield f"the real data show otherwise: {broken}"


def witness_lines(witness: Refuted) -> list[str]:
    """The tables of a witness, then both answers; empty where the log has no rows."""
    if not witness.rows:
        return []
    lines = [*_tables(witness.rows, witness.deciding_rows)]
    if any(line.startswith("*") for line in lines):
        lines.append(_DECIDING)
    lines += _answer("the gold", witness.gold)
    lines += _answer("the prediction", witness.prediction)
    if witness.other is not None:
        lines += _answer("the prediction in another legal order", witness.other)
    return lines


def _tables(
    tables: Mapping[str, TableExcerpt], deciding_rows: Mapping[str, tuple[int, ...]]
) -> Iterator[str]:
    for name, content in islice(tables.items(), _TABLES):
        size = len(content.rows)
        yield f"table {as_one_line(name)}: {count(size, 'row') if size else 'no row'}"
        yield from _grid(content.columns, content.rows, size, deciding_rows.get(name, ()))
    if len(tables) > _TABLES:
        yield f"... and {count(len(tables) - _TABLES, 'more table')}"


def _answer(side: str, answer: AnswerExcerpt) -> Iterator[str]:
    if answer.failed is not None:
        yield f"{side} fails: {answer.failed}: {as_one_line(answer.message)}"
        return
    yield f"{side} returns {count(answer.count, 'row') if answer.count else 'no row'}"
    yield from _grid(answer.columns, answer.rows, answer.count)


def _grid(
    columns: Sequence[str],
    rows: Sequence[ExcerptRow],
    size: int,
    deciding_rows: Collection[int] = (),
) -> Iterator[str]:
    """The names of the columns and the first rows, one below the other."""
    if not rows or not columns:
        return
    cells = [[as_one_line(name) for name in columns], *([*map(_cell, row)] for row in rows[:_ROWS])]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    for number, row in enumerate(cells, -1):
        mark = "*" if number in deciding_rows else " "
        text = " | ".join(map(str.ljust, row, widths))
        yield cut_line(f"{mark} {text}".rstrip())
    if size > _ROWS:
        yield f"  ... and {count(size - _ROWS, 'more row')}"


def _cell(cell: ExcerptCell) -> str:
    is_blob = isinstance(cell, str) and _BLOB.fullmatch(cell)
    return cut_line(cell, 40) if is_blob and isinstance(cell, str) else sql_cell(cell)
