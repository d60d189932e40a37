"""The first row by a key is the row with the key's extreme value.

Statement
    SELECT x FROM t ORDER BY k DESC LIMIT 1   ==   SELECT x FROM t WHERE k = (SELECT MAX(k) FROM t)

Holds when
    t is the only source, k is UNIQUE and NOT NULL, and the two SELECTs have the same conditions:
    here none.

Why
    Exactly one row has the extreme value, and it comes first. An empty table gives no row on
    either side.

Limits
    With WHERE, joins, grouping or windows the query is left alone: a window looks at all rows
    before LIMIT cuts them.

Source
    ETM (Ascoli et al.), rule 1, with NOT NULL and the conditions in mind.
"""

from __future__ import annotations

from sqlglot import exp
from sqlglot.expressions import Expr

from sqlverdict.parse.facts import NotNull, Unique
from sqlverdict.prove.reasoning.facts import Facts
from sqlverdict.prove.reasoning.shape import (
    conditions,
    has_window,
    is_grouped,
    items,
    set_conditions,
)
from sqlverdict.prove.rule import EVERYWHERE, Pair, rule


@rule(
    trust="proved",
    dialects=EVERYWHERE,
    needs=(exp.Subquery,),
    paper=("1",),
    schema="CREATE TABLE t (k INTEGER, v INTEGER)",
    equal=[
        Pair(
            "SELECT v FROM t WHERE k = (SELECT MAX(k) FROM t)",
            "SELECT v FROM t ORDER BY k DESC LIMIT 1",
            (Unique("t", ("k",)), NotNull("t", "k")),
        ),
    ],
    different=[
        Pair(
            "SELECT ROW_NUMBER() OVER (ORDER BY v) FROM t WHERE k = (SELECT MAX(k) FROM t)",
            "SELECT ROW_NUMBER() OVER (ORDER BY v) FROM t ORDER BY k DESC LIMIT 1",
            (Unique("t", ("k",)), NotNull("t", "k")),
            because="the window numbers all rows before LIMIT",
        ),
        Pair(
            "SELECT v FROM t WHERE k = (SELECT MAX(k) FROM t)",
            "SELECT v FROM t ORDER BY k DESC LIMIT 1",
            because="several rows may share the greatest value",
        ),
    ],
)
def top_row_by_key(node: exp.Select, facts: Facts) -> Expr | None:
    """Order and limit."""
    own_conditions = conditions(node)
    if len(own_conditions) != 1 or len(items(node)) != 1 or is_grouped(node) or has_window(node):
        return None
    if any(node.args.get(part) for part in ("order", "limit", "offset", "distinct")):
        return None
    condition = own_conditions[0]
    if not isinstance(condition, exp.EQ):
        return None
    column, query = condition.this, condition.expression
    if isinstance(column, exp.Subquery):
        column, query = query, column
    if not isinstance(column, exp.Column) or not isinstance(query, exp.Subquery):
        return None
    extreme = _extreme(query.this, column, facts)
    if extreme is None:
        return None
    keys = [
        reasons for names, reasons in facts.keys(column.text("table")) if names == {column.name}
    ]
    if not keys:
        return None
    facts.cite(*keys[0])
    falls = isinstance(extreme, exp.Max)
    set_conditions(node, [])
    term = exp.Ordered(this=column.copy(), desc=falls or None, nulls_first=facts.nulls_first(falls))
    node.set("order", exp.Order(expressions=[term]))
    node.set("limit", exp.Limit(expression=exp.Literal.number(1)))
    return node


def _extreme(inner: Expr, column: Expr, facts: Facts) -> Expr | None:
    """MAX or MIN of the same column of another copy of the table, without conditions."""
    if not isinstance(inner, exp.Select) or len(items(inner)) != 1 or len(inner.expressions) != 1:
        return None
    parts = ("where", "group", "having", "order", "limit", "offset", "distinct", "joins")
    if any(inner.args.get(part) for part in parts):
        return None
    value: Expr = inner.expressions[0]
    if not isinstance(value, exp.Max | exp.Min) or value.expressions:
        return None
    argument = value.this
    same_table = facts.bases.get(argument.text("table")) == facts.bases.get(column.text("table"))
    if not isinstance(argument, exp.Column) or argument.name != column.name or not same_table:
        return None
    return value if argument.text("table") == items(inner)[0].alias else None
