"""The rows of a real database, kept in memory and found by what stands in them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from pathlib import Path

from sqlverdict.parse.facts import Fact, References, facts_of
from sqlverdict.parse.schema import ColumnRef, Schema
from sqlverdict.records import Row
from sqlverdict.refute.data.mine.across import Inclusion
from sqlverdict.refute.data.mine.sample import reading
from sqlverdict.refute.data.mine.store import TableData, tables_of
from sqlverdict.refute.data.regularities import Regularities, digest_of, mine

_MAX_ROWS = 50_000
"""How many rows of a table are read at most."""


class RealRows:
    """The rows of a database in memory, found by what stands in a column."""

    def __init__(
        self,
        tables: Mapping[str, TableData],
        joins: Mapping[ColumnRef, Sequence[ColumnRef]],
        regularities: Regularities,
        indexes: Mapping[ColumnRef, int],
    ) -> None:
        self.rows = {name: data.sample.rows for name, data in tables.items()}
        self.joins = joins
        self.regularities = regularities
        self._tables = tables
        self._at = indexes

    def keep(self, facts: Iterable[Fact], schema: Schema) -> bool:
        """Whether each table obeys what is declared of it alone: so does any part of its rows."""
        own: dict[str, set[Fact]] = {name: set() for name in self._tables}
        for fact in facts:
            if fact.table in own and not isinstance(fact, References):
                own[fact.table].add(fact)
        return all(
            table.keeps(frozenset(own[name]), schema) for name, table in self._tables.items()
        )

    def values(self, column: ColumnRef) -> Row:
        """A few different values of a column, from all over the table."""
        table, at = self._tables.get(column[0]), self._at.get(column)
        return table.values(at) if table is not None and at is not None else ()

    def where(self, table: str, indexes: tuple[int, ...], values: Row) -> Sequence[int]:
        """The numbers of the rows with these values."""
        data = self._tables.get(table)
        return data.where(indexes, values) if data is not None else ()


def real_rows(database: Path, schema: Schema) -> RealRows:
    """A database's rows, kept in memory for the next pair of queries.

    Raises:
        DatabaseError: the file is missing or cannot be read.
    """
    return _load(schema, database, digest_of(database))


@lru_cache(maxsize=64)
def _load(schema: Schema, database: Path, digest: str) -> RealRows:
    with reading(database) as connection:
        data = tables_of(connection, digest, schema, _MAX_ROWS)
    tables = {name: table for name, table in data.items() if table.sample.complete}
    joins: dict[ColumnRef, list[ColumnRef]] = {}
    regularities = mine(database, schema)
    for one, two in _joins(schema, regularities):
        if one[0] in tables and two[0] in tables:
            joins.setdefault(one, []).append(two)
            joins.setdefault(two, []).append(one)
    partners = {column: tuple(dict.fromkeys(others)) for column, others in joins.items()}
    at = {(t.name, c.name): n for t in schema.tables for n, c in enumerate(t.columns)}
    return RealRows(tables, partners, regularities, at)


def _joins(schema: Schema, regularities: Regularities) -> Iterator[tuple[ColumnRef, ColumnRef]]:
    for fact in facts_of(schema):
        if isinstance(fact, References):
            for column, parent in zip(fact.columns, fact.parent_columns, strict=True):
                yield (fact.table, column), (fact.parent, parent)
    for inclusion in regularities.of(Inclusion):
        yield inclusion.column_refs[0], inclusion.column_refs[1]
