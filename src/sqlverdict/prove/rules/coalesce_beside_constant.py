"""A value with a substitute for NULL, beside a constant.

Statement
    COALESCE(x, c) = d   ==   x = d OR x IS NULL          where c = d
    COALESCE(x, c) = d   ==   x = d AND x IS NOT NULL     where not
    COALESCE(x, y, z) = d   ==   x = d OR (x IS NULL AND COALESCE(y, z) = d)
    The same for <>, <, <=, > and >=.

Holds when
    x is a column of numbers, or the length of a column, and c and d are integers that a float can
    hold; or, for = and <>, x is a column of texts and c and d are texts; or types are enforced and
    c and d are one constant. With several values, all are integers or all are texts, and the
    comparison stands where only truth counts.

Why
    Where x has a value, it is compared. Where it is NULL, c is, and what comes of that is known.

Limits
    Other numbers, and two texts under a collation, are left alone: as a float 0.1 is not 0.1.

Source
    House rule, met in published predictions: COALESCE(x, 0) > 0.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

from sqlglot import exp
from sqlglot.expressions import Expr

from sqlverdict.prove.reasoning.copies import counted_copy
from sqlverdict.prove.reasoning.facts import Facts
from sqlverdict.prove.reasoning.filters import in_filter
from sqlverdict.prove.reasoning.shape import MIRRORED, has_subquery, is_constant, whole_number
from sqlverdict.prove.rule import EVERYWHERE, Pair, rule
from sqlverdict.prove.tree_key import same_expression

_FLOATS = 2**24

_OPERATORS: dict[type[Expr], Callable[[Any, Any], bool]] = {
    exp.EQ: operator.eq,
    exp.NEQ: operator.ne,
    exp.GT: operator.gt,
    exp.GTE: operator.ge,
    exp.LT: operator.lt,
    exp.LTE: operator.le,
}


@rule(
    trust="proved",
    dialects=EVERYWHERE,
    schema="CREATE TABLE t (k INTEGER, v INTEGER, r REAL, s TEXT)",
    equal=[
        Pair("SELECT k FROM t WHERE COALESCE(v, 0) = 3", "SELECT k FROM t WHERE v = 3"),
        Pair("SELECT k FROM t WHERE COALESCE(r, 0) > 1", "SELECT k FROM t WHERE r > 1"),
        Pair(
            "SELECT k FROM t WHERE COALESCE(LENGTH(s), 0) = 0",
            "SELECT k FROM t WHERE LENGTH(s) = 0 OR s IS NULL",
        ),
        Pair(
            "SELECT k FROM t WHERE COALESCE(v, 3) >= 3",
            "SELECT k FROM t WHERE v >= 3 OR v IS NULL",
        ),
        Pair(
            "SELECT k FROM t WHERE NOT 0 < COALESCE(v, 0)",
            "SELECT k FROM t WHERE v <= 0 OR v IS NULL",
        ),
        Pair(
            "SELECT k FROM t WHERE COALESCE(v, k, 2) > 1",
            "SELECT k FROM t WHERE v > 1 OR (v IS NULL AND (k > 1 OR k IS NULL))",
        ),
        Pair(
            "SELECT k FROM t WHERE COALESCE(s, 'a') <> 'b'",
            "SELECT k FROM t WHERE s <> 'b' OR s IS NULL",
        ),
    ],
    different=[
        Pair(
            "SELECT k FROM t WHERE COALESCE(v, 3) = 3",
            "SELECT k FROM t WHERE v = 3",
            because="NULL stands for 3",
        ),
        Pair(
            "SELECT k FROM t WHERE NOT COALESCE(v, 0) = 3",
            "SELECT k FROM t WHERE NOT v = 3",
            because="where v is NULL, 0 is not 3",
        ),
    ],
)
def coalesce_beside_constant(
    node: exp.EQ | exp.NEQ | exp.GT | exp.GTE | exp.LT | exp.LTE, facts: Facts
) -> Expr | None:
    """Compare the value, and say what NULL means."""
    kind: type[Expr] = type(node)
    choice, constant = node.this, node.expression
    if isinstance(constant, exp.Coalesce):
        kind, choice, constant = MIRRORED.get(kind, kind), constant, choice
    if not isinstance(choice, exp.Coalesce) or not choice.expressions:
        return None
    value, substitute = choice.this, choice.expressions[0]
    if not isinstance(value.this if isinstance(value, exp.Length) else value, exp.Column):
        return None
    if len(choice.expressions) > 1:
        return _next_value(node, choice, kind, constant, facts)
    values = facts.kind(value)
    if values != "integer" and _is_number(value, facts):
        values = "number"
    passes = _passes(kind, substitute, constant, values)
    if passes is None and _is_the_same(value, substitute, constant, facts):
        passes = _OPERATORS[kind](0, 0)
    if passes is None:
        facts.cited.clear()
        return None
    compared = kind(this=value, expression=constant)
    is_null = exp.Is(this=counted_copy(value), expression=exp.Null())
    if passes:
        return exp.Or(this=compared, expression=is_null)
    return exp.And(this=compared, expression=exp.Not(this=is_null))


def _is_number(value: Expr, facts: Facts) -> bool:
    """Whether it is compared with a whole number as a number is, beside such a substitute, too."""
    if facts.record.typed:
        # No number stands beside anything else.
        return facts.kind(value) != "text"
    return facts.affinity(value) in ("INTEGER", "REAL", "NUMERIC")


def _is_the_same(value: Expr, substitute: Expr, constant: Expr, facts: Facts) -> bool:
    """Whether a substitute of the type of the value beside it equals a constant."""
    if not facts.record.typed or not is_constant(constant):
        return False
    if not same_expression(substitute, constant):
        return False
    if isinstance(constant, exp.Literal) and constant.is_string:
        return True
    return facts.kind(value) in ("integer", "real")


def _next_value(
    node: Expr, choice: exp.Coalesce, kind: type[Expr], constant: Expr, facts: Facts
) -> Expr | None:
    """Where only truth counts: the first value passes, or it is NULL and one of the others does."""
    values = [choice.this, *choice.expressions]
    kinds = {facts.kind(value) for value in (*values, constant)}
    if (
        not in_filter(node)
        or kinds not in ({"integer"}, {"text"})
        or any(map(has_subquery, values))
    ):
        facts.cited.clear()
        return None
    rest = exp.Coalesce(this=values[1], expressions=values[2:])
    first = kind(this=counted_copy(values[0]), expression=counted_copy(constant))
    is_null = exp.Is(this=values[0], expression=exp.Null())
    return exp.Or(
        this=first,
        expression=exp.And(this=is_null, expression=kind(this=rest, expression=constant)),
    )


def _passes(kind: type[Expr], left: Expr, right: Expr, values: str | None) -> bool | None:
    """What a comparison of two constants gives; ``None`` where it is not known."""
    compare = _OPERATORS[kind]
    one, two = whole_number(left), whole_number(right)
    if values in ("integer", "number") and one is not None and two is not None:
        # A float holds small ones as they are.
        is_kept = values == "integer" or max(abs(one), abs(two)) < _FLOATS
        return compare(one, two) if is_kept else None
    if values != "text" or kind not in (exp.EQ, exp.NEQ):
        return None
    texts = [node for node in (left, right) if isinstance(node, exp.Literal) and node.is_string]
    return compare(texts[0].this, texts[1].this) if len(texts) == 2 else None
