"""GROUP BY without an aggregate is DISTINCT.

Statement
    SELECT x FROM t GROUP BY x   ==   SELECT DISTINCT x FROM t

Holds when
    No aggregate is used, and the selected expressions are just the grouping ones.

Why
    There is one row for each combination of values, NULL counting as a value in both.

Limits
    A grouping column that is not selected, or a selected column that is not grouped, is left
    alone.

Source
    House rule; ETM (Ascoli et al.) has none like it.
"""

from __future__ import annotations

from sqlglot import exp
from sqlglot.expressions import Expr

from sqlverdict.prove.canonical import key
from sqlverdict.prove.known import Known
from sqlverdict.prove.rule import Pair, rule
from sqlverdict.prove.shape import aggregates_in, conditions, has_window, set_conditions


@rule(
    trust="proved",
    schema="CREATE TABLE t (k INTEGER, v INTEGER)",
    equal=[
        Pair("SELECT v FROM t GROUP BY v", "SELECT DISTINCT v FROM t"),
        Pair(
            "SELECT k, v FROM t GROUP BY v, k HAVING v > 1",
            "SELECT DISTINCT k, v FROM t WHERE v > 1",
        ),
    ],
    different=[
        Pair(
            "SELECT v FROM t GROUP BY v, k",
            "SELECT DISTINCT v FROM t",
            because="two groups may share v",
        ),
    ],
)
def grouping_alone_is_distinct(node: exp.Select, known: Known) -> Expr | None:
    """Write DISTINCT; HAVING becomes WHERE."""
    del known
    group = node.args.get("group")
    if group is None or has_window(node):
        return None
    having = conditions(node, "having")
    order = node.args.get("order")
    terms = [term.this for term in order.expressions] if order is not None else []
    if next(aggregates_in([*node.expressions, *having, *terms]), None) is not None:
        return None
    grouped = {key(term) for term in group.expressions}
    if {key(item) for item in node.expressions} != grouped:
        return None
    if not all(_made_of(part, grouped) for part in [*having, *terms]):
        return None
    node.set("group", None)
    node.set("having", None)
    set_conditions(node, [*conditions(node), *having])
    node.set("distinct", exp.Distinct())
    return node


def _made_of(node: Expr, grouped: set[str]) -> bool:
    """Whether an expression uses no column but through a grouping expression."""
    if key(node) in grouped:
        return True
    if isinstance(node, exp.Column | exp.Query):
        return False
    return all(_made_of(child, grouped) for child in node.iter_expressions())
