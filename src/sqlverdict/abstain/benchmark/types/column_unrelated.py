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
    ColumnType,
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
class ColumnUnrelated(ColumnType):
    """Hypothetical columns that have nothing to do with the database."""

    label = "column-unrelated"

    def ideas(self, sources: QuestionSources, db_id: str) -> Iterator[Idea]:
        """Questions of this type on a database: every table has the same options."""
        known = sources.known.get(db_id)
        strangers = _strangers(sources, known) if known is not None else ()
        return column_ideas(sources, db_id, lambda *_: strangers, self.label)


def _strangers(sources: QuestionSources, known: SchemaWords) -> Sequence[Hypothetical]:
    columns: dict[str, Hypothetical] = {}
    for elsewhere in sources.elsewhere(known.schema.db_id):
        for table in elsewhere.schema.tables:
            if meanings(table.name) & known.vocabulary - GENERIC:
                continue
            origin = f"{elsewhere.schema.db_id}.{table.name}"
            for name, kind in _columns(table):
                if sources.is_spoken(name):
                    columns.setdefault(name, Hypothetical(name, kind, origin))
    for each in odd():
        columns.setdefault(each.name, each)
    return [each for each in columns.values() if not meanings(each.name) & known.vocabulary]


@lru_cache(maxsize=4096)
def _columns(table: Table) -> tuple[tuple[str, ColumnKind], ...]:
    """The columns of a table that people could ask about, with their kinds."""
    return tuple(
        (name, kind_of(column))
        for column in table.columns
        if not is_key(table, column) and (name := sayable(column.name))
    )
