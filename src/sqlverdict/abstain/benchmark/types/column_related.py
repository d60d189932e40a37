"""Columns that could well be there: a ``birth city`` of singers.

Taken from tables of the same thing in other databases (what their singers have and ours do not),
and from what several databases say of things of the same kind, be they singers or students.
Where other databases offer too little, what things of the kind usually have stands in. The column
is nowhere in the database, in any spelling.
"""

from __future__ import annotations

from collections.abc import Sequence

from sqlverdict.abstain.benchmark.columns.entities import entity_kind, same_entity
from sqlverdict.abstain.benchmark.columns.hypothetical import (
    Hypothetical,
    attributes_elsewhere,
    common_attributes,
)
from sqlverdict.abstain.benchmark.columns.ideas import ColumnType
from sqlverdict.abstain.benchmark.columns.lexicon import usual
from sqlverdict.abstain.benchmark.question_sources import QuestionSources, SchemaWords
from sqlverdict.abstain.benchmark.unanswerable import TYPES
from sqlverdict.parse.schema import Table

_SEVERAL = 2
"""What so many databases say of the same thing: one alone may have its own reasons."""

_ENOUGH = 6


@TYPES.member
class ColumnRelated(ColumnType):
    """Hypothetical columns that would fit into the schema."""

    label = "column-related"
    version = 4

    def options(
        self, sources: QuestionSources, known: SchemaWords, table: Table, near: frozenset[str]
    ) -> Sequence[Hypothetical]:
        """What the same things have elsewhere, and what things of the kind have."""
        del near
        kind = entity_kind(table)
        columns = common_attributes(sources, known.schema.db_id, kind) if kind is not None else {}
        sayers: dict[str, set[str]] = {}
        for attribute in attributes_elsewhere(sources, known.schema.db_id):
            if attribute.entity == kind and same_entity(attribute.table, table):
                sayers.setdefault(attribute.name, set()).add(attribute.db_id)
                if len(sayers[attribute.name]) == _SEVERAL:
                    columns.setdefault(attribute.name, attribute.hypothetical)
        missing = [each for each in columns.values() if not known.holds(each.name)]
        if kind is not None and len(missing) < _ENOUGH:
            names = {each.name for each in missing}
            missing += [
                each
                for each in usual(kind)
                if each.name not in names and not known.holds(each.name)
            ]
        return missing
