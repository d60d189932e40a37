"""GROUP BY without an aggregate is DISTINCT.

Statement
    SELECT x FROM t GROUP BY x   ==   SELECT DISTINCT x FROM t

Holds when
    No aggregate is used, and the selected expressions are just the grouping ones; or both are
    columns, and each set determines the other by keys and equalities. With HAVING, the grouping
    expressions have one order, in which equal values are the same: integers, reals, texts, days,
    moments, decimals of one scale.

Why
    There is one row for each combination of values, NULL counting as a value in both.

Limits
    A grouping column that the selected ones do not determine tells groups apart that look the same.
    A column without a type may hold 1 and 1.0 in one group, and HAVING sees one of them.

Source
    House rule; ETM (Ascoli et al.) has none like it.
"""

from __future__ import annotations

from sqlglot import exp
from sqlglot.expressions import Expr

from sqlverdict.parse.facts import NotNull, Unique
from sqlverdict.prove.reasoning.bare import EXTREMES
from sqlverdict.prove.reasoning.dependencies import closure, plain_columns
from sqlverdict.prove.reasoning.facts import Facts
from sqlverdict.prove.reasoning.shape import aggregates_in, conditions, has_window, set_conditions
from sqlverdict.prove.reasoning.stored import has_one_order
from sqlverdict.prove.rule import EVERYWHERE, Pair, rule
from sqlverdict.prove.tree_key import expression_key


@rule(
    trust="proved",
    dialects=EVERYWHERE,
    needs=(exp.Group,),
    schema="CREATE TABLE t (k INTEGER, v INTEGER); CREATE TABLE u (f INTEGER, w INTEGER)",
    equal=[
        Pair("SELECT v FROM t GROUP BY v", "SELECT DISTINCT v FROM t"),
        Pair(
            "SELECT k, v FROM t GROUP BY v, k HAVING v > 1",
            "SELECT DISTINCT k, v FROM t WHERE v > 1",
        ),
        Pair(
            "SELECT DISTINCT v, k FROM t, u",
            "SELECT k, v FROM t, u GROUP BY k",
            (Unique("t", ("k",)), NotNull("t", "k")),
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
def grouping_alone_is_distinct(node: exp.Select, facts: Facts) -> Expr | None:
    """Write DISTINCT; HAVING becomes WHERE."""
    group = node.args.get("group")
    if group is None or has_window(node):
        return None
    having = conditions(node, "having")
    order = node.args.get("order")
    terms = [term.this for term in order.expressions] if order is not None else []
    if next(aggregates_in([*node.expressions, *having, *terms]), None) is not None:
        return None
    grouped = {expression_key(term) for term in group.expressions}
    selected = {expression_key(item) for item in node.expressions}
    if not all(_made_of(part, grouped) for part in having):
        return None
    if having and not all(has_one_order(term, facts) for term in group.expressions):
        return None
    if not all(_made_of(term, selected) for term in terms):
        return None
    if grouped != selected and not _tell_each_other(
        node.expressions, group.expressions, node, facts
    ):
        return None
    node.set("group", None)
    node.set(EXTREMES, None)
    node.set("having", None)
    set_conditions(node, [*conditions(node), *having])
    node.set("distinct", exp.Distinct())
    return node


def _tell_each_other(
    selected: list[Expr], grouped: list[Expr], node: exp.Select, facts: Facts
) -> bool:
    """Whether the selected columns determine the grouping ones, and these the selected ones."""
    if not all(isinstance(term, exp.Column) for term in [*selected, *grouped]):
        return False
    ours, theirs = plain_columns(selected), plain_columns(grouped)
    return ours <= closure(node, facts, theirs) and theirs <= closure(node, facts, ours)


def _made_of(node: Expr, grouped: set[str]) -> bool:
    """Whether an expression uses no column but through one of these expressions."""
    if expression_key(node) in grouped:
        return True
    if isinstance(node, exp.Column | exp.Query):
        return False
    return all(_made_of(child, grouped) for child in node.iter_expressions())
