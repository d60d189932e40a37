"""Reads results that were recorded as text tables.

A row is ``| a | b |``, a row ``...`` stands for those left out, and the last line is the shape,
``shape=(rows, columns)``.
"""

from __future__ import annotations

import re

from sqlverdict.records import Answer, Cell, Row

_SHAPE = re.compile(r"shape=\((\d+), ?(\d+)\)")
_NOTHING = frozenset({"", "No execution result", "Empty execution result"})
_CUT = "..."


def read_table(text: str) -> tuple[Answer, bool]:
    """A recorded table, and whether it holds all that its shape says.

    Rows that do not fit the shape are left out; the table is then not whole.
    """
    if text.strip() in _NOTHING:
        return Answer((), []), True
    *lines, last = text.strip().split("\n")
    shape = _SHAPE.fullmatch(last.strip())
    if shape is None:
        return Answer((), []), False
    height, width = int(shape[1]), int(shape[2])
    read = [_row(line) for line in lines if line != _CUT]
    rows = [row for row in read if row is not None and len(row) == width]
    columns = tuple(f"column {number + 1}" for number in range(width))
    return Answer(columns, rows), len(rows) == len(lines) == height


def _row(line: str) -> Row | None:
    if not (line.startswith("| ") and line.endswith(" |")):
        return None
    return tuple(_cell(text) for text in line[2:-2].split(" | "))


def _cell(text: str) -> Cell:
    """A value as Python wrote it; text with a leading zero or sign of its own stays text."""
    if text == "None":
        return None
    for kind in (int, float):
        try:
            number = kind(text)
        except ValueError:
            continue
        if repr(number) == text and text not in ("nan", "inf", "-inf"):
            return number
    return text
