"""An aggregate without GROUP BY gives a row whatever its tables hold, and LIMIT 0 gives none.

Statement
    EXISTS (SELECT COUNT(*) FROM b WHERE p)    ==   TRUE
    EXISTS (SELECT x FROM b WHERE p LIMIT 0)   ==   FALSE

Holds when
    The first query has neither GROUP BY, HAVING, LIMIT nor OFFSET.

Why
    Without GROUP BY all rows are one group, no rows as well.

Limits
    HAVING may drop the one row: left alone.

Source
    House rule; ETM (Ascoli et al.) has none like it.
"""

from __future__ import annotations

from sqlglot import exp
from sqlglot.expressions import Expr

from sqlverdict.prove.reasoning.facts import Facts
from sqlverdict.prove.reasoning.filters import constant
from sqlverdict.prove.reasoning.shape import is_grouped, is_limited, whole_number
from sqlverdict.prove.rule import EVERYWHERE, Pair, rule


@rule(
    trust="proved",
    dialects=EVERYWHERE,
    schema="CREATE TABLE t (k INTEGER, v INTEGER)",
    equal=[
        Pair(
            "SELECT k FROM t WHERE EXISTS (SELECT MAX(b.k) FROM t b WHERE b.v = t.k)",
            "SELECT k FROM t WHERE TRUE",
        ),
        Pair(
            "SELECT k FROM t WHERE EXISTS (SELECT 1 FROM t b WHERE b.v = t.k LIMIT 0)",
            "SELECT k FROM t WHERE FALSE",
        ),
    ],
    different=[
        Pair(
            "SELECT k FROM t WHERE EXISTS (SELECT MAX(b.k) FROM t b WHERE b.v = t.k GROUP BY b.v)",
            "SELECT k FROM t WHERE TRUE",
            because="without rows there are no groups",
        ),
    ],
)
def aggregate_query_has_a_row(node: exp.Exists, facts: Facts) -> Expr | None:
    """Answer the test."""
    del facts
    inner = node.this
    if not isinstance(inner, exp.Select):
        return None
    limit = inner.args.get("limit")
    if limit is not None and whole_number(limit.expression) == 0:
        return constant(False, node)
    if inner.args.get("group") is not None or inner.args.get("having") is not None:
        return None
    return constant(True, node) if is_grouped(inner) and not is_limited(inner) else None
