"""EXISTS asks for a row, not for its columns, its order or its copies.

Statement
    EXISTS (SELECT DISTINCT x, y FROM a WHERE p ORDER BY x)   ==   EXISTS (SELECT 1 FROM a WHERE p)

Holds when
    The inner query is no set operation, has no grouping, and no OFFSET or LIMIT 0.

Why
    There is a row with these columns if and only if there is one with others.

Limits
    An aggregate without GROUP BY always gives a row; it is left alone.

Source
    House rule; ETM (Ascoli et al.) has none like it.
"""

from __future__ import annotations

from sqlglot import exp
from sqlglot.expressions import Expr

from sqlverdict.prove.reasoning.facts import Facts
from sqlverdict.prove.reasoning.shape import is_grouped, whole_number
from sqlverdict.prove.rule import EVERYWHERE, Pair, rule


@rule(
    trust="proved",
    dialects=EVERYWHERE,
    schema="CREATE TABLE t (k INTEGER, v INTEGER)",
    equal=[
        Pair(
            "SELECT k FROM t WHERE EXISTS (SELECT DISTINCT * FROM t b WHERE b.v = t.k ORDER BY 1)",
            "SELECT k FROM t WHERE EXISTS (SELECT 1 FROM t b WHERE b.v = t.k)",
        ),
    ],
    different=[
        Pair(
            "SELECT k FROM t WHERE EXISTS (SELECT COUNT(*) FROM t b WHERE b.v = t.k)",
            "SELECT k FROM t WHERE EXISTS (SELECT 1 FROM t b WHERE b.v = t.k)",
            because="COUNT gives a row for nothing too",
        ),
    ],
)
def exists_asks_for_a_row(node: exp.Exists, facts: Facts) -> Expr | None:
    """Select 1."""
    del facts
    inner = node.this
    if not isinstance(inner, exp.Select) or is_grouped(inner) or inner.args.get("offset"):
        return None
    limit = inner.args.get("limit")
    if limit is not None and (whole_number(limit.expression) or 0) < 1:
        return None
    one = len(inner.expressions) == 1 and whole_number(inner.expressions[0]) == 1
    if one and not any(inner.args.get(part) for part in ("distinct", "order", "limit")):
        return None
    inner.set("expressions", [exp.Literal.number(1)])
    for part in ("distinct", "order", "limit"):
        inner.set(part, None)
    return node
