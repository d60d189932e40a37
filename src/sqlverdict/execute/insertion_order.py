"""What comes first in an instance: parents before their children, tables before views."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

from sqlverdict.files.sqlite import quote_name
from sqlverdict.parse.schema import ForeignKey, Table
from sqlverdict.parse.tokens import fold
from sqlverdict.records import Cell, Row


def insertion_order(
    tables: Iterable[Table],
) -> tuple[list[Table], list[tuple[Table, ForeignKey]]]:
    """Tables after those that they refer to; of a circle, the first table comes first.

    Returns:
        The tables, and the foreign keys, with their tables, that point to one further behind.
    """
    ordered: list[Table] = []
    circular: list[tuple[Table, ForeignKey]] = []
    waiting = list(tables)
    while waiting:
        names = {fold(table.name) for table in waiting}
        ready = [table for table in waiting if not any(_behind(table, names))]
        if not ready:
            ready = waiting[:1]
            circular += [(ready[0], key) for key in _behind(ready[0], names)]
        ordered += ready
        waiting = [table for table in waiting if table not in ready]
    return ordered, circular


def _behind(table: Table, names: set[str]) -> Iterator[ForeignKey]:
    """The foreign keys of a table that point to others of these names."""
    for key in table.foreign_keys:
        if fold(key.parent) in names and fold(key.parent) != fold(table.name):
            yield key


def unmade_views(
    views: Iterable[Table], make: Callable[[Table], object], errors: type[Exception]
) -> list[tuple[Table, Exception]]:
    """Make views, each after those that it reads; those that cannot be made, and why not.

    Args:
        views: The views, in any order.
        make: Makes one.
        errors: What it raises where it cannot.
    """
    waiting = list(views)
    while waiting:
        failed: list[tuple[Table, Exception]] = []
        for view in waiting:
            try:
                make(view)
            except errors as error:
                failed.append((view, error))
        if len(failed) == len(waiting):
            return failed
        waiting = [view for view, _ in failed]
    return []


def orphans_query(table: Table, key: ForeignKey, quote: Callable[[str], str] = quote_name) -> str:
    """A query that has a row where a foreign key points to nothing."""
    pairs = list(zip(key.columns, key.parent_columns, strict=True))
    match = " AND ".join(f"p.{quote(parent)} = c.{quote(child)}" for child, parent in pairs)
    present = " AND ".join(f"c.{quote(child)} IS NOT NULL" for child, _ in pairs)
    return (
        f"SELECT 1 FROM {quote(table.name)} AS c WHERE {present} AND NOT EXISTS "  # noqa: S608
        f"(SELECT 1 FROM {quote(key.parent)} AS p WHERE {match}) LIMIT 1"
    )


def insertions(
    table: Table, rows: Sequence[Row], mark: str, write: Callable[[str], str] = quote_name
) -> Iterator[tuple[str, list[Cell]]]:
    """INSERT statements for the rows of a table, each with its values; computed columns have none.

    Args:
        table: The table.
        rows: Its rows, in any order.
        mark: What stands for a value.
        write: How a name is written.
    """
    own = [index for index, column in enumerate(table.columns) if column.generated is None]
    names = ", ".join(write(table.columns[index].name) for index in own)
    marks = ", ".join(mark for _ in own)
    for generation in generations(table, rows):
        values = ", ".join(f"({marks})" for _ in generation)
        yield (
            f"INSERT INTO {write(table.name)} ({names}) VALUES {values}",  # noqa: S608
            [row[index] for row in generation for index in own],
        )


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
