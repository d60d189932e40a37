"""A CASE of two constants, beside one of them.

Statement
    WHERE CASE WHEN p THEN a ELSE b END = a   ==   WHERE p
    WHERE CASE WHEN p THEN a ELSE b END = b   ==   WHERE NOT p

Holds when
    a and b are two different integers, or in dialects where equal texts are the same, two texts.
    Only truth counts where it stands. In the second form p is never NULL.

Why
    The CASE is a where p is true, and b elsewhere.

Limits
    A CASE with several branches, and one with an operand, is left alone.

Source
    House rule, met in published predictions.
"""

from __future__ import annotations

from sqlglot import exp
from sqlglot.expressions import Expr

from sqlverdict.prove.reasoning.facts import Facts
from sqlverdict.prove.reasoning.filters import in_filter
from sqlverdict.prove.reasoning.shape import whole_number
from sqlverdict.prove.rule import EVERYWHERE, Pair, rule


@rule(
    trust="proved",
    dialects=EVERYWHERE,
    schema="CREATE TABLE t (k INTEGER, v INTEGER)",
    equal=[
        Pair(
            "SELECT k FROM t WHERE CASE WHEN v > 1 THEN 1 ELSE 0 END = 1",
            "SELECT k FROM t WHERE v > 1",
        ),
        Pair(
            "SELECT k FROM t WHERE 0 = CASE WHEN v IS NULL THEN 1 ELSE 0 END",
            "SELECT k FROM t WHERE v IS NOT NULL",
        ),
    ],
    different=[
        Pair(
            "SELECT k FROM t WHERE CASE WHEN v > 1 THEN 1 ELSE 0 END = 0",
            "SELECT k FROM t WHERE NOT v > 1",
            because="where v is NULL, CASE takes ELSE",
        ),
        Pair(
            "SELECT CASE WHEN v > 1 THEN 1 ELSE 0 END = 1 FROM t",
            "SELECT v > 1 FROM t",
            because="the comparison is NULL where v is",
        ),
    ],
)
def case_beside_constant(node: exp.EQ, facts: Facts) -> Expr | None:
    """Write the condition."""
    choice, constant = node.this, node.expression
    if isinstance(constant, exp.Case):
        choice, constant = constant, choice
    if not isinstance(choice, exp.Case) or choice.this is not None or len(choice.args["ifs"]) != 1:
        return None
    branch = choice.args["ifs"][0]
    texts = facts.record.exact_texts
    parts = (branch.args["true"], choice.args.get("default"), constant)
    values = [_constant(part, texts) for part in parts]
    result, otherwise, other = values
    if None in values or result == otherwise or len(set(map(type, values))) > 1:
        return None
    if not in_filter(node):
        return None
    condition: Expr = branch.this
    if result == other:
        return condition
    if otherwise == other:
        return exp.Not(this=condition) if facts.never_null(condition) else None
    return exp.Boolean(this=False)


def _constant(node: Expr | None, texts: bool) -> int | str | None:
    if texts and isinstance(node, exp.Literal) and node.is_string:
        return str(node.this)
    return whole_number(node)
