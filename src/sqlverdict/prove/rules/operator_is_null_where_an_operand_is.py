"""An operator is NULL where one of its operands is.

Statement
    (x || y) IS NULL   ==   x IS NULL OR y IS NULL
    (x + y) IS NULL    ==   x IS NULL OR y IS NULL
    LENGTH(x) IS NULL  ==   x IS NULL

Holds when
    It is arithmetic without a division, ``||``, LOWER, UPPER, LENGTH, ABS, SUBSTRING or TRIM. In
    SQLite a sum has an operand that is no real, a product has integers alone, and SUBSTRING is of
    a text or a number.

Why
    These have a value where all operands have one. In SQLite infinity less infinity is NULL, and so
    is zero times infinity: a real may be infinite. So is a part of a BLOB without bytes.

Limits
    A division is NULL where the divisor is 0, too: left alone. So is an operand with a query, and
    an aggregate that alone makes the query one row.

Source
    House rule.
"""

from __future__ import annotations

from sqlglot import exp
from sqlglot.expressions import Expr

from sqlverdict.prove.reasoning.facts import Facts
from sqlverdict.prove.reasoning.shape import any_of, groups_without, has_subquery, is_constant
from sqlverdict.prove.reasoning.strict import null_test
from sqlverdict.prove.rule import EVERYWHERE, Pair, rule

_SUMS = (exp.Add, exp.Sub)
_FUNCTIONS = (
    *(exp.Neg, exp.DPipe, exp.Lower, exp.Upper, exp.Length),
    *(exp.Abs, exp.Substring, exp.Trim),
)


@rule(
    trust="proved",
    dialects=EVERYWHERE,
    needs=(exp.Is,),
    schema="CREATE TABLE t (k INTEGER, v INTEGER, s TEXT)",
    equal=[
        Pair(
            "SELECT k FROM t WHERE v + k IS NULL",
            "SELECT k FROM t WHERE v IS NULL OR k IS NULL",
        ),
        Pair(
            "SELECT k FROM t WHERE LENGTH(s) * v IS NOT NULL",
            "SELECT k FROM t WHERE s IS NOT NULL AND v IS NOT NULL",
        ),
    ],
    different=[
        Pair(
            "SELECT k FROM t WHERE v + k IS NULL",
            "SELECT k FROM t WHERE v IS NULL AND k IS NULL",
            because="one operand is enough",
        ),
        Pair(
            "SELECT k FROM t WHERE v / 2 IS NULL AND v > 0",
            "SELECT k FROM t WHERE v / 0 IS NULL AND v > 0",
            because="a division by zero is NULL",
        ),
    ],
)
def operator_is_null_where_an_operand_is(node: exp.Is, facts: Facts) -> Expr | None:
    """Test the operands."""
    value = null_test(node)
    if value is None or has_subquery(value) or not groups_without(node):
        return None
    if isinstance(value, (*_SUMS, exp.Mul)):
        if not _has_a_result(value, facts):
            facts.cited.clear()
            return None
    elif not isinstance(value, _FUNCTIONS) or _may_be_part_of_blob(value, facts):
        return None
    operands = [part for part in value.iter_expressions() if not is_constant(part)]
    if not operands or any(isinstance(part, exp.Null) for part in operands):
        return None
    return any_of([exp.Is(this=part, expression=exp.Null()) for part in operands])


def _may_be_part_of_blob(value: Expr, facts: Facts) -> bool:
    return (
        isinstance(value, exp.Substring)
        and not facts.record.typed
        and facts.kind(value.this) is None
    )


def _has_a_result(value: Expr, facts: Facts) -> bool:
    """Whether arithmetic on two values that are not NULL is not NULL."""
    if facts.record.typed:
        return True
    kinds = {facts.kind(value.this), facts.kind(value.expression)}
    return kinds == {"integer"} or (isinstance(value, _SUMS) and "integer" in kinds)
