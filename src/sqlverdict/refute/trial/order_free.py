"""Whether an answer cannot depend on the order in which rows lie, as far as the tree tells.

A short list of what is surely free of it, so that most queries need not be run again to see.
What is not on the list is run: anything with LIMIT, a window, a sum of numbers (floats add up
differently in another order), a column beside an aggregate that is no key of the groups, a
subquery of which the first row is taken, a collation (the first of two texts that count as equal
is shown), or a rowid.
"""

from __future__ import annotations

import re
from functools import lru_cache

from sqlglot import exp
from sqlglot.expressions import Expr

from sqlverdict.parse.schema import Schema
from sqlverdict.parse.tokens import fold
from sqlverdict.records import Query
from sqlverdict.refute.read.columns import nodes_of

_SUSPECT = re.compile(r"\b(limit|over|collate|recursive|rowid|_rowid_|oid)\b|json", re.IGNORECASE)
_COLLATION = re.compile(r"\bcollate\b", re.IGNORECASE)
_PICKED = (exp.Count, exp.Max, exp.Min)
_PARTS = ("expressions", "having", "order", "qualify")


def is_order_free(query: Query, schema: Schema) -> bool:
    """Whether the rows of the answer are the same in whatever order the tables hold theirs.

    The order of the answer's own rows is another matter: a comparison looks at it.
    """
    if _SUSPECT.search(query.sql) or _has_collation(schema):
        return False
    for node in nodes_of(query.tree):
        if isinstance(node, exp.AggFunc) and not isinstance(node, _PICKED):
            return False
        if isinstance(node, exp.Anonymous | exp.Window | exp.UserDefinedFunction):
            return False
        if isinstance(node, exp.Select) and not (_is_free(node) and _is_set(node)):
            return False
    return True


@lru_cache(maxsize=64)
def _has_collation(schema: Schema) -> bool:
    return any(_COLLATION.search(table.sql or "") for table in schema.tables)


def _is_set(select: Expr) -> bool:
    """Whether all rows of a query count, not the first one only."""
    inner, around = select, select.parent
    while isinstance(around, exp.SetOperation | exp.Subquery):
        inner, around = around, around.parent
    if around is None or isinstance(around, exp.CTE | exp.From | exp.Join | exp.Exists):
        return True
    if isinstance(around, exp.In) and around.args.get("query") is inner:
        return True
    # One row, if nothing is grouped: the first is all there is.
    return (
        isinstance(inner, exp.Subquery)
        and inner.this is select
        and select.args.get("group") is None
        and any(_aggregates(part) for part in select.expressions)
    )


def _is_free(select: Expr) -> bool:
    """Whether a query that makes groups shows nothing of them but aggregates and their keys."""
    group = select.args.get("group")
    parts = [part for name in _PARTS for part in _as_list(select.args.get(name))]
    if group is None and not any(_aggregates(part) for part in parts):
        return True
    keys = {_name(key) for key in group.expressions} if group is not None else set()
    keys |= {("", fold(part.alias)) for part in select.expressions if isinstance(part, exp.Alias)}
    return None not in keys and all(_shows_only(part, keys) for part in parts)


def _as_list(part: Expr | list[Expr] | None) -> list[Expr]:
    return part if isinstance(part, list) else [] if part is None else [part]


def _aggregates(part: Expr) -> bool:
    return any(isinstance(node, exp.AggFunc) for node in nodes_of(part))


def _name(key: Expr) -> tuple[str, str] | None:
    return (fold(key.table), fold(key.name)) if isinstance(key, exp.Column) else None


def _shows_only(part: Expr, keys: set[tuple[str, str] | None]) -> bool:
    """Whether columns outside of aggregates are keys; a query inside is not looked into."""
    if isinstance(part, exp.AggFunc):
        return True
    if isinstance(part, exp.Query | exp.Star):
        return False
    if isinstance(part, exp.Column):
        return _name(part) in keys
    return all(_shows_only(inner, keys) for inner in part.iter_expressions())
