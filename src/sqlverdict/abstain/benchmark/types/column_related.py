"""Columns that could well be there: a ``duration`` of songs.

Taken from tables of the same name in other databases (what their singers have and ours do not),
and from a list of what persons, events, places, works and other things may have. The column is
nowhere in the database, in any spelling.
"""

from __future__ import annotations

from collections.abc import Sequence

from sqlverdict.abstain.benchmark.columns import ColumnType, Hypothetical, columns_to_name, kind_of
from sqlverdict.abstain.benchmark.lexicon import related
from sqlverdict.abstain.benchmark.question_sources import QuestionSources, SchemaWords
from sqlverdict.abstain.benchmark.unanswerable_type import TYPES
from sqlverdict.abstain.benchmark.words import sayable, singular, words
from sqlverdict.parse.schema import Column, Table


@TYPES.member
class ColumnRelated(ColumnType):
    """Hypothetical columns that would fit into the schema."""

    label = "column-related"

    def options(
        self, sources: QuestionSources, known: SchemaWords, table: Table, near: frozenset[str]
    ) -> Sequence[Hypothetical]:
        """What tables of the same name have elsewhere, and what such things may have."""
        del near
        words_of_table = tuple(map(singular, words(table.name)))
        columns: dict[str, Hypothetical] = {}
        for elsewhere in sources.elsewhere(known.schema.db_id):
            for other in elsewhere.schema.tables:
                if tuple(map(singular, words(other.name))) != words_of_table:
                    continue
                for name, column in columns_to_name(sources, other, _name):
                    origin = f"{elsewhere.schema.db_id}.{other.name}.{column.name}"
                    columns.setdefault(name, Hypothetical(name, kind_of(column), origin))
        for each in related(table):
            columns.setdefault(each.name, each)
        return [each for each in columns.values() if not known.holds(each.name)]


def _name(column: Column) -> str | None:
    return sayable(column.name)
