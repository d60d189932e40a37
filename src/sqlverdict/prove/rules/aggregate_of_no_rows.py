"""Aggregates of no rows are known: counts are 0, all others are NULL.

Statement
    SELECT COUNT(*), MAX(x) FROM t WHERE FALSE   ==   SELECT 0, NULL
    SELECT COUNT(NULL) FROM t                    ==   SELECT 0

Holds when
    It is the whole query, without GROUP BY, HAVING, ORDER BY, LIMIT and OFFSET. Each column is an
    aggregate or a literal: of no rows, or a COUNT(NULL).

Why
    Without GROUP BY all rows are one group, no rows as well. No NULL is counted.

Limits
    With GROUP BY there is no group, and no row. Inside another query the type of NULL may count.

Source
    House rule; ETM (Ascoli et al.) has none like it.
"""

from __future__ import annotations

from sqlglot import exp
from sqlglot.expressions import Expr

from sqlverdict.prove.reasoning.facts import Facts
from sqlverdict.prove.reasoning.filters import constant_truth
from sqlverdict.prove.reasoning.shape import (
    BAG_AGGREGATES,
    conditions,
    has_only_rows,
    is_aggregate,
    is_constant,
)
from sqlverdict.prove.rule import EVERYWHERE, Pair, rule


@rule(
    trust="proved",
    dialects=EVERYWHERE,
    schema="CREATE TABLE t (k INTEGER, v INTEGER)",
    equal=[
        Pair("SELECT COUNT(*), MAX(v) FROM t WHERE k > 2 AND k < 1", "SELECT 0, NULL"),
        Pair("SELECT COUNT(NULL) FROM t", "SELECT 0"),
    ],
    different=[
        Pair(
            "SELECT COUNT(*) FROM t WHERE 1 = 0 GROUP BY k",
            "SELECT 0",
            because="there is no group",
        ),
        Pair("SELECT COUNT(v) FROM t", "SELECT 0", because="t may have rows"),
    ],
)
def aggregate_of_no_rows(node: exp.Select, facts: Facts) -> Expr | None:
    """Put the values, and read no table."""
    del facts
    if node.parent is not None or node.args.get("from_") is None:
        return None
    if not has_only_rows(node):
        return None
    calls = [output for output in node.expressions if is_aggregate(output)]
    rest = [output for output in node.expressions if output not in calls]
    if not calls or not all(isinstance(call, BAG_AGGREGATES) for call in calls):
        return None
    if not all(is_constant(output) or isinstance(output, exp.Null) for output in rest):
        return None
    no_rows = any(constant_truth(test) is False for test in conditions(node))
    if not no_rows and not all(map(_counts_null, calls)):
        return None
    for call in calls:
        call.replace(exp.Literal.number(0) if isinstance(call, exp.Count) else exp.Null())
    for part in ("from_", "joins", "where"):
        node.set(part, None)
    return node


def _counts_null(call: Expr) -> bool:
    return isinstance(call, exp.Count) and isinstance(call.this, exp.Null)
