"""A value is IN a query if there is a row with that value.

Statement
    WHERE x IN (SELECT y FROM b WHERE p)       ==   WHERE EXISTS (SELECT 1 FROM b WHERE p AND y = x)
    WHERE x NOT IN (SELECT y FROM b WHERE p)   ==   WHERE NOT EXISTS (... AND y = x)
    WHERE (x, v) IN (SELECT y, w FROM b)       ==   WHERE EXISTS (... WHERE y = x AND w = v)

Holds when
    Only truth counts where it stands, and the inner query has no grouping, LIMIT, window or set
    operation. x has no aggregate. For NOT IN, x and y must never be NULL, or another condition of
    WHERE lets no NULL in x pass.

Why
    SQLite compares the members of IN (SELECT ...) as ``=`` does. Where x, or a member, is NULL, IN
    is NULL or false, and no row passes; under NOT the two must not be confused.

Limits
    NOT IN over a column that may be NULL is left alone: one NULL lets no row pass.

Source
    House rule; ETM (Ascoli et al.) lacks it: EXISTS and IN.
"""

from __future__ import annotations

from sqlglot import exp
from sqlglot.expressions import Expr

from sqlverdict.parse.facts import NotNull
from sqlverdict.prove.reasoning.facts import Facts
from sqlverdict.prove.reasoning.filters import in_filter
from sqlverdict.prove.reasoning.shape import (
    aggregates_in,
    conditions,
    has_subquery,
    has_window,
    is_grouped,
    is_limited,
    parts,
    set_conditions,
)
from sqlverdict.prove.reasoning.strict import rejects_null
from sqlverdict.prove.rule import EVERYWHERE, Pair, rule


@rule(
    trust="proved",
    dialects=EVERYWHERE,
    schema="CREATE TABLE t (k INTEGER, v INTEGER); CREATE TABLE u (k INTEGER, w INTEGER)",
    equal=[
        Pair(
            "SELECT v FROM t WHERE k IN (SELECT w FROM u WHERE u.k > 1)",
            "SELECT v FROM t WHERE EXISTS (SELECT 1 FROM u WHERE u.k > 1 AND u.w = t.k)",
        ),
        Pair(
            "SELECT v FROM t WHERE k NOT IN (SELECT w FROM u)",
            "SELECT v FROM t WHERE NOT EXISTS (SELECT 1 FROM u WHERE u.w = t.k)",
            (NotNull("t", "k"), NotNull("u", "w")),
        ),
        Pair(
            "SELECT v FROM t WHERE k NOT IN (SELECT w FROM u WHERE w > 1) AND k < 9",
            "SELECT v FROM t WHERE k < 9"
            " AND NOT EXISTS (SELECT 1 FROM u WHERE u.w = t.k AND u.w > 1)",
        ),
    ],
    different=[
        Pair(
            "SELECT v FROM t WHERE k NOT IN (SELECT w FROM u)",
            "SELECT v FROM t WHERE NOT EXISTS (SELECT 1 FROM u WHERE u.w = t.k)",
            (NotNull("t", "k"),),
            because="a NULL in u.w lets no row pass NOT IN",
        ),
        Pair(
            "SELECT v FROM t WHERE k NOT IN (SELECT w FROM u WHERE w > 1)",
            "SELECT v FROM t WHERE NOT EXISTS (SELECT 1 FROM u WHERE u.w = t.k AND u.w > 1)",
            because="a NULL in k does not pass NOT IN where there are members",
        ),
    ],
)
def in_query_is_exists(node: exp.In, facts: Facts) -> Expr | None:
    """Write EXISTS with an equality."""
    query = node.args.get("query")
    inner = query.this if isinstance(query, exp.Subquery) else query
    if not isinstance(inner, exp.Select) or has_subquery(node.this):
        return None
    values = node.this.expressions if isinstance(node.this, exp.Tuple) else [node.this]
    if len(inner.expressions) != len(values):
        return None
    if next(aggregates_in([node.this]), None) is not None:
        # Inside the other query it would be an aggregate of that query.
        return None
    if is_grouped(inner) or is_limited(inner) or has_window(inner) or not inner.args.get("from_"):
        return None
    members = inner.expressions
    if isinstance(node.parent, exp.Not):
        if not in_filter(node.parent) or not all(map(facts.never_null, members)):
            return None
        if not all(facts.never_null(value) or _is_tested(value, node) for value in values):
            return None
    elif not in_filter(node):
        return None
    pairs = zip(members, values, strict=True)
    equalities = [exp.EQ(this=member, expression=value) for member, value in pairs]
    set_conditions(inner, [*conditions(inner), *equalities])
    inner.set("expressions", [exp.Literal.number(1)])
    inner.set("distinct", None)
    inner.set("order", None)
    return exp.Exists(this=inner)


def _is_tested(value: Expr, node: exp.In) -> bool:
    """Whether another condition of the WHERE of which NOT IN is one lets no NULL pass."""
    condition: Expr | None = node.parent
    while condition is not None and isinstance(condition.parent, exp.And):
        condition = condition.parent
    if condition is None or not isinstance(condition.parent, exp.Where):
        return False
    return isinstance(value, exp.Column) and any(
        rejects_null(part, value) for part in parts(condition) if part is not node.parent
    )
