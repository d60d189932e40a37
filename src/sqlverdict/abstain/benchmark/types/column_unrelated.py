"""Columns of other worlds: a ``blood type`` of singers.

What things of the kind have, and databases hardly ever keep: a singer has a blood type, and a
database of concerts does not care. Columns of databases on other subjects would be further away,
and make questions that nobody asks (the hull thickness of a singer). No word that says something
about the column occurs in the database's schema.
"""

from __future__ import annotations

from collections.abc import Sequence

from sqlverdict.abstain.benchmark.columns.entities import entity_kind
from sqlverdict.abstain.benchmark.columns.hypothetical import Hypothetical
from sqlverdict.abstain.benchmark.columns.ideas import ColumnType
from sqlverdict.abstain.benchmark.columns.lexicon import unusual
from sqlverdict.abstain.benchmark.question_sources import QuestionSources, SchemaWords
from sqlverdict.abstain.benchmark.unanswerable import TYPES
from sqlverdict.abstain.benchmark.words import GENERIC, meanings
from sqlverdict.parse.schema import Table


@TYPES.member
class ColumnUnrelated(ColumnType):
    """Hypothetical columns that have nothing to do with the database."""

    label = "column-unrelated"
    version = 4

    def options(
        self, sources: QuestionSources, known: SchemaWords, table: Table, near: frozenset[str]
    ) -> Sequence[Hypothetical]:
        """What things of the table's kind have, and no word of which is in the schema."""
        del sources, near
        kind = entity_kind(table)
        if kind is None:
            return ()
        specific = known.vocabulary - GENERIC
        return [
            each
            for each in unusual(kind)
            if not meanings(each.name) & specific and not known.holds(each.name)
        ]
