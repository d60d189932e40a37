"""Names of tables and columns as words of a sentence."""

from __future__ import annotations

import re

from sqlverdict.files.sqlite import quote_name
from sqlverdict.records import Answer, Outcome, Row
from sqlverdict.refute.trial.literals import cell_text

_ROWS = 3
"""How many rows a sentence shows."""


def row_phrase(table: str) -> str:
    """``row of orders``: what a row stands for is not known from the name of its table."""
    return f"row of {column(table)}"


def rows_phrase(table: str) -> str:
    """``rows of orders``."""
    return f"rows of {column(table)}"


def column(name: str) -> str:
    """A column as the schema writes it, in quotes where it is no plain word."""
    return name if re.fullmatch(r"\w+", name) else quote_name(name)


def witness_row_text(row: Row) -> str:
    """A row: its one value, or its values in parentheses."""
    cells = [cell_text(cell) for cell in row]
    return cells[0] if len(cells) == 1 else f"({', '.join(cells)})"


def outcome_text(outcome: Outcome) -> str:
    """What a query returned, in a few words."""
    if not isinstance(outcome, Answer):
        return f"nothing: it fails ({outcome.message})"
    if not outcome.rows:
        return "no row"
    rows = ", ".join(witness_row_text(row) for row in outcome.rows[:_ROWS])
    more = len(outcome.rows) - _ROWS
    return f"{rows} and {more} more" if more > 0 else rows
