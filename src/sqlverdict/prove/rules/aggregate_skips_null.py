"""Aggregates skip NULLs by themselves.

Statement
    SELECT COUNT(DISTINCT x) FROM t WHERE x IS NOT NULL   ==   SELECT COUNT(DISTINCT x) FROM t
    SELECT COUNT(x) FROM t   ==   SELECT COUNT(*) FROM t WHERE x IS NOT NULL

Holds when
    There is no GROUP BY, and every aggregate of the query is over x (COUNT, SUM, AVG, MIN, MAX,
    with DISTINCT or not); for the second form all of them are COUNT(x).

Why
    A row in which x is NULL adds nothing to any of them, and without GROUP BY there is one row
    of results in any case.

Limits
    COUNT(*) or an aggregate over another column sees the row.

Source
    Reference notes on ETM: open pairs of published predictions.
"""

from __future__ import annotations

from sqlglot import exp
from sqlglot.expressions import Expr

from sqlverdict.prove.canonical import key
from sqlverdict.prove.known import Known
from sqlverdict.prove.rule import Pair, rule
from sqlverdict.prove.shape import aggregates_in, columns_in, conditions, labels, set_conditions

_SKIP = (exp.Count, exp.Sum, exp.Avg, exp.Min, exp.Max)


@rule(
    trust="proved",
    schema="CREATE TABLE t (k INTEGER, v INTEGER)",
    equal=[
        Pair("SELECT MAX(v), SUM(v) FROM t WHERE v IS NOT NULL", "SELECT MAX(v), SUM(v) FROM t"),
        Pair("SELECT COUNT(v) FROM t", "SELECT COUNT(*) FROM t WHERE v IS NOT NULL"),
    ],
    different=[
        Pair(
            "SELECT COUNT(v), MAX(k) FROM t WHERE v IS NOT NULL",
            "SELECT COUNT(v), MAX(k) FROM t",
            because="MAX(k) sees the row",
        ),
    ],
)
def aggregate_skips_null(node: exp.Select, known: Known) -> Expr | None:
    """Drop the condition, or count rows."""
    del known
    if node.args.get("group") is not None or node.args.get("having") is not None:
        return None
    found = list(aggregates_in(node.expressions))
    if not found or not all(isinstance(call, _SKIP) for call in found):
        return None
    taken = {key(_argument(call)) for call in found}
    column = _argument(found[0])
    if len(taken) != 1 or not isinstance(column, exp.Column):
        return None
    inside = {id(c) for call in found for c in columns_in(call)}
    own = labels(node)
    bare = (c for item in node.expressions for c in columns_in(item) if c.text("table") in own)
    if column.text("table") not in own or any(id(c) not in inside for c in bare):
        return None
    if all(isinstance(call, exp.Count) and isinstance(call.this, exp.Column) for call in found):
        test = exp.Not(this=exp.Is(this=column.copy(), expression=exp.Null()))
        for call in found:
            call.set("this", exp.Star())
        set_conditions(node, [*conditions(node), test])
        return node
    kept = [part for part in conditions(node) if not _tests(part, column)]
    if len(kept) == len(conditions(node)):
        return None
    set_conditions(node, kept)
    return node


def _argument(call: Expr) -> Expr:
    inner: Expr = call.this
    if isinstance(inner, exp.Distinct) and len(inner.expressions) == 1:
        only: Expr = inner.expressions[0]
        return only
    return inner


def _tests(condition: Expr, column: Expr) -> bool:
    inner = condition.this if isinstance(condition, exp.Not) else None
    if not isinstance(inner, exp.Is) or not isinstance(inner.expression, exp.Null):
        return False
    return key(inner.this) == key(column)
