"""Columns that could well be there: a ``birth city`` of singers.

Taken from tables of the same thing in other databases (what their singers have and ours do not),
and from what several databases say of things of the same kind, be they singers or students.
Where other databases offer too little, what things of the kind usually have stands in. The column
is nowhere in the database, in any spelling.
"""

from __future__ import annotations

from collections.abc import Sequence

from sqlverdict.abstain.benchmark.columns.attributes import attributes_elsewhere
from sqlverdict.abstain.benchmark.columns.entities import entity_kind, head, same_entity
from sqlverdict.abstain.benchmark.columns.hypothetical import Hypothetical
from sqlverdict.abstain.benchmark.columns.ideas import ColumnType
from sqlverdict.abstain.benchmark.columns.lexicon import usual
from sqlverdict.abstain.benchmark.question_sources import QuestionSources, SchemaWords
from sqlverdict.abstain.benchmark.unanswerable_type import TYPES
from sqlverdict.parse.schema import Table

_COMMON = 5
"""What so many different things of a kind have is an attribute of the kind: players, students
and employees have a height, students alone have an advisor."""

_ENOUGH = 6


@TYPES.member
class ColumnRelated(ColumnType):
    """Hypothetical columns that would fit into the schema."""

    label = "column-related"
    version = 2

    def options(
        self, sources: QuestionSources, known: SchemaWords, table: Table, near: frozenset[str]
    ) -> Sequence[Hypothetical]:
        """What the same things have elsewhere, and what things of the kind have."""
        del near
        kind = entity_kind(table)
        columns: dict[str, Hypothetical] = {}
        owners: dict[str, set[str]] = {}
        for attribute in attributes_elsewhere(sources, known.schema.db_id):
            if kind is not None and attribute.entity == kind:
                owners.setdefault(attribute.name, set()).add(head(attribute.table))
            same = same_entity(attribute.table, table) and attribute.entity == kind
            if same or len(owners.get(attribute.name, ())) >= _COMMON:
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
