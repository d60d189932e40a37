"""To sum up counts that a UNION ALL gathers, or to count its rows, is to add counts.

Statement
    SELECT SUM(d.n) FROM (SELECT COUNT(*) AS n FROM a WHERE p UNION ALL SELECT COUNT(*) FROM b) AS d
    ==   SELECT (SELECT COUNT(*) FROM a WHERE p) + (SELECT COUNT(*) FROM b)
    SELECT COUNT(*) FROM (SELECT x FROM a WHERE p UNION ALL SELECT y FROM b) AS d
    ==   SELECT (SELECT COUNT(*) FROM a WHERE p) + (SELECT COUNT(*) FROM b)

Holds when
    The derived table is the only source; each side of the UNION ALL is one count, with no other
    clause than FROM and WHERE. The query around it is that sum and no more. Where its rows are
    counted, each side is a query of FROM and WHERE.

Why
    Each side gives one row, whose value is not NULL. Counts of rows that share none are one count
    at once. UNION ALL keeps all rows of both sides.

Limits
    UNION folds counts that are equal: left alone.

Source
    House rule; ETM (Ascoli et al.) has none like it.
"""

from __future__ import annotations

from sqlglot import exp
from sqlglot.expressions import Expr

from sqlverdict.prove.reasoning.counting import counts_rows
from sqlverdict.prove.reasoning.disjoint import common_count
from sqlverdict.prove.reasoning.facts import Facts
from sqlverdict.prove.reasoning.shape import (
    has_window,
    is_grouped,
    is_limited,
    items,
    joins,
    leaves,
    nodes_in,
)
from sqlverdict.prove.rule import EVERYWHERE, Pair, rule

_OTHER = ("where", "group", "having", "order", "limit", "offset", "distinct")


@rule(
    trust="proved",
    dialects=EVERYWHERE,
    needs=(exp.Union,),
    schema="CREATE TABLE t (k INTEGER, v INTEGER); CREATE TABLE u (f INTEGER, w INTEGER)",
    equal=[
        Pair(
            "SELECT SUM(n) FROM"
            " (SELECT COUNT(*) AS n FROM t WHERE v > 1 UNION ALL SELECT COUNT(*) FROM u) AS d",
            "SELECT (SELECT COUNT(*) FROM t WHERE v > 1) + (SELECT COUNT(*) FROM u)",
        ),
        Pair(
            "SELECT COUNT(*) FROM (SELECT k FROM t WHERE v > 1 UNION ALL SELECT f FROM u) AS d",
            "SELECT (SELECT COUNT(*) FROM t WHERE v > 1) + (SELECT COUNT(*) FROM u)",
        ),
    ],
    different=[
        Pair(
            "SELECT SUM(n) FROM (SELECT COUNT(*) AS n FROM t UNION SELECT COUNT(*) FROM u) AS d",
            "SELECT (SELECT COUNT(*) FROM t) + (SELECT COUNT(*) FROM u)",
            because="UNION folds equal counts",
        ),
        Pair(
            "SELECT COUNT(*) FROM (SELECT k FROM t UNION SELECT f FROM u) AS d",
            "SELECT (SELECT COUNT(*) FROM t) + (SELECT COUNT(*) FROM u)",
            because="UNION folds equal rows",
        ),
    ],
)
def sum_of_union_is_addition(node: exp.Select, facts: Facts) -> Expr | None:
    """Add them."""
    sources = items(node)
    if len(sources) != 1 or joins(node) or any(node.args.get(part) for part in _OTHER):
        return None
    query = sources[0].this if isinstance(sources[0], exp.Subquery) else None
    if not isinstance(query, exp.Union) or len(node.expressions) != 1:
        return None
    call = node.expressions[0]
    is_count = isinstance(call, exp.Count) and isinstance(call.this, exp.Star)
    if not is_count and not (isinstance(call, exp.Sum) and isinstance(call.this, exp.Column)):
        return None
    unions = [part for part in nodes_in(query) if isinstance(part, exp.SetOperation)]
    if not all(_keeps_copies(part) for part in unions):
        return None
    sides = [exp.Subquery(this=side.copy()) for side in leaves(query)]
    if is_count:
        if not all(_is_selection(side.this) for side in sides):
            return None
        for side in sides:
            side.this.set("expressions", [exp.Count(this=exp.Star(), big_int=True)])
    if not all(map(counts_rows, sides)):
        return None
    total: Expr = sides[0]
    for side in sides[1:]:
        total = common_count(total, side, facts) or exp.Add(this=total, expression=side)
    node.set("from_", None)
    node.set("expressions", [total])
    return node


def _keeps_copies(union: exp.SetOperation) -> bool:
    if not isinstance(union, exp.Union) or union.args.get("distinct"):
        return False
    return not is_limited(union) and union.args.get("order") is None


def _is_selection(query: Expr) -> bool:
    """Whether a query is one of FROM and WHERE alone."""
    if not isinstance(query, exp.Select) or is_grouped(query) or has_window(query):
        return False
    return bool(items(query)) and not any(query.args.get(part) for part in _OTHER[1:])
