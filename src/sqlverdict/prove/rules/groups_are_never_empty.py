"""A group has at least one row.

Statement
    GROUP BY x HAVING COUNT(*) >= 1   ==   GROUP BY x

Holds when
    There is a GROUP BY.

Why
    Groups are made of rows. Without GROUP BY, an empty table makes one group of no rows.

Limits
    COUNT of a column may be 0.

Source
    House rule, met in published predictions; ETM (Ascoli et al.) has none like it.
"""

from __future__ import annotations

from sqlglot import exp
from sqlglot.expressions import Expr

from sqlverdict.prove.reasoning.facts import Facts
from sqlverdict.prove.reasoning.filters import constant
from sqlverdict.prove.reasoning.shape import enclosing, whole_number
from sqlverdict.prove.rule import EVERYWHERE, Pair, rule


@rule(
    trust="proved",
    dialects=EVERYWHERE,
    schema="CREATE TABLE t (k INTEGER, v INTEGER)",
    equal=[
        Pair(
            "SELECT v, SUM(k) FROM t GROUP BY v HAVING COUNT(*) >= 1",
            "SELECT v, SUM(k) FROM t GROUP BY v HAVING TRUE",
        ),
    ],
    different=[
        Pair(
            "SELECT SUM(k) FROM t HAVING COUNT(*) >= 1",
            "SELECT SUM(k) FROM t HAVING TRUE",
            because="without GROUP BY there is a group of no rows",
        ),
    ],
)
def groups_are_never_empty(node: exp.GT | exp.GTE, facts: Facts) -> Expr | None:
    """Answer the test."""
    del facts
    argument = node.this
    if not isinstance(argument, exp.Count) or not isinstance(argument.this, exp.Star):
        return None
    bound = whole_number(node.expression)
    select = enclosing(node)
    if bound is None or select is None or select.args.get("group") is None:
        return None
    least = bound + 1 if isinstance(node, exp.GT) else bound
    return constant(True, node) if least <= 1 else None
