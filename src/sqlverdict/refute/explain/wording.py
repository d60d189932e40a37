"""Names of tables and columns as words of a sentence."""

from __future__ import annotations

import re

from sqlverdict.files.inflect import regular_plural, regular_singular
from sqlverdict.files.sqlite import quote_name
from sqlverdict.records import Answer, Outcome, Row
from sqlverdict.refute.trial.literals import cell_text

_PARTS = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|\d+")
_ROWS = 3
"""How many rows a sentence shows."""
_SAME = frozenset({"series", "species", "news", "status", "address", "class", "business", "data"})


def noun(table: str) -> str:
    """A row of a table: ``Player_Attributes`` is a "player attribute"."""
    words = _words(table)
    return " ".join([*words[:-1], _singular(words[-1])])


def nouns(table: str) -> str:
    """Rows of a table."""
    words = _words(table)
    return " ".join([*words[:-1], _plural(_singular(words[-1]))])


def one(table: str) -> str:
    """A row of a table, with its article."""
    word = noun(table)
    return f"an {word}" if word[0] in "aeio" else f"a {word}"


def column(name: str) -> str:
    """A column as the schema writes it, in quotes where it is no plain word."""
    return name if re.fullmatch(r"\w+", name) else quote_name(name)


def _words(name: str) -> list[str]:
    words = [word.lower() for word in _PARTS.findall(name)]
    return words if words and all(word.isascii() for word in words) else [f'row of "{name}"']


def _singular(word: str) -> str:
    return word if word in _SAME or word.endswith("is") else regular_singular(word)


def _plural(word: str) -> str:
    return word if word in _SAME or not word.isalpha() else regular_plural(word)


def row_text(row: Row) -> str:
    """A row: its one value, or its values in parentheses."""
    cells = [cell_text(cell) for cell in row]
    return cells[0] if len(cells) == 1 else f"({', '.join(cells)})"


def outcome_text(outcome: Outcome) -> str:
    """What a query returned, in a few words."""
    if not isinstance(outcome, Answer):
        return f"nothing: it fails ({outcome.message})"
    if not outcome.rows:
        return "no row"
    rows = ", ".join(row_text(row) for row in outcome.rows[:_ROWS])
    more = len(outcome.rows) - _ROWS
    return f"{rows} and {more} more" if more > 0 else rows
