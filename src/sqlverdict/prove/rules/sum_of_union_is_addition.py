"""To sum up counts that a UNION ALL gathers is to add them.

Statement
    SELECT SUM(d.n) FROM (SELECT COUNT(*) AS n FROM a WHERE p UNION ALL SELECT COUNT(*) FROM b) AS d
    ==   SELECT (SELECT COUNT(*) FROM a WHERE p) + (SELECT COUNT(*) FROM b)

Holds when
    The derived table is the only source; each side of the UNION ALL is one count, with no other
    clause than FROM and WHERE. The query around it is that sum and no more.

Why
    Each side gives one row, whose value is not NULL. Counts of rows that share none are one count
    at once.

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
from sqlverdict.prove.reasoning.shape import is_limited, items, joins, leaves, nodes_in
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
    ],
    different=[
        Pair(
            "SELECT SUM(n) FROM (SELECT COUNT(*) AS n FROM t UNION SELECT COUNT(*) FROM u) AS d",
            "SELECT (SELECT COUNT(*) FROM t) + (SELECT COUNT(*) FROM u)",
            because="UNION folds equal counts",
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
    if not isinstance(call, exp.Sum) or not isinstance(call.this, exp.Column):
        return None
    unions = [part for part in nodes_in(query) if isinstance(part, exp.SetOperation)]
    if not all(_keeps_copies(part) for part in unions):
        return None
    sides = [exp.Subquery(this=side.copy()) for side in leaves(query)]
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
