"""How hard a query is, in Spider's and in TrustSQL's sense. BIRD's levels come as labels.

Spider counts three things in the outer SELECT (of a set operation: in its left one, where
an ORDER BY or LIMIT at the end of the text does not belong):

* components 1: WHERE, GROUP BY, ORDER BY and LIMIT, one each; every table of the FROM
  clause but the first; every OR and every LIKE in ON, WHERE and HAVING;
* components 2: every subquery that is an operand of a condition; one for a set operation;
* others: one each for more than one aggregate, more than one output column, more than one
  WHERE condition, more than one GROUP BY column.

The count of aggregates has two quirks that decide levels, so they are kept: a negated
condition in WHERE or HAVING counts as an aggregate, and so does every AND or OR in HAVING,
while an aggregate in a HAVING condition does not.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Literal

from sqlverdict.parse.query import parse
from sqlverdict.parse.tokens import solid
from sqlverdict.records import ParseFailure

if TYPE_CHECKING:
    from sqlglot.expressions import Expr, Select

SpiderLevel = Literal["easy", "medium", "hard", "extra"]
TrustsqlLevel = Literal["easy", "medium", "hard"]


def spider_hardness(sql: str) -> SpiderLevel | None:
    """Spider's level of a query; None where it cannot be parsed."""
    from sqlglot import exp

    query = parse(sql)
    if isinstance(query, ParseFailure):
        return None
    tree = query.tree
    combined = 0
    while isinstance(tree, exp.SetOperation | exp.Subquery):
        combined = combined or int(isinstance(tree, exp.SetOperation))
        tree = tree.this
    if not isinstance(tree, exp.Select):
        return None
    conditions = [c for part in _condition_parts(tree) for c in _conditions(part)]
    return _level(
        _components_1(tree, conditions),
        combined + sum(_operand_queries(condition) for condition in conditions),
        _others(tree),
    )


def _level(components_1: int, components_2: int, others: int) -> SpiderLevel:
    if components_2 == 0:
        if components_1 <= 1 and others == 0:
            return "easy"
        if (components_1 <= 1 and others <= 2) or (components_1 <= 2 and others < 2):
            return "medium"
        if (components_1 <= 2 and others > 2) or (components_1 == 3 and others <= 2):
            return "hard"
    elif components_1 <= 1 and others == 0 and components_2 <= 1:
        return "hard"
    return "extra"


def _components_1(select: Select, conditions: list[Expr]) -> int:
    from sqlglot import exp

    clauses = sum(bool(select.args.get(name)) for name in ("where", "group", "order", "limit"))
    joined = len(select.args.get("joins") or ())
    ors = sum(_ors(part) for part in _condition_parts(select))
    likes = sum(isinstance(_positive(condition), exp.Like) for condition in conditions)
    return clauses + joined + ors + likes


def _others(select: Select) -> int:
    where, having = select.args.get("where"), select.args.get("having")
    group, order = select.args.get("group"), select.args.get("order")
    where_conditions = list(_conditions(where.this)) if where else []
    having_conditions = list(_conditions(having.this)) if having else []
    grouped = group.expressions if group else []
    aggregates = sum(_starts_with_aggregate(column) for column in select.expressions)
    aggregates += sum(map(_is_negated, where_conditions + having_conditions))
    aggregates += max(0, len(having_conditions) - 1)
    aggregates += sum(map(_starts_with_aggregate, grouped))
    aggregates += sum(_order_aggregates(key.this) for key in order.expressions) if order else 0
    return (
        (aggregates > 1)
        + (len(select.expressions) > 1)
        + (len(where_conditions) > 1)
        + (len(grouped) > 1)
    )


def _condition_parts(select: Select) -> Iterator[Expr]:
    """The condition of each ON, of WHERE and of HAVING."""
    for join in select.args.get("joins") or ():
        if join.args.get("on") is not None:
            yield join.args["on"]
    for name in ("where", "having"):
        if select.args.get(name):
            yield select.args[name].this


def _conditions(expression: Expr) -> Iterator[Expr]:
    """The conditions that AND and OR connect."""
    from sqlglot import exp

    expression = expression.unnest()
    if isinstance(expression, exp.And | exp.Or):
        yield from _conditions(expression.left)
        yield from _conditions(expression.right)
    else:
        yield expression


def _ors(expression: Expr) -> int:
    from sqlglot import exp

    expression = expression.unnest()
    if isinstance(expression, exp.And | exp.Or):
        below = _ors(expression.left) + _ors(expression.right)
        return below + isinstance(expression, exp.Or)
    return 0


def _positive(condition: Expr) -> Expr:
    from sqlglot import exp

    if isinstance(condition, exp.Not):
        condition = condition.this.unnest()
    return condition.this if isinstance(condition, exp.Escape) else condition


def _is_negated(condition: Expr) -> bool:
    from sqlglot import exp

    # "a NOT LIKE b" is no Not node but a flag on the Like.
    return isinstance(condition, exp.Not) or bool(_positive(condition).args.get("negate"))


def _operand_queries(condition: Expr) -> int:
    from sqlglot import exp

    positive = _positive(condition)
    return sum(isinstance(operand, exp.Query) for operand in positive.iter_expressions())


def _starts_with_aggregate(expression: Expr) -> bool:
    """Whether a column is an aggregate, or arithmetic whose first operand is one."""
    from sqlglot import exp

    expression = expression.unalias().unnest()
    while isinstance(expression, exp.Binary):
        expression = expression.left.unnest()
    return isinstance(expression, exp.AggFunc)


def _order_aggregates(expression: Expr) -> int:
    from sqlglot import exp

    expression = expression.unnest()
    if isinstance(expression, exp.Binary):
        return _order_aggregates(expression.left) + _order_aggregates(expression.right)
    return isinstance(expression, exp.AggFunc)


def trustsql_hardness(sql: str) -> TrustsqlLevel | None:
    """TrustSQL's level: hard with a second SELECT, medium with a join, else easy.

    None where the query cannot be parsed.
    """
    query = parse(sql)
    if isinstance(query, ParseFailure):
        return None
    if solid(sql.lower()).count("select") > 1 or "set_operation" in query.features:
        return "hard"
    return "medium" if "multiple_tables" in query.features else "easy"
