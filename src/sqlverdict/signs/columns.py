"""What the data of a column look like, from one scan of its table."""

from __future__ import annotations

from dataclasses import dataclass

from sqlverdict.files.sqlite import quote_name
from sqlverdict.signs.sign import Subject

ColumnRef = tuple[str, str]


@dataclass(frozen=True)
class ColumnFacts:
    """What one scan says about a column.

    Attributes:
        rows: Rows of the table.
        values: Values that are not NULL.
        texts: Values stored as text.
        numbers: Values stored as integer or real.
        numeric_texts: Texts that spell a number, such as ``'12.5'``.
        shortest: The fewest characters of such a text.
        longest: The most.
    """

    rows: int
    values: int
    texts: int
    numbers: int
    numeric_texts: int
    shortest: int
    longest: int


def facts_of_column(subject: Subject, column_ref: ColumnRef) -> ColumnFacts | None:
    """The facts of a base column; ``None`` where the engine does not say."""
    table, name = column_ref
    column = f"{quote_name(table)}.{quote_name(name)}"
    text = f"typeof({column}) = 'text'"
    bare = f"ltrim({column}, '+-')"
    spells = f"({text} AND {bare} GLOB '[0-9]*' AND {bare} NOT GLOB '*[^0-9.]*')"
    rows = subject.rows(
        f"SELECT COUNT(*), COUNT({column}), SUM({text}), "  # noqa: S608 (quoted)
        f"SUM(typeof({column}) IN ('integer', 'real')), SUM({spells}), "
        f"MIN(CASE WHEN {spells} THEN length({column}) END), "
        f"MAX(CASE WHEN {spells} THEN length({column}) END) FROM {quote_name(table)}"
    )
    if not rows:
        return None
    return ColumnFacts(*(cell if isinstance(cell, int) else 0 for cell in rows[0]))


def column_text(column_ref: ColumnRef) -> str:
    """A column as people write it."""
    return f"{column_ref[0]}.{column_ref[1]}"
