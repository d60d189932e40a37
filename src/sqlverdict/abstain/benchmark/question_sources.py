"""What unanswerable questions are made from: answerable ones, schemas, a pool of others."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from sqlverdict.abstain.benchmark.question_pool import PoolQuestion
from sqlverdict.abstain.benchmark.wordnet import wordnet
from sqlverdict.abstain.benchmark.words import (
    GENERIC,
    meaning,
    meanings,
    question_words,
    same_wording,
    singular,
    words,
)
from sqlverdict.errors import SchemaError
from sqlverdict.execute.query_runner import QueryRunner
from sqlverdict.parse.schema import Schema, Table
from sqlverdict.parse.schemas.sqlite import read_sqlite
from sqlverdict.parse.tokens import fold, word_set
from sqlverdict.records import Case

_OWN = "sqlite_"
_JOINTS = frozenset(("of", "at"))
_COUNTS = frozenset(map(meaning, ("number", "count", "total", "amount", "quantity")))
"""Words for what a query may count, though no column holds it."""

_ANYWHERE = frozenset((meaning("location"),))
_AREAS = frozenset(map(meaning, ("country", "region", "state", "district", "continent", "county")))
"""What tells where something is, so that its location is known."""

_IDLE = word_set(
    "preferred full complete real actual current present own proper usual official given exact "
    "overall"
)
"""Words that change nothing about what is asked for: a preferred name is a name."""


@dataclass(frozen=True)
class SchemaWords:
    """What a database has, in words.

    Attributes:
        schema: The tables.
        columns: For each table, by its folded name, what its columns mean.
    """

    schema: Schema
    columns: Mapping[str, tuple[frozenset[str], ...]]

    @classmethod
    def of(cls, schema: Schema) -> SchemaWords:
        """What a schema has."""
        columns = {
            fold(table.name): tuple(_meanings(column.name) for column in table.columns)
            for table in schema.tables
        }
        return cls(schema, columns)

    @cached_property
    def vocabulary(self) -> frozenset[str]:
        """Every word of a table's or column's name, by meaning."""
        table_words = [_meanings(table.name) for table in self.schema.tables]
        columns = (column for columns in self.columns.values() for column in columns)
        return frozenset().union(*table_words, *columns)

    def holds(self, name: str, tables: Iterable[str] | None = None, *, near: bool = True) -> bool:
        """Whether a column of that name, in any spelling, is there already.

        It is where all words of the name, or words that may be said for them, are among a
        column's (the table's own counted), and where it is a count of what is there.

        Args:
            name: The name of the hypothetical column.
            tables: The tables to look at, by folded name; all where not given.
            near: Whether a column counts too whose words are all among the name's: a ``phone``
                for a "work phone". Generic words such as "id" and "date" alone do not.
        """
        words_of_name = _meanings(name)
        words_of_name = words_of_name - _IDLE or words_of_name
        if words_of_name == _ANYWHERE and self.vocabulary & _AREAS:
            return True
        if words_of_name & _COUNTS and _within(words_of_name - _COUNTS, self.vocabulary):
            return True
        for table in self.columns if tables is None else tables:
            of_table = _meanings(table)
            for column in self.columns.get(table, ()):
                if _within(words_of_name, column | of_table) and _touch(words_of_name, column):
                    return True
                if (
                    near
                    and column - GENERIC
                    and _within(column, words_of_name | of_table)
                    and _touch(column, words_of_name - GENERIC)
                ):
                    return True
        return False

    @cached_property
    def _links(self) -> dict[str, set[str]]:
        """The tables that each table points to, by foreign keys and by columns named alike."""
        links: dict[str, set[str]] = {name: set() for name in self.columns}
        keys = {fold(table.name): _key_names(table) for table in self.schema.tables}
        # A key's name that several tables have, such as row_id, points nowhere.
        times = Counter(name for names in keys.values() for name in names)
        keys = {own: {name for name in names if times[name] == 1} for own, names in keys.items()}
        for table in self.schema.tables:
            own = fold(table.name)
            links[own] |= {fold(key.parent) for key in table.foreign_keys} & set(links)
            names = {fold(column.name) for column in table.columns}
            links[own] |= {other for other, key in keys.items() if other != own and key & names}
        return links

    def connected(self, table: str) -> frozenset[str]:
        """Every table that some way of foreign keys leads to."""
        return _reached(table, self._links, self._links_back)

    def reach(self, table: str) -> frozenset[str]:
        """The tables whose columns could be said to be the table's own.

        Those that it points to, directly or through others, and those that point to it: "the
        continent of a city" is answered through the city's country.
        """
        return _reached(table, self._links) | _reached(table, self._links_back)

    @cached_property
    def _links_back(self) -> dict[str, set[str]]:
        links_back: dict[str, set[str]] = {name: set() for name in self._links}
        for own, others in self._links.items():
            for other in others:
                links_back[other].add(own)
        return links_back


def _reached(table: str, *links: Mapping[str, set[str]]) -> frozenset[str]:
    """A table and every other that links lead to, directly or through others."""
    reached, waiting = {fold(table)}, [fold(table)]
    while waiting:
        here = waiting.pop()
        for other in set[str]().union(*(each.get(here, ()) for each in links)) - reached:
            reached.add(other)
            waiting.append(other)
    return frozenset(reached)


def _meanings(name: str) -> frozenset[str]:
    """What the words of a name mean, compounds in their parts too: ``eventtype`` is a type."""
    parts = (part for word in words(name) for part in wordnet().parts(singular(word)))
    return (meanings(name) | frozenset(map(meaning, parts))) - _JOINTS


def _within(some: Iterable[str], others: Collection[str]) -> bool:
    """Whether each of some words may be said for one of the others."""
    return all(word in others or any(wordnet().alike(word, o) for o in others) for word in some)


def _touch(some: Iterable[str], others: Collection[str]) -> bool:
    """Whether any of some words may be said for one of the others."""
    return any(_within((word,), others) for word in some)


def _key_names(table: Table) -> set[str]:
    """Names by which other tables would point to this one: keys of one column."""
    keys = (table.primary_key, *table.uniques)
    return {fold(key[0]) for key in keys if len(key) == 1} - {"id", "name", "code"}


@dataclass(frozen=True)
class QuestionSources:
    """All there is to make questions from.

    Attributes:
        cases: Answerable questions on the databases that need unanswerable ones.
        known: What these databases have.
        others: What further databases have.
        pool: Questions from elsewhere.
        chatter: Further questions; only their words are used, to tell words from fragments.
        seed: Decides all draws.
        runner: Runs queries on the databases of the cases; ``None``: nothing is run.
    """

    cases: Sequence[Case]
    known: Mapping[str, SchemaWords]
    others: Mapping[str, SchemaWords] = field(default_factory=dict)
    pool: Sequence[PoolQuestion] = ()
    chatter: Sequence[str] = ()
    seed: int = 0
    runner: QueryRunner | None = None

    @cached_property
    def by_database(self) -> dict[str, list[Case]]:
        """The questions of each database."""
        by_db_id: dict[str, list[Case]] = {}
        for case in self.cases:
            if case.question.strip():
                by_db_id.setdefault(case.db_id, []).append(case)
        return by_db_id

    @cached_property
    def mentions(self) -> dict[str, Any]:
        """Where each case's question names columns, as far as that was looked for."""
        return {}

    @cached_property
    def attributes(self) -> dict[str, Any]:
        """What other databases say about things, for each database that was asked about."""
        return {}

    @cached_property
    def wordings(self) -> frozenset[tuple[str, str]]:
        """The answerable questions, as ``(database, wording)``."""
        return frozenset((case.db_id, same_wording(case.question)) for case in self.cases)

    @cached_property
    def spoken(self) -> frozenset[str]:
        """Words that somebody has said in a question."""
        texts = [*(case.question for case in self.cases), *self.chatter]
        return frozenset(singular(word) for text in texts for word, _, _ in question_words(text))

    def is_spoken(self, name: str | None) -> bool:
        """Whether every word of a name is one that people say, and not a fragment."""
        return name is not None and all(singular(word) in self.spoken for word in name.split())

    def elsewhere(self, db_id: str) -> Iterator[SchemaWords]:
        """What databases other than this one have, in the order of their names."""
        everything = {**self.others, **self.known}
        return (everything[name] for name in sorted(everything) if name != db_id)


def schemas_of(
    cases: Iterable[Case], known: Mapping[str, Schema] | None = None
) -> dict[str, Schema]:
    """The schema of each case's database: the given one, else read from the database file.

    SQLite's own tables are left out. Databases whose schema cannot be read are left out too.
    """
    schemas: dict[str, Schema] = {}
    for case in cases:
        if case.db_id in schemas:
            continue
        schema = (known or {}).get(case.db_id) or _read(case)
        if schema is not None:
            tables = tuple(t for t in schema.tables if not fold(t.name).startswith(_OWN))
            schemas[case.db_id] = replace(schema, tables=tables)
    return schemas


def _read(case: Case) -> Schema | None:
    if case.database is None or not Path(case.database).is_file():
        return None

    try:
        return read_sqlite(case.database, case.db_id)
    except SchemaError:
        # The database is broken; runs on it say so.
        return None
