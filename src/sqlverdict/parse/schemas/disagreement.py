"""Where a schema that somebody gives is not the one that the database has.

What a ``tables.json`` leaves out is no disagreement: views, columns of a key beyond the first, and
all that it has no place for.
"""

from __future__ import annotations

from collections.abc import Iterator

from sqlverdict.parse.schema import Schema, Table, is_view
from sqlverdict.parse.tokens import fold

_OWN = "sqlite_"
"""How SQLite's own tables begin, which some files list."""


def disagreements(other: Schema, own: Schema) -> Iterator[str]:
    """Each difference in words, with the table that it is about.

    Args:
        other: The schema from elsewhere.
        own: The schema of the database.
    """
    for table in other.tables:
        theirs = own.table(table.name)
        if theirs is not None:
            yield from _of_table(table, theirs, other)
        elif not fold(table.name).startswith(_OWN):
            yield f"the database has no table {table.name}"
    for theirs in own.tables:
        if other.table(theirs.name) is None and not is_view(theirs):
            yield f"the table {theirs.name} is missing"


def _of_table(table: Table, theirs: Table, other: Schema) -> Iterator[str]:
    for column in table.columns:
        if theirs.column(column.name) is None:
            yield f"the database has no column {table.name}.{column.name}"
    for column in theirs.columns:
        if table.column(column.name) is None:
            yield f"the column {table.name}.{column.name} is missing"
    key, own_key = (frozenset(map(fold, each.primary_key)) for each in (table, theirs))
    if key != own_key and (other.whole_keys or not key <= own_key):
        yield f"the key of {table.name} is ({', '.join(theirs.primary_key) or 'none'})"
