"""FILTER is a CASE inside the aggregate.

Statement
    SUM(x) FILTER (WHERE p)     ==   SUM(CASE WHEN p THEN x END)
    COUNT(*) FILTER (WHERE p)   ==   COUNT(CASE WHEN p THEN 1 END)

Holds when
    The aggregate is COUNT, SUM, AVG, MIN or MAX, with DISTINCT or not, and no window; no column is
    shown beside it that is not grouped by.

Why
    The CASE is NULL for rows that do not meet p, and these aggregates skip NULLs.

Limits
    A column beside MIN or MAX comes from the row of that value: left alone.

Source
    House rule; ETM (Ascoli et al.) has none like it.
"""

from __future__ import annotations

from sqlglot import exp
from sqlglot.expressions import Expr

from sqlverdict.prove.reasoning.bare import bare_columns
from sqlverdict.prove.reasoning.counting import counts_when
from sqlverdict.prove.reasoning.facts import Facts
from sqlverdict.prove.reasoning.shape import BAG_AGGREGATES, enclosing, is_aggregate
from sqlverdict.prove.rule import WITH_FILTER, Pair, rule


@rule(
    trust="proved",
    dialects=WITH_FILTER,
    schema="CREATE TABLE t (k INTEGER, v INTEGER)",
    equal=[
        Pair(
            "SELECT k, SUM(v) FILTER (WHERE v > 1), COUNT(*) FILTER (WHERE v > 1)"
            " FROM t GROUP BY k",
            "SELECT k, SUM(CASE WHEN v > 1 THEN v END), COUNT(CASE WHEN v > 1 THEN 1 END)"
            " FROM t GROUP BY k",
        ),
        Pair(
            "SELECT COUNT(DISTINCT k) FILTER (WHERE v > 1) FROM t",
            "SELECT COUNT(DISTINCT CASE WHEN v > 1 THEN k END) FROM t",
        ),
    ],
    different=[
        Pair(
            "SELECT SUM(v) FILTER (WHERE v > 1) FROM t",
            "SELECT SUM(CASE WHEN v > 1 THEN v ELSE 0 END) FROM t",
            because="where no row meets the condition, the one is NULL and the other 0",
        ),
    ],
)
def filter_is_case(node: exp.Filter, facts: Facts) -> Expr | None:
    """Write the CASE."""
    del facts
    call, select = node.this, enclosing(node)
    if not isinstance(call, BAG_AGGREGATES) or not is_aggregate(call) or select is None:
        return None
    if next(bare_columns(select), None) is not None:
        return None
    condition = node.expression.this
    inner = call.this
    if isinstance(inner, exp.Star):
        return counts_when(condition)
    folded = isinstance(inner, exp.Distinct)
    if folded and len(inner.expressions) != 1:
        return None
    value = inner.expressions[0] if folded else inner
    case = exp.Case(ifs=[exp.If(this=condition, true=value)])
    if folded:
        inner.set("expressions", [case])
    else:
        call.set("this", case)
    return call
