"""Columns of other worlds: a ``product category`` of battles.

Drawn from the schemas of other databases, and from a list of oddities where there are none. No
word that says something about the column, nor about the table it was drawn from, occurs in the
database's schema.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache

from sqlverdict.abstain.benchmark.columns import (
    ColumnKind,
    Hypothetical,
    column_ideas,
    is_key,
    kind_of,
)
from sqlverdict.abstain.benchmark.lexicon import odd
from sqlverdict.abstain.benchmark.question_sources import QuestionSources, SchemaWords
from sqlverdict.abstain.benchmark.unanswerable_type import TYPES, Idea
from sqlverdict.abstain.benchmark.words import GENERIC, meanings, sayable
from sqlverdict.parse.schema import Table


@TYPES.member
class ColumnUnrelated:
    """Hypothetical columns that have nothing to do with the database."""

    label = "column-unrelated"
    version = 1
    prompt = "unanswerable_column"

    def ideas(self, world: QuestionSources, db_id: str) -> Iterator[Idea]:
        """Questions of this type on a database."""
        known = world.known.get(db_id)
        if known is None:
            return iter(())
        found = _strangers(world, known)

        def options(
            world: QuestionSources, known: SchemaWords, table: Table, near: frozenset[str]
        ) -> Sequence[Hypothetical]:
            del world, known, table, near
            return found

        return column_ideas(world, db_id, options, self.label)


def _strangers(world: QuestionSources, known: SchemaWords) -> Sequence[Hypothetical]:
    found: dict[str, Hypothetical] = {}
    for elsewhere in world.elsewhere(known.schema.db_id):
        for table in elsewhere.schema.tables:
            if meanings(table.name) & known.vocabulary - GENERIC:
                continue
            origin = f"{elsewhere.schema.db_id}.{table.name}"
            for name, kind in _columns(table):
                if world.said(name):
                    found.setdefault(name, Hypothetical(name, kind, origin))
    for each in odd():
        found.setdefault(each.name, each)
    return [each for each in found.values() if not meanings(each.name) & known.vocabulary]


@lru_cache(maxsize=4096)
def _columns(table: Table) -> tuple[tuple[str, ColumnKind], ...]:
    """The columns of a table that people could ask about, with their kinds."""
    return tuple(
        (name, kind_of(column))
        for column in table.columns
        if not is_key(table, column) and (name := sayable(column.name))
    )
