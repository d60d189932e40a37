"""A constant operand of AND or OR decides or says nothing.

Statement
    d AND TRUE   ==   d            d OR FALSE   ==   d
    d AND FALSE  ==   FALSE        d OR TRUE    ==   TRUE
    WHERE TRUE   ==   no WHERE     WHERE 0, WHERE NULL  ==   WHERE FALSE

Holds when
    d is a condition or the whole stands where only truth counts.

Why
    TRUE is the greatest and FALSE the least of SQL's three truth values.

Limits
    NULL beside AND or OR is left alone, and so is an aggregate that alone makes the query one row.

Source
    House rule; ETM (Ascoli et al.) has none like it.
"""

from __future__ import annotations

from sqlglot import exp
from sqlglot.expressions import Expr

from sqlverdict.prove.reasoning.facts import Facts
from sqlverdict.prove.reasoning.filters import constant, constant_truth, in_filter, is_truth_value
from sqlverdict.prove.reasoning.shape import aggregates_in, groups_without
from sqlverdict.prove.rule import EVERYWHERE, Pair, rule


@rule(
    trust="proved",
    dialects=EVERYWHERE,
    schema="CREATE TABLE t (k INTEGER, v INTEGER)",
    equal=[
        Pair("SELECT k FROM t WHERE TRUE", "SELECT k FROM t"),
        Pair("SELECT k FROM t WHERE v > 1 AND 1", "SELECT k FROM t WHERE v > 1"),
        Pair("SELECT k FROM t WHERE v > 1 OR FALSE", "SELECT k FROM t WHERE v > 1"),
        Pair("SELECT k FROM t WHERE NULL", "SELECT k FROM t WHERE FALSE"),
    ],
    different=[
        Pair(
            "SELECT k FROM t WHERE v > 1 OR TRUE",
            "SELECT k FROM t WHERE v > 1",
            because="OR TRUE lets every row pass",
        ),
    ],
)
def constant_condition_is_idle(node: exp.And | exp.Or | exp.Select, facts: Facts) -> Expr | None:
    """Drop the constant, or what it overrules."""
    del facts
    if isinstance(node, exp.Select):
        for part in ("where", "having"):
            clause = node.args.get(part)
            if clause is not None and constant_truth(clause.this) is True:
                # A HAVING without GROUP BY makes one group; an aggregate does so by itself.
                if part == "having" and node.args.get("group") is None and not _aggregates(node):
                    continue
                node.set(part, None)
                return node
            if clause is not None and _is_spelt_otherwise(clause.this):
                clause.set("this", exp.Boolean(this=False))
                return node
        return None
    for side, other in ((node.this, node.expression), (node.expression, node.this)):
        truth_value = constant_truth(side)
        if truth_value is None:
            continue
        if truth_value is isinstance(node, exp.Or):
            return constant(truth_value, node) if groups_without(other) else None
        if is_truth_value(other) or in_filter(node):
            remaining: Expr = other
            return remaining
    return None


def _is_spelt_otherwise(condition: Expr) -> bool:
    """Whether a condition is 0 or NULL: neither lets a row pass."""
    if isinstance(condition, exp.Null):
        return True
    return isinstance(condition, exp.Literal) and constant_truth(condition) is False


def _aggregates(node: exp.Select) -> bool:
    return next(aggregates_in(node.expressions), None) is not None
