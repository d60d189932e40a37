"""Columns that do not exist: what they would hold, and which databases elsewhere have them.

A hypothetical column is most natural where another schema has it of the same kind of thing:
singers elsewhere have a ``birth city``, so a question may ask for ours. Names that are fragments,
that speak of a second thing (a ``customer phone`` of orders), or that say nothing by themselves
(``name``, ``details``) are left out.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from sqlverdict.abstain.benchmark.columns.entities import (
    EntityKind,
    entity_kind,
    head,
    is_entity,
    noun_kind,
)
from sqlverdict.abstain.benchmark.question_sources import QuestionSources
from sqlverdict.abstain.benchmark.wordnet import wordnet
from sqlverdict.abstain.benchmark.words import plural, sayable, singular, words
from sqlverdict.parse.schema import Column, Table
from sqlverdict.parse.tokens import fold, word_set

ColumnKind = Literal["number", "text", "date"]

_NUMBERS = ("INT", "REAL", "NUM", "FLOA", "DOUB", "DEC")
_DATES = word_set("date time day year month birthdate birthday")
_KEYS = word_set("id code key")
_JOINTS = (" of ", " at ", " from ", " on ")
_AMOUNT = "number of "


@dataclass(frozen=True)
class Hypothetical:
    """A column that does not exist: how people say it, its kind, and what it was made from."""

    name: str
    kind: ColumnKind
    origin: str = ""

    @property
    def plural(self) -> str:
        """Several of them: "shoe sizes", "countries of origin"; a number of siblings stays one."""
        if self.name.startswith(_AMOUNT):
            return self.name
        joint = next((joint for joint in _JOINTS if joint in self.name), "")
        noun, _, rest = self.name.partition(joint) if joint else (self.name, "", "")
        *before, last = noun.split()
        return " ".join([*before, plural(last)]) + (joint + rest if joint else "")


def kind_of(column: Column) -> ColumnKind:
    """What a column holds, by its declared type and its name. A year is a date: it has no sum."""
    if _DATES & set(words(column.name)):
        return "date"
    declared = column.type.upper()
    return "number" if any(word in declared for word in _NUMBERS) else "text"


def is_key(table: Table, column: Column) -> bool:
    """Whether a column stands for a row rather than saying something about it."""
    name = fold(column.name)
    pointing = {fold(own) for key in table.foreign_keys for own in key.columns}
    keys = {fold(own) for own in table.primary_key}
    return name in pointing | keys or bool(_KEYS & set(words(column.name)))


_SAY_NOTHING = word_set(
    "name number details detail description comment note value other active initial password login "
    "position"
)
_BY_COUNTING = word_set("rank ranking count average total percent percentage sum")
_COMMON = 4
"""What so many different things of a kind have is an attribute of the kind."""

_ENTITIES: frozenset[EntityKind | None] = frozenset(
    ("person", "animal", "vehicle", "organization", "event", "work")
)


@dataclass(frozen=True)
class Attribute:
    """A column of another database.

    Attributes:
        name: How people say it, without its table's name.
        kind: What it holds.
        db_id: The database.
        table: Its table.
        entity: What the table's rows are.
    """

    name: str
    kind: ColumnKind
    db_id: str
    table: Table
    entity: EntityKind | None

    @property
    def hypothetical(self) -> Hypothetical:
        """The same as a column that does not exist here."""
        return Hypothetical(self.name, self.kind, f"{self.db_id}.{self.table.name}")


def attributes_elsewhere(sources: QuestionSources, db_id: str) -> Sequence[Attribute]:
    """What other databases say about things, in the order of their names."""
    if db_id not in sources.attributes:
        sources.attributes[db_id] = [
            attribute
            for elsewhere in sources.elsewhere(db_id)
            for table in elsewhere.schema.tables
            if is_entity(table)
            for attribute in _attributes(sources, elsewhere.schema.db_id, table)
        ]
    stored: Sequence[Attribute] = sources.attributes[db_id]
    return stored


def common_attributes(
    sources: QuestionSources, db_id: str, kind: EntityKind
) -> dict[str, Hypothetical]:
    """What several different things of a kind have in other databases.

    Players, students and employees have a height; an advisor is what students alone have.
    """
    owners: dict[str, set[str]] = {}
    columns: dict[str, Hypothetical] = {}
    for attribute in attributes_elsewhere(sources, db_id):
        if attribute.entity == kind:
            owners.setdefault(attribute.name, set()).add(head(attribute.table))
            columns.setdefault(attribute.name, attribute.hypothetical)
    return {name: each for name, each in columns.items() if len(owners[name]) >= _COMMON}


def _attributes(sources: QuestionSources, db_id: str, table: Table) -> Iterator[Attribute]:
    for name, column in named_columns(sources, table):
        yield Attribute(name, kind_of(column), db_id, table, entity_kind(table))


def named_columns(sources: QuestionSources, table: Table) -> Iterator[tuple[str, Column]]:
    """The columns of a table that people could ask about, each with its name in words.

    The table's own name is left out of it: ``dog_breed`` of dogs is a breed.
    """
    own = set(map(singular, words(table.name)))
    for column in table.columns:
        if is_key(table, column):
            continue
        name = sayable("_".join(word for word in words(column.name) if singular(word) not in own))
        if name and sources.is_spoken(name) and _says_something(name):
            yield name, column


def _says_something(name: str) -> bool:
    *before, last = map(singular, name.split())
    return (
        last not in _SAY_NOTHING
        and not _BY_COUNTING.intersection((*before, last))
        and wordnet().has(last)
        and all(wordnet().knows(word) for word in before)
        and not any(noun_kind(word) in _ENTITIES for word in before)
    )
