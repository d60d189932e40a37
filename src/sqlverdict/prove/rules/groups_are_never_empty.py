"""A group has at least one row.

Statement
    GROUP BY x HAVING COUNT(*) >= 1   ==   GROUP BY x
    HAVING COUNT(x) >= 0              ==   HAVING TRUE

Holds when
    There is a GROUP BY, or the bound is 0; the query folds its rows without that call, too.

Why
    Groups are made of rows. Without GROUP BY, an empty table makes one group of no rows, and no
    count is below 0.

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
from sqlverdict.prove.reasoning.shape import enclosing, groups_without, whole_number
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
        Pair("SELECT SUM(k) FROM t HAVING COUNT(v) > -1", "SELECT SUM(k) FROM t HAVING TRUE"),
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
    bound = whole_number(node.expression)
    if not isinstance(argument, exp.Count) or bound is None:
        return None
    if isinstance(argument.parent, exp.Window) or not groups_without(node):
        return None
    least = bound + 1 if isinstance(node, exp.GT) else bound
    if least <= 0:
        return constant(True, node)
    select = enclosing(node)
    if select is None or select.args.get("group") is None:
        return None
    return constant(True, node) if least == 1 and isinstance(argument.this, exp.Star) else None
