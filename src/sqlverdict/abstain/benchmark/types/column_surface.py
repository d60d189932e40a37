"""Columns that look like existing ones.

A column that another table of the same database has of the same kind of thing (an ``age`` of
vets, where only owners have one), or the neighbour of an existing name (a ``death date`` beside
``birth date``, the ``previous grade`` beside ``grade``). Tables that foreign keys lead to are
passed over: what a city's country has may well be called the city's. The column is in no such
table, in any spelling.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from sqlverdict.abstain.benchmark.columns.entities import EntityKind, entity_kind, is_entity
from sqlverdict.abstain.benchmark.columns.hypothetical import (
    Hypothetical,
    common_attributes,
    is_key,
    kind_of,
    named_columns,
)
from sqlverdict.abstain.benchmark.columns.ideas import ColumnType
from sqlverdict.abstain.benchmark.columns.lexicon import (
    MODIFIERS,
    NEIGHBOURS,
    WITHOUT_MODIFIERS,
)
from sqlverdict.abstain.benchmark.question_sources import QuestionSources, SchemaWords
from sqlverdict.abstain.benchmark.unanswerable import TYPES
from sqlverdict.abstain.benchmark.words import meaning, meanings, sayable, singular, words
from sqlverdict.parse.schema import Column, Table
from sqlverdict.parse.tokens import fold

PASSED_ON = frozenset(
    map(meaning, ("location", "country", "district", "region", "state", "continent", "theme"))
) | {"category", "year", "date", "time", "department", "street", "building"}
"""What things that have to do with each other share: an employee may be said to have the
district of the shop he was hired by, never its number of products."""


_WITH_MODIFIERS = ("address", "phone", "price", "cost")
"""Words before which a second modifier is natural: a former email address."""


@TYPES.member
class ColumnSurface(ColumnType):
    """Hypothetical columns that resemble existing ones."""

    label = "column-surface"
    version = 4

    def options(
        self, sources: QuestionSources, known: SchemaWords, table: Table, near: frozenset[str]
    ) -> Sequence[Hypothetical]:
        """What other tables of the database have, and neighbours of the table's own columns."""
        columns: dict[str, Hypothetical] = {}
        kind = entity_kind(table)
        # The table's own neighbours count even where the question reads others.
        close = near | known.reach(table.name)
        linked = known.connected(table.name)
        for other in known.schema.tables:
            if kind is None or fold(other.name) in close or not is_entity(other):
                continue
            for name, column in named_columns(sources, other):
                if fold(other.name) in linked and meanings(name) & PASSED_ON:
                    continue
                if name not in common_attributes(sources, known.schema.db_id, kind):
                    continue
                if not known.holds(name, close):
                    origin = f"{other.name}.{column.name}"
                    columns.setdefault(name, Hypothetical(name, kind_of(column), origin))
        for column in table.columns:
            for name in () if is_key(table, column) else _neighbours(table, column, kind):
                if not known.holds(name, near=False):
                    origin = f"{table.name}.{column.name}"
                    columns.setdefault(name, Hypothetical(name, kind_of(column), origin))
        for name, column in named_columns(sources, table):
            for neighbour in _modified(name, column, kind):
                if not known.holds(neighbour, near=False):
                    origin = f"{table.name}.{column.name}"
                    columns.setdefault(neighbour, Hypothetical(neighbour, kind_of(column), origin))
        return list(columns.values())


def _modified(name: str, column: Column, kind: EntityKind | None) -> Iterator[str]:
    """A column's name with a word before it that makes it another."""
    if words(column.name) and singular(words(column.name)[-1]) != words(column.name)[-1]:
        return  # Expected cylinders are nobody's word.
    moves = kind in ("person", "organization") or not meanings(name) & PASSED_ON
    if (
        kind is not None
        and moves
        and not WITHOUT_MODIFIERS.intersection(map(singular, words(column.name)))
    ):
        yield from (f"{modifier} {name}" for modifier in MODIFIERS[kind_of(column)])


def _neighbours(table: Table, column: Column, kind: EntityKind | None) -> Iterator[str]:
    """Names beside a column's: one of its words swapped."""
    own = set(map(singular, words(table.name)))
    name_words = [word for word in words(column.name) if singular(word) not in own]
    for of_kind, word, other in NEIGHBOURS:
        if word not in name_words or of_kind not in ("", kind):
            continue
        if word in ("name", "date") and len(name_words) > 1:
            continue  # A "former first name" is nobody's.
        new = other.removesuffix(f" {word}")
        if new == other and word in ("first", "last") and name_words[-1] != "name":
            continue
        if new == other:
            swapped = [other if each == word else each for each in name_words]
        elif name_words == [word] or (name_words[-1] == word and word in _WITH_MODIFIERS):
            swapped = [new, *name_words]
        else:
            continue
        name = sayable("_".join(swapped).replace(" ", "_"))
        if name:
            yield name
