"""What a real database shows beyond its schema.

:func:`mine` reads a SQLite file and returns what its rows all keep: columns that are never
NULL or never repeat, few values, signs and ranges, undeclared foreign keys, codes and their
labels, copied columns, orders within a row. Each file of ``refute/data/mine`` states how
many rows it takes to say so, and why. Everything mined holds in the whole file.

A regularity is no fact: a legal database may break it. A witness that breaks one shows a
difference that the real data have not shown yet; ``grade`` says so.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from pathlib import Path
from typing import TypeVar

from sqlverdict.errors import DatabaseError
from sqlverdict.execute.fact_check import check_facts
from sqlverdict.files.digests import database_digest
from sqlverdict.files.regular import os_reason
from sqlverdict.parse.facts import Fact, References, facts_of
from sqlverdict.parse.schema import ColumnRef, Schema
from sqlverdict.parse.schemas.sqlite import read_sqlite
from sqlverdict.parse.tokens import fold
from sqlverdict.refute.data.mine.across import (
    Inclusion,
    declared_joins,
    mine_copies,
    mine_inclusions,
)
from sqlverdict.refute.data.mine.columns import LOOKS
from sqlverdict.refute.data.mine.kind import Regularity
from sqlverdict.refute.data.mine.pairs import OrderInRow
from sqlverdict.refute.data.mine.sample import Sample, reading
from sqlverdict.refute.data.mine.store import holds_in_file, tables_of
from sqlverdict.refute.witness import Instance

R = TypeVar("R", bound=Regularity)


@dataclass(frozen=True)
class Regularities:
    """What one database shows.

    Attributes:
        digest: The SHA-256 of the file.
        counts: How many rows each table has.
        members: The regularities, by table and kind.
        orphans: Foreign keys of one column that are declared and that the rows break.
    """

    digest: str
    counts: Mapping[str, int]
    members: tuple[Regularity, ...] = field(repr=False)
    orphans: frozenset[tuple[ColumnRef, ColumnRef]] = frozenset()

    def __iter__(self) -> Iterator[Regularity]:
        return iter(self.members)

    def __len__(self) -> int:
        return len(self.members)

    def broken(
        self, instance: Instance, column_refs: Collection[ColumnRef] | None = None
    ) -> tuple[Regularity, ...]:
        """The regularities that an instance breaks.

        Args:
            instance: The database to look at.
            column_refs: Where given, only regularities that speak of these columns alone count:
                whatever stands in other columns, or in other tables, could be made to fit.
        """
        candidates: Iterable[Regularity] = self.members
        if column_refs is not None:
            relevant = [
                m
                for m in self.members
                if m.column_refs and all(p in column_refs for p in m.column_refs)
            ]
            filled = {table for table, rows in instance.rows.items() if rows}
            # Where a table has no rows, what is said of them holds: no need to look.
            candidates = [m for m in relevant if any(table in filled for table, _ in m.column_refs)]
        return tuple(member for member in candidates if not member.holds(instance))

    def about(self, table: str, column: str) -> tuple[Regularity, ...]:
        """The regularities about a column, as the schema writes it."""
        return self._by_column.get((table, column), ())

    @cached_property
    def _by_column(self) -> dict[ColumnRef, tuple[Regularity, ...]]:
        by_column: dict[ColumnRef, tuple[Regularity, ...]] = {}
        for member in self.members:
            for column_ref in member.column_refs:
                by_column[column_ref] = (*by_column.get(column_ref, ()), member)
        return by_column

    def of(self, kind: type[R]) -> tuple[R, ...]:
        """The regularities of one kind."""
        return tuple(member for member in self.members if isinstance(member, kind))


def mine(database: Path, schema: Schema | None = None, *, max_rows: int = 50_000) -> Regularities:
    """What a SQLite file shows; remembered by the file's content.

    Args:
        database: The file; it is only read.
        schema: How to write the tables' and columns' names, and which there are; the file's
            own where not given. Of a part of a schema only that part is mined.
        max_rows: Larger tables are sampled, and what the sample shows is confirmed on all
            rows.

    Raises:
        DatabaseError: the file is missing or cannot be read.
        SchemaError: no schema was given and the file holds none.
    """
    digest = digest_of(database)
    return _mined(schema or read_sqlite(database), database, digest, max_rows)


def digest_of(database: Path) -> str:
    """The digest of a database's content.

    Raises:
        DatabaseError: the file is missing or cannot be read.
    """
    try:
        return database_digest(database)
    except OSError as error:
        raise DatabaseError(
            f"{database} cannot be read ({error.strerror}); give a SQLite file's path",
            reason=os_reason(error),
        ) from error


@lru_cache(maxsize=64)
def _mined(schema: Schema, database: Path, digest: str, max_rows: int) -> Regularities:
    with reading(database) as connection:
        data = tables_of(connection, digest, schema, max_rows)
        samples = {name: table.sample for name, table in data.items()}
        inclusions = list(mine_inclusions(schema, samples))
        identifiers = _identifiers(samples, inclusions)
        members = [
            member
            for table in data.values()
            for member in table.members(connection)
            if not _says_nothing(member, identifiers)
        ]
        copies = mine_copies(_joins(schema, samples, inclusions), samples)
        for across in (*inclusions, *copies):
            whole = all(samples[table].whole for table, _ in across.column_refs)
            if whole or holds_in_file(connection, digest, across):
                members.append(across)
    counts = {name: sample.total for name, sample in samples.items()}
    return Regularities(digest, counts, tuple(members), _orphans(schema, database))


def _orphans(schema: Schema, database: Path) -> frozenset[tuple[ColumnRef, ColumnRef]]:
    """The foreign keys of one column that the rows break: they are no regularity."""
    by_fact = {key: column_refs for column_refs, key in references(schema).items()}
    checks = check_facts(database, by_fact)
    return frozenset(by_fact[check.fact] for check in checks if check.state == "broken")


@lru_cache(maxsize=64)
def references(schema: Schema) -> dict[tuple[ColumnRef, ColumnRef], Fact]:
    """The declared foreign keys of one column, by child and parent."""
    return {
        ((fact.table, fact.columns[0]), (fact.parent, fact.parent_columns[0])): fact
        for fact in facts_of(schema)
        if isinstance(fact, References) and len(fact.columns) == 1
    }


def _says_nothing(regularity: Regularity, identifiers: Collection[ColumnRef]) -> bool:
    """Whether it is about what an identifier looks like."""
    if isinstance(regularity, LOOKS):
        return regularity.column_refs[0] in identifiers
    return isinstance(regularity, OrderInRow) and any(
        column_ref in identifiers for column_ref in regularity.column_refs
    )


def _identifiers(
    samples: Mapping[str, Sample], inclusions: Collection[Inclusion]
) -> set[ColumnRef]:
    """Keys of one column and the columns that point to one, declared or not."""
    identifiers: set[ColumnRef] = set()
    for name, sample in samples.items():
        table = sample.table
        keys = [table.primary_key, *(key.columns for key in table.foreign_keys)]
        folded = {fold(key[0]) for key in keys if len(key) == 1}
        identifiers |= {(name, column) for column in sample.columns if fold(column) in folded}
    unique = {v.column_ref for sample in samples.values() for v in sample.values if v.unique}
    identifiers |= {p for i in inclusions if i.column_refs[1] in unique for p in i.column_refs}
    return identifiers


def _joins(
    schema: Schema, samples: Mapping[str, Sample], inclusions: Collection[Inclusion]
) -> list[tuple[ColumnRef, ColumnRef]]:
    """The joins over which copies are looked for, each once."""
    known = {values.column_ref for sample in samples.values() for values in sample.values}
    joins = {frozenset(inclusion.column_refs): inclusion.column_refs for inclusion in inclusions}
    for joined in sorted(declared_joins(schema), key=sorted):
        if len({table for table, _ in joined}) == 2 and joined <= known:
            joins.setdefault(joined, tuple(sorted(joined)))
    return [(one, two) for one, two in joins.values()]
