"""CASE with an operand compares the operand with each branch.

Statement
    CASE x WHEN a THEN r ... END   ==   CASE WHEN x = a THEN r ... END

Holds when
    x contains no subquery.

Why
    SQLite compares the operand with each branch as ``=`` does; a NULL operand matches none.

Limits
    None.

Source
    House rule; ETM (Ascoli et al.) has none like it.
"""

from __future__ import annotations

from sqlglot import exp
from sqlglot.expressions import Expr

from sqlverdict.prove.reasoning.copies import counted_copy
from sqlverdict.prove.reasoning.facts import Facts
from sqlverdict.prove.reasoning.shape import has_subquery
from sqlverdict.prove.rule import EVERYWHERE, Pair, rule


@rule(
    trust="proved",
    dialects=EVERYWHERE,
    schema="CREATE TABLE t (k INTEGER, v INTEGER)",
    equal=[
        Pair(
            "SELECT CASE v WHEN 3 THEN 'a' ELSE 'b' END FROM t",
            "SELECT CASE WHEN v = 3 THEN 'a' ELSE 'b' END FROM t",
        ),
    ],
    different=[
        Pair(
            "SELECT CASE v WHEN NULL THEN 'a' ELSE 'b' END FROM t",
            "SELECT CASE WHEN v IS NULL THEN 'a' ELSE 'b' END FROM t",
            because="NULL equals nothing",
        ),
    ],
)
def case_with_operand_is_searched(node: exp.Case, facts: Facts) -> Expr | None:
    """Write the comparisons."""
    del facts
    operand = node.this
    if operand is None or has_subquery(operand):
        return None
    node.set("this", None)
    for branch in node.args["ifs"]:
        branch.set("this", exp.EQ(this=counted_copy(operand), expression=branch.this))
    return node
