"""In a group a grouping column has one value, which is its own extreme.

Statement
    SELECT MAX(g) FROM t GROUP BY g   ==   SELECT g FROM t GROUP BY g

Holds when
    The argument of MIN or MAX is a grouping expression of its query.

Why
    All rows of the group agree on it; where it is NULL, both are NULL.

Limits
    Without GROUP BY there is no such expression. A column is converted in a comparison, MAX is
    not: both sides must be numbers, or both text.

Source
    House rule, met in published predictions; ETM (Ascoli et al.) has none like it.
"""

from __future__ import annotations

from sqlglot import exp
from sqlglot.expressions import Expr

from sqlverdict.prove.reasoning.facts import Facts
from sqlverdict.prove.reasoning.shape import enclosing
from sqlverdict.prove.rule import EVERYWHERE, Pair, rule
from sqlverdict.prove.tree_key import same_expression


@rule(
    trust="proved",
    dialects=EVERYWHERE,
    schema="CREATE TABLE t (k INTEGER, v INTEGER)",
    equal=[
        Pair(
            "SELECT MAX(v), COUNT(*) FROM t GROUP BY v",
            "SELECT v, COUNT(*) FROM t GROUP BY v",
        ),
    ],
    different=[
        Pair(
            "SELECT MAX(k), COUNT(*) FROM t GROUP BY v",
            "SELECT v, COUNT(*) FROM t GROUP BY v",
            because="k is no grouping column",
        ),
    ],
)
def extreme_of_grouping_column(node: exp.Max | exp.Min, facts: Facts) -> Expr | None:
    """Take the column."""
    select = enclosing(node)
    group = select.args.get("group") if select is not None else None
    if group is None or node.expressions or isinstance(node.parent, exp.Window | exp.Filter):
        return None
    argument: Expr = node.this
    if not any(
        same_expression(argument, term) for term in group.expressions
    ) or not facts.is_unconverted(node):
        return None
    return argument
