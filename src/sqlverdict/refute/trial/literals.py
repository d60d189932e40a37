"""Values as people read them."""

from __future__ import annotations

from sqlverdict.files.sqlite import quote_text
from sqlverdict.records import Cell

_LONG = 60
"""Longer texts are cut in messages."""


def cell_text(cell: Cell) -> str:
    """A value for people: NULL, numbers as they are, text in quotes, long ones cut."""
    if cell is None:
        return "NULL"
    if isinstance(cell, bytes):
        text = f"x'{cell.hex()}'"
    elif isinstance(cell, str):
        text = quote_text(cell)
    else:
        return str(cell)
    return text if len(text) <= _LONG else text[: _LONG - 1] + "…"
