"""A greatest value above a bound is a row above the bound.

Statement
    WHERE (SELECT MAX(x) FROM b WHERE p) > 3   ==   WHERE EXISTS (SELECT 1 FROM b WHERE p AND x > 3)
    WHERE a.y < (SELECT MAX(x) FROM b)         ==   WHERE EXISTS (SELECT 1 FROM b WHERE a.y < x)

Holds when
    The inner query has no other clause than FROM and WHERE. x is a column of integers, reals,
    texts, days, moments or decimals of one scale, or NUMERIC in SQLite; the bound is a constant
    that is compared with x as with MAX(x), or in WHERE a column of the query around, both integers,
    reals or texts. The comparison stands where only truth counts. The same for >=, and for < and <=
    with MIN.

Why
    The greatest value is one of the values, and no other is above it. Without a value it is NULL,
    and there is no row above the bound, either.

Limits
    MAX(x) < 3 asks all rows: left alone. SQLite makes a number of '5' beside x, and not beside
    MAX(x).

Source
    House rule; ETM (Ascoli et al.) has none like it.
"""

from __future__ import annotations

from sqlglot import exp
from sqlglot.expressions import Expr

from sqlverdict.prove.reasoning.facts import Facts
from sqlverdict.prove.reasoning.filters import in_filter
from sqlverdict.prove.reasoning.shape import (
    conditions,
    enclosing,
    has_only_rows,
    has_subquery,
    items,
    labels,
    labels_in,
    set_conditions,
    source_label,
)
from sqlverdict.prove.reasoning.stored import compares_like_extreme
from sqlverdict.prove.rule import EVERYWHERE, Pair, rule


@rule(
    trust="proved",
    dialects=EVERYWHERE,
    schema="CREATE TABLE t (k INTEGER, v INTEGER); CREATE TABLE u (f INTEGER, w INTEGER)",
    equal=[
        Pair(
            "SELECT v FROM t WHERE (SELECT MAX(w) FROM u WHERE f = k) > 3",
            "SELECT v FROM t WHERE EXISTS (SELECT 1 FROM u WHERE f = k AND w > 3)",
        ),
        Pair(
            "SELECT v FROM t WHERE 1 >= (SELECT MIN(w) FROM u WHERE f = k)",
            "SELECT v FROM t WHERE EXISTS (SELECT 1 FROM u WHERE f = k AND w <= 1)",
        ),
        Pair(
            "SELECT k FROM t WHERE v > (SELECT MIN(w) FROM u)",
            "SELECT k FROM t WHERE EXISTS (SELECT 1 FROM u WHERE w < t.v)",
        ),
    ],
    different=[
        Pair(
            "SELECT k FROM t WHERE v > (SELECT MAX(w) FROM u)",
            "SELECT k FROM t WHERE EXISTS (SELECT 1 FROM u WHERE w < t.v)",
            because="another row may be above v",
        ),
        Pair(
            "SELECT v FROM t WHERE (SELECT MAX(w) FROM u WHERE f = k) < 3",
            "SELECT v FROM t WHERE EXISTS (SELECT 1 FROM u WHERE f = k AND w < 3)",
            because="another row may be above the bound",
        ),
    ],
)
def extreme_above_bound_is_existence(
    node: exp.GT | exp.GTE | exp.LT | exp.LTE, facts: Facts
) -> Expr | None:
    """Ask for the row."""
    first = isinstance(node.this, exp.Subquery)
    query, bound = (node.this, node.expression) if first else (node.expression, node.this)
    inner = query.this if isinstance(query, exp.Subquery) else None
    if not isinstance(inner, exp.Select) or len(inner.expressions) != 1 or not in_filter(node):
        return None
    if not has_only_rows(inner) or not items(inner):
        return None
    call = inner.expressions[0]
    above = isinstance(node, exp.GT | exp.GTE) is first
    if not isinstance(call, exp.Max if above else exp.Min) or call.expressions:
        return None
    value = call.this
    if isinstance(value, exp.Distinct) or has_subquery(value):
        return None
    if not labels_in(value) & set(labels(inner)):
        return None
    if not compares_like_extreme(value, bound, facts) and not _is_alike(value, bound, node, facts):
        facts.cited.clear()
        return None
    node.set("this" if first else "expression", value)
    inner.set("expressions", [exp.Literal.number(1)])
    set_conditions(inner, [*conditions(inner), node.copy()])
    return exp.Exists(this=inner)


def _is_alike(value: Expr, bound: Expr, node: Expr, facts: Facts) -> bool:
    """Whether a bound is a column of a row that WHERE looks at, of the same kind as the value."""
    if not isinstance(value, exp.Column) or not isinstance(bound, exp.Column):
        return False
    select = enclosing(node)
    if not isinstance(select, exp.Select) or source_label(bound) not in labels(select):
        return False
    around = node.parent
    while isinstance(around, exp.And | exp.Or):
        around = around.parent
    kind = facts.kind(value)
    return (
        isinstance(around, exp.Where) and kind not in (None, "number") and kind == facts.kind(bound)
    )
