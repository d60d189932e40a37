"""A group has at least one row.

Statement
    GROUP BY x HAVING COUNT(*) >= 1                   ==   GROUP BY x
    HAVING COUNT(x) >= 0                              ==   HAVING TRUE
    SELECT y / NULLIF(COUNT(*), 0) ... GROUP BY x     ==   SELECT y / COUNT(*) ... GROUP BY x

Holds when
    There is a GROUP BY, or the bound is 0; the query folds its rows without that call, too. ``= 0``
    is never true then, and ``<> 0`` always.

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
        Pair(
            "SELECT v, SUM(k) + NULLIF(COUNT(*), 0) FROM t GROUP BY v",
            "SELECT v, SUM(k) + COUNT(*) FROM t GROUP BY v",
        ),
    ],
    different=[
        Pair(
            "SELECT SUM(k) FROM t HAVING COUNT(*) >= 1",
            "SELECT SUM(k) FROM t HAVING TRUE",
            because="without GROUP BY there is a group of no rows",
        ),
        Pair(
            "SELECT v, NULLIF(COUNT(k), 0) FROM t GROUP BY v",
            "SELECT v, COUNT(k) FROM t GROUP BY v",
            because="all values of k may be NULL",
        ),
    ],
)
def groups_are_never_empty(node: exp.GT | exp.GTE | exp.EQ | exp.NEQ, facts: Facts) -> Expr | None:
    """Answer the test."""
    del facts
    argument = node.this
    bound = whole_number(node.expression)
    if not isinstance(argument, exp.Count) or bound is None:
        return None
    if isinstance(argument.parent, exp.Window) or not groups_without(node):
        return None
    # The test says the same of all counts from this one on.
    least = bound if isinstance(node, exp.GTE) else bound + 1
    if least > 0 and not (least == 1 and _counts_a_group(argument, node)):
        return None
    return constant(not isinstance(node, exp.EQ), node)


def _counts_a_group(count: exp.Count, test: Expr) -> bool:
    """Whether a count is of all rows of a group that GROUP BY makes."""
    select = enclosing(test)
    has_groups = select is not None and select.args.get("group") is not None
    return has_groups and isinstance(count.this, exp.Star)
