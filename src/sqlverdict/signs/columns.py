"""What the data of a column look like, from one scan of its table."""

from __future__ import annotations

from dataclasses import dataclass

from sqlverdict.parse.facts import affinity
from sqlverdict.parse.schema import ColumnRef
from sqlverdict.parse.schemas.column_types import column_values
from sqlverdict.signs.sign import Subject


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
    column = f"{subject.quoted(table)}.{subject.quoted(name)}"
    conditions = _conditions(subject, column_ref, column)
    if conditions is None:
        return None
    text, number, spells = conditions
    rows = subject.rows(
        f"SELECT COUNT(*), COUNT({column}), COUNT(CASE WHEN {text} THEN 1 END), "  # noqa: S608
        f"COUNT(CASE WHEN {number} THEN 1 END), COUNT(CASE WHEN {spells} THEN 1 END), "
        f"MIN(CASE WHEN {spells} THEN length({column}) END), "
        f"MAX(CASE WHEN {spells} THEN length({column}) END) FROM {subject.quoted(table)}"
    )
    if not rows:
        return None
    return ColumnFacts(*(cell if isinstance(cell, int) else 0 for cell in rows[0]))


def _conditions(
    subject: Subject, column_ref: ColumnRef, column: str
) -> tuple[str, str, str] | None:
    """When a value is a text, a number, and a text that spells one; ``None``: that is not known.

    Where a type decides what a column holds, all its values are of one kind.
    """
    record = subject.record
    if not record.spells_number:
        return None
    spells = record.spells_number.format(column)
    if not record.typed:
        text = f"typeof({column}) = 'text'"
        return text, f"typeof({column}) IN ('integer', 'real')", f"{text} AND {spells}"
    table = subject.schema.table(column_ref[0])
    declared = table.column(column_ref[1]) if table is not None else None
    if table is None or declared is None:
        return None
    if holds_text(subject, column_ref):
        return f"{column} IS NOT NULL", "1 = 0", spells
    values = column_values(table, declared, subject.query.dialect)
    is_number = values in ("integer", "real", "number")
    return "1 = 0", f"{column} IS NOT NULL" if is_number else "1 = 0", "1 = 0"


def holds_text(subject: Subject, column_ref: ColumnRef) -> bool:
    """Whether a column is declared for texts."""
    table = subject.schema.table(column_ref[0])
    column = table.column(column_ref[1]) if table is not None else None
    if table is None or column is None:
        return False
    if subject.record.typed:
        values = column_values(table, column, subject.query.dialect)
        return values in ("text", "collated") or (
            values == "other" and affinity(column.type) == "TEXT"
        )
    return affinity(column.type) == "TEXT"


def column_text(column_ref: ColumnRef) -> str:
    """A column as people write it."""
    return f"{column_ref[0]}.{column_ref[1]}"
