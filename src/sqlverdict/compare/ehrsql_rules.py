"""What the presets of EHRSQL and TrustSQL share: how their scripts change texts, and read rows."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from sqlverdict.parse.ehrsql import VITAL_RANGES
from sqlverdict.records import Cell, Row

_LOWER = re.compile(r"[ \n]([a-zA-Z0-9_]+)_lower")
_UPPER = re.compile(r"[ \n]([a-zA-Z0-9_]+)_upper")


def fill_in_range(sql: str) -> str:
    """The query with the range of one vital sign put in; the scripts know the first name alone.

    Both bounds must be there, for the same sign; the texts are replaced wherever they stand.
    """
    lower, upper = _LOWER.search(sql), _UPPER.search(sql)
    if lower is None or upper is None or lower[1] != upper[1] or lower[1] not in VITAL_RANGES:
        return sql
    least, most = VITAL_RANGES[lower[1]]
    return sql.replace(f"{lower[1]}_lower", str(least)).replace(f"{upper[1]}_upper", str(most))


def fix_formats(sql: str) -> str:
    """SQLite's ``%Y`` and ``%J`` for the lower-case letters of models."""
    return sql.replace("%y", "%Y").replace("%j", "%J")


_BLANKS = re.compile("[ \n]+")


def repair(sql: str) -> str:
    """Operators split by a blank joined, line ends and runs of blanks made one blank."""
    sql = _BLANKS.sub(" ", sql).strip()
    return sql.replace("> =", ">=").replace("< =", "<=").replace("! =", "!=")


_COMPARED = 100
"""Rows that the scripts of 2024 look at."""


def sorted_texts(rows: Sequence[Row], words: Mapping[Cell, Cell] | None = None) -> list[list[str]]:
    """The first sorted rows as texts: what reads as a number as a float of three decimals.

    ``words`` are cells that stand for others.
    """
    stands_for = words or {}
    texts = ([_text(stands_for.get(cell, cell)) for cell in row] for row in rows)
    return sorted(texts)[:_COMPARED]


def _text(cell: Cell) -> str:
    if cell is None:
        return "None"
    try:
        return str(round(float(cell), 3))
    except (ValueError, OverflowError):
        return str(cell)
