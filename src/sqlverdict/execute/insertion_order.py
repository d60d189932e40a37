"""The order in which rows of an instance can be inserted: parents before children."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from sqlverdict.errors import DatabaseError
from sqlverdict.parse.schema import Table
from sqlverdict.parse.tokens import fold
from sqlverdict.records import Row


def is_view(table: Table) -> bool:
    """Whether a table of a schema is a view."""
    return (table.sql or "").lstrip()[:12].upper().startswith("CREATE VIEW")


def parents_first(tables: Iterable[Table]) -> list[Table]:
    """Tables after those that they refer to.

    Raises:
        DatabaseError: they refer to each other, so that no row could be the first.
    """
    ordered: list[Table] = []
    waiting = list(tables)
    while waiting:
        names = {fold(table.name) for table in waiting}
        ready = [
            table
            for table in waiting
            if all(
                fold(key.parent) not in names or fold(key.parent) == fold(table.name)
                for key in table.foreign_keys
            )
        ]
        if not ready:
            circle = ", ".join(table.name for table in waiting)
            raise DatabaseError(
                f"no instances are made of tables that refer to each other: {circle}"
            )
        ordered += ready
        waiting = [table for table in waiting if table not in ready]
    return ordered


def generations(table: Table, rows: Sequence[Row]) -> Iterator[Sequence[Row]]:
    """The rows in groups, each after those rows of the same table that it refers to.

    DuckDB checks a foreign key before it adds the rows of a statement. A row that refers to itself
    can therefore not be added there at all; it comes with the last group.
    """
    at = {fold(column.name): index for index, column in enumerate(table.columns)}
    keys = [
        ([at[fold(c)] for c in key.columns], [at[fold(c)] for c in key.parent_columns])
        for key in table.foreign_keys
        if fold(key.parent) == fold(table.name)
    ]
    earlier: list[Row] = []
    waiting = list(rows)
    while waiting:
        ready = [
            row
            for row in waiting
            if all(
                None in (child := [row[index] for index in columns])
                or any(child == [other[index] for index in parents] for other in earlier)
                for columns, parents in keys
            )
        ]
        yield ready or waiting
        waiting = [row for row in waiting if row not in ready] if ready else []
        earlier += ready
