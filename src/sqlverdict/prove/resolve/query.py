"""A parsed query as rules see it first, in any dialect."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache

from sqlglot.expressions import Expr

from sqlverdict.dialects import dialect_of
from sqlverdict.execute.common_text import text_in_common_sql
from sqlverdict.parse.facts import Fact, facts_of
from sqlverdict.parse.qualified import with_plain_names
from sqlverdict.parse.query import parse
from sqlverdict.parse.schema import Schema
from sqlverdict.prove.reasoning.facts import Facts
from sqlverdict.prove.reasoning.shape import copied
from sqlverdict.prove.resolve.common_sql import require_common_sql
from sqlverdict.prove.resolve.engine_limits.sort_terms import (
    require_no_constants,
    require_visible_columns,
)
from sqlverdict.prove.resolve.parser_losses import require_all_signs
from sqlverdict.prove.resolve.quoted_values import (
    call_day_differences,
    spell_collated_texts,
    spell_days,
)
from sqlverdict.prove.resolve.refusals import require_readable
from sqlverdict.prove.resolve.scope import EngineRefusal, Unsupported
from sqlverdict.prove.resolve.spellings import spell_plainly
from sqlverdict.prove.resolve.standard_names import require_plain_windows
from sqlverdict.prove.resolve.tree import Resolved, resolve_tree
from sqlverdict.records import ParseFailure, Query

_LATEST = 16
"""How many resolved trees are remembered: those of a pair, for each of a few threads."""

READINGS = (None, True, False)
"""How a query is read, each way where the ways before it fail: as common SQL; or as its engine
writes it in common SQL, with arithmetic as it stands, and with unknown functions for it."""


def resolve_query(
    query: Query, schema: Schema, facts: frozenset[Fact] | None = None, reading: int = 0
) -> Resolved:
    """Resolve a query, where its dialect reads it as our parser does.

    For SQLite that is checked where a proof was found (``fidelity.py``). Elsewhere a query is read
    if all of it is common SQL; or else as its own engine writes it in common SQL, with calls of
    unknown functions. A table that is named with its schema goes by its one plain name from here
    on.

    Args:
        query: The parsed query.
        schema: The tables.
        facts: What holds in them; all that the schema says, where not given.
        reading: The first of ``READINGS`` that is tried.

    Raises:
        EngineRefusal: its engine refuses it.
        Unsupported: it has a construct that is not read.
    """
    if dialect_of(query.dialect).in_python:
        return resolve_in_python(query.tree, schema)
    facts = facts_of(schema, query.dialect) if facts is None else facts
    problem: Unsupported | None = None
    for number, arithmetic in enumerate(READINGS):
        if number < reading:
            continue
        other = query if arithmetic is None else _in_common_sql(query, arithmetic, schema)
        if other is None:
            break
        try:
            start = _resolve_common(other, schema)
            require_readable(start.tree, Facts(schema, facts, start.bases, query.dialect))
            return replace(start, reading=number)
        except EngineRefusal:
            raise
        except Unsupported as beyond:
            problem = problem or beyond
    raise problem or Unsupported(f"the query has no other words in {query.dialect}")


def resolve_in_python(tree: Expr, schema: Schema) -> Resolved:
    """Resolve a parsed query of SQLite.

    Where a proof is found, both queries are resolved a second time, to be compiled: the latest
    ones are remembered.

    Raises:
        Unsupported: it has a construct that is not read.
    """
    start = _resolved(_TreeIdentity(tree), schema)
    return Resolved(copied(start.tree), dict(start.bases))


class _TreeIdentity:
    """A tree that equals itself alone: to compare two trees takes as long as to resolve one."""

    def __init__(self, tree: Expr) -> None:
        self.tree = tree

    def __hash__(self) -> int:
        return id(self.tree)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _TreeIdentity) and other.tree is self.tree


@lru_cache(maxsize=_LATEST)
def _resolved(parsed: _TreeIdentity, schema: Schema) -> Resolved:
    """The resolved tree, which is for copying alone."""
    return resolve_tree(parsed.tree, schema)


def _in_common_sql(query: Query, arithmetic: bool, schema: Schema) -> Query | None:
    """The query as its own engine writes it in common SQL; ``None`` where it cannot."""
    text = text_in_common_sql(query.sql, query.dialect, arithmetic, schema)
    other = parse(text, query.dialect) if text is not None else None
    return other if isinstance(other, Query) else None


def _resolve_common(query: Query, schema: Schema) -> Resolved:
    plain = with_plain_names(query, schema)
    if isinstance(plain, ParseFailure):
        raise Unsupported(plain.message)
    query = plain
    require_all_signs(query)
    tree = query.tree.copy()
    spell_plainly(tree, query.dialect, schema)
    require_common_sql(replace(query, tree=tree), schema)
    require_plain_windows(tree, query.dialect)
    require_no_constants(tree, dialect_of(query.dialect))
    require_visible_columns(tree, dialect_of(query.dialect))
    start = resolve_tree(tree, schema, query.dialect)
    spell_collated_texts(start.tree, start.bases, schema, query.dialect)
    spell_days(start.tree, start.bases, schema, query.dialect)
    call_day_differences(start.tree, start.bases, schema, query.dialect)
    return start
