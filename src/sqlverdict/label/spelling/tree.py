"""One query in the spelling of all: names, conditions, parentheses and text."""

from __future__ import annotations

from sqlglot import exp
from sqlglot.errors import SqlglotError

from sqlverdict.label.spelling.conditions import spell_conditions
from sqlverdict.label.spelling.names import Unspelled, spell_names
from sqlverdict.label.spelling.spelled import SpelledQuery
from sqlverdict.label.spelling.text import identifier_of, tree_text
from sqlverdict.parse.names import first_select
from sqlverdict.parse.query import parse
from sqlverdict.parse.schema import Schema
from sqlverdict.records import Query

_ODD_TREES = (AttributeError, LookupError, TypeError, ValueError)
"""What sqlglot raises where a tree of an odd text lacks a part: such a text is not read here."""


def spell_query(sql: str, dialect: str, schema: Schema) -> SpelledQuery | None:
    """A query in the one spelling; ``None``: it has parts that are not read.

    The text means what the query means, and is its own spelling.
    """
    first = _spell(sql, dialect, schema)
    if first is None:
        return None
    again = _spell(first.text, dialect, schema)
    return first if again is not None and again.text == first.text else None


def _spell(sql: str, dialect: str, schema: Schema) -> SpelledQuery | None:
    query = parse(sql, dialect)
    if not isinstance(query, Query):
        return None
    holder = exp.Paren(this=query.tree.copy())
    try:
        spell_names(holder.this, schema, lambda name: identifier_of(name, dialect))
        spell_conditions(holder.this, lambda part: tree_text(part, dialect))
        select = first_select(holder.this)
        columns: list[str | None] = []
        for output in select.expressions if select is not None else ():
            if output.is_star:
                columns.append(None)
            else:
                columns.append(output.alias_or_name or tree_text(output, dialect))
        return SpelledQuery(tree_text(holder.this, dialect), tuple(columns))
    except (Unspelled, SqlglotError, RecursionError, *_ODD_TREES):
        return None
