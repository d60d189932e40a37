"""A value is IN a UNION if it is in one of its sides.

Statement
    x IN (q UNION r)   ==   x IN (q) OR x IN (r)

Holds when
    x contains no subquery, the UNION has no LIMIT, and x and the columns of all sides are
    numbers, or all of them are text.

Why
    IN is a disjunction of equalities over all rows, and OR joins the two disjunctions, NULLs
    included. Copies do not count, so UNION ALL is the same.

Limits
    Rows of several columns are left alone. SQLite gives x IN (q UNION r) one affinity, which for
    mixed types is not that of x IN (q).

Source
    House rule, met in published predictions; ETM (Ascoli et al.) has none like it.
"""

from __future__ import annotations

from sqlglot import exp
from sqlglot.expressions import Expr

from sqlverdict.prove.reasoning.copies import counted_copy
from sqlverdict.prove.reasoning.facts import Facts
from sqlverdict.prove.reasoning.shape import has_subquery, is_limited, leaves
from sqlverdict.prove.rule import EVERYWHERE, Pair, rule


@rule(
    trust="proved",
    dialects=EVERYWHERE,
    schema="CREATE TABLE t (k INTEGER, v INTEGER)",
    equal=[
        Pair(
            "SELECT k FROM t WHERE k NOT IN (SELECT v FROM t UNION SELECT k + 1 FROM t)",
            "SELECT k FROM t WHERE k NOT IN (SELECT v FROM t) AND k NOT IN (SELECT k + 1 FROM t)",
        ),
    ],
    different=[
        Pair(
            "SELECT k FROM t WHERE k IN (SELECT v FROM t UNION SELECT k + 1 FROM t)",
            "SELECT k FROM t WHERE k IN (SELECT v FROM t) AND k IN (SELECT k + 1 FROM t)",
            because="one side is enough",
        ),
    ],
)
def in_union_is_or(node: exp.In, facts: Facts) -> Expr | None:
    """Ask each side."""
    query = node.args.get("query")
    inner = query.this if isinstance(query, exp.Subquery) else query
    if not isinstance(inner, exp.Union) or is_limited(inner) or has_subquery(node.this):
        return None
    if isinstance(node.this, exp.Tuple):
        return None
    # One affinity is used for all of a set operation, that of its last SELECT.
    if not all(facts.comparable(node.this, side.expressions[0]) for side in leaves(inner)):
        return None
    first = exp.In(this=counted_copy(node.this), query=exp.Subquery(this=inner.this))
    second = exp.In(this=node.this, query=exp.Subquery(this=inner.expression))
    return exp.Or(this=first, expression=second)
