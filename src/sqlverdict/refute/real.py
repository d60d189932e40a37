"""The rows of a real database, kept in memory and found by what stands in them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from pathlib import Path

from sqlverdict.errors import DatabaseError
from sqlverdict.files.digests import database_digest
from sqlverdict.parse.facts import References, facts_of
from sqlverdict.parse.schema import Schema
from sqlverdict.records import Row
from sqlverdict.refute.mine.across import Inclusion
from sqlverdict.refute.mine.kind import Place
from sqlverdict.refute.mine.sample import read_samples, reading
from sqlverdict.refute.regularities import Regularities, mine

_MAX_ROWS = 50_000
_SPREAD, _FEW = 64, 8


class RealRows:
    """The rows of a database in memory, found by what stands in a column."""

    def __init__(
        self,
        rows: dict[str, list[Row]],
        joins: Mapping[Place, Sequence[Place]],
        regularities: Regularities,
        places: Mapping[Place, int],
    ) -> None:
        self.rows = rows
        self.joins = joins
        self.regularities = regularities
        self._at = places
        self._values: dict[Place, Row] = {}
        self._found: dict[tuple[str, tuple[int, ...]], dict[Row, list[int]]] = {}

    def values(self, place: Place) -> Row:
        """A few different values of a column, from all over the table."""
        kept = self._values.get(place)
        if kept is None:
            at = self._at.get(place)
            rows = self.rows.get(place[0], ()) if at is not None else ()
            some = rows[:: max(1, len(rows) // _SPREAD)]
            found = dict.fromkeys(row[at] for row in some) if at is not None else {}
            kept = tuple(value for value in found if value is not None)[:_FEW]
            self._values[place] = kept
        return kept

    def where(self, table: str, places: tuple[int, ...], values: Row) -> Sequence[int]:
        """The numbers of the rows with these values."""
        index = self._found.get((table, places))
        if index is None:
            index = self._found[table, places] = {}
            for number, row in enumerate(self.rows.get(table, ())):
                index.setdefault(tuple([row[at] for at in places]), []).append(number)
        return index.get(values, ())


@lru_cache(maxsize=4)
def _kept(digest: str, database: Path, schema: Schema) -> RealRows:
    del digest  # it is the cache's key: another content is another answer
    with reading(database) as connection:
        samples = read_samples(connection, schema, _MAX_ROWS)
    rows = {name: sample.rows for name, sample in samples.items() if sample.complete}
    joins: dict[Place, list[Place]] = {}
    found = mine(database, schema)
    for one, two in _joins(schema, found):
        if one[0] in rows and two[0] in rows:
            joins.setdefault(one, []).append(two)
            joins.setdefault(two, []).append(one)
    partners = {place: tuple(dict.fromkeys(others)) for place, others in joins.items()}
    at = {(t.name, c.name): n for t in schema.tables for n, c in enumerate(t.columns)}
    return RealRows(rows, partners, found, at)


def real_rows(database: Path, schema: Schema) -> RealRows:
    """A database's rows, kept in memory for the next pair of queries.

    Raises:
        DatabaseError: the file is missing or cannot be read.
    """
    try:
        digest = database_digest(database)
    except OSError as error:
        raise DatabaseError(
            f"{database} cannot be read ({error.strerror}); give a SQLite file's path"
        ) from error
    return _kept(digest, database, schema)


def _joins(schema: Schema, found: Regularities) -> Iterator[tuple[Place, Place]]:
    for fact in facts_of(schema):
        if isinstance(fact, References):
            for column, parent in zip(fact.columns, fact.parent_columns, strict=True):
                yield (fact.table, column), (fact.parent, parent)
    for inclusion in found.of(Inclusion):
        yield inclusion.places[0], inclusion.places[1]
