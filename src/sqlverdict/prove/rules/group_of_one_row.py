"""GROUP BY a key makes groups of one row each.

Statement
    SELECT x FROM t GROUP BY k   ==   SELECT x FROM t

Holds when
    The grouping columns tell all rows of FROM and WHERE apart by keys, and no aggregate is used.

Why
    Each group is one row, and its columns are that row's.

Limits
    With an aggregate the query is left alone.

Source
    House rule; ETM (Ascoli et al.) lacks it: redundant GROUP BY under a key.
"""

from __future__ import annotations

from sqlglot import exp
from sqlglot.expressions import Expr

from sqlverdict.parse.facts import NotNull, Unique
from sqlverdict.prove.reasoning.bare import EXTREMES
from sqlverdict.prove.reasoning.dependencies import determines_row, plain_columns
from sqlverdict.prove.reasoning.facts import Facts
from sqlverdict.prove.reasoning.shape import aggregates_in, conditions, has_window, set_conditions
from sqlverdict.prove.rule import EVERYWHERE, Pair, rule

KEY = (Unique("t", ("k",)), NotNull("t", "k"))


@rule(
    trust="proved",
    dialects=EVERYWHERE,
    needs=(exp.Group,),
    schema="CREATE TABLE t (k INTEGER, v INTEGER)",
    equal=[
        Pair("SELECT v FROM t GROUP BY k", "SELECT v FROM t", KEY),
        Pair("SELECT v FROM t GROUP BY k, v", "SELECT v FROM t", KEY),
    ],
    different=[
        Pair("SELECT v FROM t GROUP BY v", "SELECT v FROM t", KEY, because="v may repeat"),
    ],
)
def group_of_one_row(node: exp.Select, facts: Facts) -> Expr | None:
    """Drop the grouping; HAVING becomes WHERE."""
    group = node.args.get("group")
    if group is None or has_window(node):
        return None
    having = conditions(node, "having")
    order = node.args.get("order")
    terms = [term.this for term in order.expressions] if order is not None else []
    if next(aggregates_in([*node.expressions, *having, *terms]), None) is not None:
        return None
    if not determines_row(node, facts, plain_columns(group.expressions)):
        return None
    node.set("group", None)
    node.set(EXTREMES, None)
    node.set("having", None)
    set_conditions(node, [*conditions(node), *having])
    return node
