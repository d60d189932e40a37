"""What columns mean, a line each: natural names, descriptions and values, as far as they tell.

A natural name that is the column's own name in other letters says nothing and is left out, and
so is a description that only repeats a name. Lines and their number are bounded.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from sqlverdict.llm.neutral import shorten
from sqlverdict.load.descriptions import Description, Descriptions

MOST_COLUMNS = 30
LONGEST_TEXT = 200
LONGEST_VALUES = 160

_NOT_LETTERS = re.compile(r"[\W_]+")


def column_lines(
    columns: Iterable[tuple[str, str]], known: Descriptions, most: int = MOST_COLUMNS
) -> tuple[str, ...]:
    """A line for each of these columns about which something is said.

    Args:
        columns: Tables and columns, the most important first.
        known: What is said about them.
        most: How many lines at most; the rest is counted.
    """
    lines: list[str] = []
    more = 0
    for table, column in dict.fromkeys(columns):
        description = known.of(table, column)
        text = _line(column, description) if description is not None else ""
        if text and len(lines) < most:
            lines.append(f"{table}.{column}: {text}")
        elif text:
            more += 1
    return (*lines, f"and {more} more described columns") if more else tuple(lines)


def _line(column: str, description: Description) -> str:
    known = {_letters(column)}
    parts = []
    for text, longest, before in (
        (description.name, LONGEST_TEXT, ""),
        (description.text, LONGEST_TEXT, ""),
        (description.values, LONGEST_VALUES, "values: "),
    ):
        if text and _letters(text) not in known:
            known.add(_letters(text))
            parts.append(before + shorten(text.rstrip(" .;"), longest))
    return "; ".join(parts)


def _letters(text: str) -> str:
    return _NOT_LETTERS.sub("", text).casefold()
