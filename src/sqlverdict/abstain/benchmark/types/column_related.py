"""Columns that could well be there: a ``duration`` of songs.

Taken from tables of the same name in other databases (what their singers have and ours do not),
and from a list of what persons, events, places, works and other things may have. The column is
nowhere in the database, in any spelling.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from sqlverdict.abstain.benchmark.columns import Hypothetical, column_ideas, is_key, kind_of
from sqlverdict.abstain.benchmark.lexicon import related
from sqlverdict.abstain.benchmark.question_sources import QuestionSources, SchemaWords
from sqlverdict.abstain.benchmark.unanswerable_type import TYPES, Idea
from sqlverdict.abstain.benchmark.words import sayable, singular, words
from sqlverdict.parse.schema import Table


@TYPES.member
class ColumnRelated:
    """Hypothetical columns that would fit into the schema."""

    label = "column-related"
    version = 1
    prompt = "unanswerable_column"

    def ideas(self, world: QuestionSources, db_id: str) -> Iterator[Idea]:
        """Questions of this type on a database."""
        return column_ideas(world, db_id, _options, self.label)


def _options(
    world: QuestionSources, known: SchemaWords, table: Table, near: frozenset[str]
) -> Sequence[Hypothetical]:
    del near
    wanted = tuple(map(singular, words(table.name)))
    found: dict[str, Hypothetical] = {}
    for elsewhere in world.elsewhere(known.schema.db_id):
        for other in elsewhere.schema.tables:
            if tuple(map(singular, words(other.name))) != wanted:
                continue
            for column in other.columns:
                name = None if is_key(other, column) else sayable(column.name)
                if name and world.said(name):
                    origin = f"{elsewhere.schema.db_id}.{other.name}.{column.name}"
                    found.setdefault(name, Hypothetical(name, kind_of(column), origin))
    for each in related(table):
        found.setdefault(each.name, each)
    return [each for each in found.values() if not known.holds(each.name)]
