"""To count where a column has a value is to count the column.

Statement
    COUNT(CASE WHEN x IS NOT NULL THEN 1 END)   ==   COUNT(x)

Holds when
    x is a column, and COUNT has no DISTINCT.

Why
    COUNT(x) skips the rows in which x is NULL, and counts each other row once.

Limits
    Another condition beside the test is left alone.

Source
    House rule.
"""

from __future__ import annotations

from sqlglot import exp
from sqlglot.expressions import Expr

from sqlverdict.prove.reasoning.counting import tested_condition
from sqlverdict.prove.reasoning.facts import Facts
from sqlverdict.prove.reasoning.strict import not_null_test
from sqlverdict.prove.rule import EVERYWHERE, Pair, rule


@rule(
    trust="proved",
    dialects=EVERYWHERE,
    needs=(exp.Case,),
    schema="CREATE TABLE t (k INTEGER, v INTEGER)",
    equal=[
        Pair(
            "SELECT k, COUNT(CASE WHEN v IS NOT NULL THEN 1 END) FROM t GROUP BY k",
            "SELECT k, COUNT(v) FROM t GROUP BY k",
        ),
        Pair(
            "SELECT k, SUM(CASE WHEN v IS NULL THEN 0 ELSE 1 END) FROM t GROUP BY k",
            "SELECT k, COUNT(v) FROM t GROUP BY k",
        ),
    ],
    different=[
        Pair(
            "SELECT k, COUNT(CASE WHEN v IS NOT NULL THEN 1 END) FROM t GROUP BY k",
            "SELECT k, COUNT(DISTINCT v) FROM t GROUP BY k",
            because="a value may occur twice",
        ),
    ],
)
def count_of_tested_value_is_count(node: exp.Count, facts: Facts) -> Expr | None:
    """Count the column."""
    del facts
    condition = tested_condition(node)
    value = not_null_test(condition) if condition is not None else None
    if not isinstance(value, exp.Column) or node.expressions:
        return None
    node.set("this", value)
    return node
