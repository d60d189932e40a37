"""EXISTS asks for a row, not for its columns, its order or its copies.

Statement
    EXISTS (SELECT DISTINCT x, y FROM a WHERE p ORDER BY x)   ==   EXISTS (SELECT 1 FROM a WHERE p)
    EXISTS (SELECT x, MAX(y) FROM a WHERE p GROUP BY x)       ==   EXISTS (SELECT 1 FROM a WHERE p)

Holds when
    The inner query is no set operation, has no HAVING, and no OFFSET or LIMIT 0. Where it
    aggregates it has GROUP BY.

Why
    There is a row with these columns if and only if there is one with others, and a group if and
    only if there is a row.

Limits
    An aggregate without GROUP BY always gives a row; it is left alone here.

Source
    House rule; ETM (Ascoli et al.) has none like it.
"""

from __future__ import annotations

from sqlglot import exp
from sqlglot.expressions import Expr

from sqlverdict.prove.reasoning.bare import EXTREMES
from sqlverdict.prove.reasoning.facts import Facts
from sqlverdict.prove.reasoning.shape import has_window, is_grouped, whole_number
from sqlverdict.prove.rule import EVERYWHERE, Pair, rule

_IDLE = ("distinct", "order", "limit", "group", EXTREMES)


@rule(
    trust="proved",
    dialects=EVERYWHERE,
    schema="CREATE TABLE t (k INTEGER, v INTEGER)",
    equal=[
        Pair(
            "SELECT k FROM t WHERE EXISTS (SELECT DISTINCT * FROM t b WHERE b.v = t.k ORDER BY 1)",
            "SELECT k FROM t WHERE EXISTS (SELECT 1 FROM t b WHERE b.v = t.k)",
        ),
        Pair(
            "SELECT k FROM t"
            " WHERE EXISTS (SELECT b.v, MAX(b.k) FROM t b WHERE b.v > 1 GROUP BY b.v)",
            "SELECT k FROM t WHERE EXISTS (SELECT 1 FROM t b WHERE b.v > 1)",
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
    if not isinstance(inner, exp.Select) or inner.args.get("offset") or has_window(inner):
        return None
    if inner.args.get("having") is not None:
        return None
    if is_grouped(inner) and inner.args.get("group") is None:
        return None
    limit = inner.args.get("limit")
    if limit is not None and (whole_number(limit.expression) or 0) < 1:
        return None
    one = len(inner.expressions) == 1 and whole_number(inner.expressions[0]) == 1
    if one and not any(inner.args.get(part) for part in _IDLE):
        return None
    inner.set("expressions", [exp.Literal.number(1)])
    for part in _IDLE:
        inner.set(part, None)
    return node
