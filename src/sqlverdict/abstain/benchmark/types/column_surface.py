"""Columns that look like existing ones.

A column that another table of the same database has (an ``age`` of professionals, where only
dogs have one), or the neighbour of an existing name (a ``death date`` beside ``birth date``).
Tables that foreign keys lead to are passed over: what a city's country has may well be called
the city's. The column is in no such table, in any spelling.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial

from sqlverdict.abstain.benchmark.columns import (
    ColumnType,
    Hypothetical,
    columns_to_name,
    is_key,
    kind_of,
)
from sqlverdict.abstain.benchmark.lexicon import SWAPS
from sqlverdict.abstain.benchmark.question_sources import QuestionSources, SchemaWords
from sqlverdict.abstain.benchmark.unanswerable_type import TYPES
from sqlverdict.abstain.benchmark.words import meaning, meanings, sayable, singular, words
from sqlverdict.parse.schema import Column, Table
from sqlverdict.parse.tokens import fold

PASSED_ON = frozenset(
    map(meaning, ("location", "country", "district", "region", "state", "continent", "theme"))
) | {"category", "year", "date", "time", "department", "street", "building"}
"""What things that have to do with each other share: an employee may be said to have the
district of the shop he was hired by, never its number of products."""


@TYPES.member
class ColumnSurface(ColumnType):
    """Hypothetical columns that resemble existing ones."""

    label = "column-surface"

    def options(
        self, sources: QuestionSources, known: SchemaWords, table: Table, near: frozenset[str]
    ) -> Sequence[Hypothetical]:
        """What other tables of the database have, and neighbours of the table's own columns."""
        columns: dict[str, Hypothetical] = {}
        # The table's own neighbours count even where the question reads others.
        close = near | known.reach(table.name)
        linked = known.connected(table.name)
        for other in known.schema.tables:
            if fold(other.name) in close:
                continue
            for name, column in columns_to_name(sources, other, partial(_without, other)):
                if fold(other.name) in linked and meanings(name) & PASSED_ON:
                    continue
                if not known.holds(name, close):
                    origin = f"{other.name}.{column.name}"
                    columns.setdefault(name, Hypothetical(name, kind_of(column), origin))
        for column in table.columns:
            for name in () if is_key(table, column) else _neighbours(column):
                if not known.holds(name, near=False):
                    origin = f"{table.name}.{column.name}"
                    columns.setdefault(name, Hypothetical(name, kind_of(column), origin))
        return list(columns.values())


def _without(table: Table, column: Column) -> str | None:
    """A column's name without its table's: ``dog_breed`` of dogs is a breed."""
    own = set(map(singular, words(table.name)))
    return sayable("_".join(word for word in words(column.name) if singular(word) not in own))


def _neighbours(column: Column) -> Iterator[str]:
    """Names beside a column's: one of its words swapped."""
    name_words = words(column.name)
    for word, other in SWAPS:
        if word not in name_words:
            continue
        new = other.removesuffix(f" {word}")
        added = new != other
        changed = [other if each == word else each for each in name_words]
        swapped = [new, *name_words] if added else changed
        name = sayable("_".join(swapped).replace(" ", "_"))
        if name:
            yield name
