"""Partners of a query's rows as groups: the keys that keep the rows apart, and lone rows."""

from __future__ import annotations

from collections.abc import Sequence

from sqlglot import exp
from sqlglot.expressions import Expr

from sqlverdict.prove.reasoning.dependencies import item_keys
from sqlverdict.prove.reasoning.facts import Facts
from sqlverdict.prove.reasoning.shape import whole_number
from sqlverdict.prove.reasoning.strict import rejects_null
from sqlverdict.prove.resolve.scope import resolved

NULL_FOR_NONE = (exp.Max, exp.Min, exp.Sum, exp.Avg)
"""Aggregates that give NULL over no rows."""


def row_keys(sources: Sequence[Expr], facts: Facts, filtered: Sequence[Expr]) -> list[Expr] | None:
    """The columns of a key of each source; ``None`` where one has none. Facts used are cited.

    ``filtered`` are conditions that hold for the rows that count.
    """
    columns: list[Expr] = []
    for source in sources:
        keys = sorted(item_keys(source, facts, filtered), key=lambda k: (len(k[0]), sorted(k[0])))
        if not keys:
            facts.cited.clear()
            return None
        facts.cite(*keys[0][1])
        columns += [resolved(source.alias, name) for name in sorted(keys[0][0])]
    return columns


def drops_no_rows(condition: Expr, value: Expr, call: Expr) -> bool:
    """Whether a condition on a value is not true where the value aggregates no rows.

    Args:
        condition: The condition.
        value: The node in it that stands for the aggregate.
        call: The aggregate.
    """
    if isinstance(call, NULL_FOR_NONE):
        return rejects_null(condition, value)
    if not isinstance(call, exp.Count):
        return False
    first = condition.this is value
    if not first and condition.expression is not value:
        return False
    bound = whole_number(condition.expression if first else condition.this)
    if bound is None:
        return False
    if isinstance(condition, exp.GT if first else exp.LT):
        return bound >= 0
    least = isinstance(condition, exp.GTE if first else exp.LTE)
    return (least or isinstance(condition, exp.EQ)) and bound >= 1
