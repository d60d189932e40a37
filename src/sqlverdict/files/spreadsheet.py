"""Texts in cells of a spreadsheet: what would be a formula there gets an apostrophe."""

from __future__ import annotations

import re

_FORMULA = re.compile(r"'*[=+\-@\t\r]")
"""A text that a spreadsheet takes for a formula, however many apostrophes stand before it."""


def spreadsheet_cell(value: object) -> object:
    """A value as a cell; a text that would be a formula gets an apostrophe."""
    return f"'{value}" if isinstance(value, str) and _FORMULA.match(value) else value


def spreadsheet_text(cell: object) -> object:
    """What stood in a cell before the apostrophe of :func:`spreadsheet_cell`."""
    quoted = isinstance(cell, str) and cell.startswith("'") and _FORMULA.match(cell)
    return cell[1:] if isinstance(cell, str) and quoted else cell
