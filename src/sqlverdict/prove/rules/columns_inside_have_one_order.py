"""The order of a derived table's columns cannot be seen.

Statement
    SELECT d.x, d.y FROM (SELECT DISTINCT x, y FROM t) AS d
    ==   SELECT d.x, d.y FROM (SELECT DISTINCT y, x FROM t) AS d

Holds when
    The derived table is one SELECT, or a set operation without an order of its own.

Why
    The query around names the columns that it uses.

Limits
    None.

Source
    House rule.
"""

from __future__ import annotations

from sqlglot import exp
from sqlglot.expressions import Expr

from sqlverdict.prove.reasoning.facts import Facts
from sqlverdict.prove.reasoning.moves import substitute
from sqlverdict.prove.reasoning.shape import items, leaves
from sqlverdict.prove.resolve.scope import resolved
from sqlverdict.prove.rule import EVERYWHERE, Pair, rule
from sqlverdict.prove.tree_key import column_keys


@rule(
    trust="proved",
    dialects=EVERYWHERE,
    needs=(exp.Subquery,),
    schema="CREATE TABLE t (k INTEGER, v INTEGER)",
    equal=[
        Pair(
            "SELECT d.k + 1 FROM (SELECT DISTINCT k, v FROM t) AS d WHERE d.v > 1",
            "SELECT d.k + 1 FROM (SELECT DISTINCT v, k FROM t) AS d WHERE d.v > 1",
        ),
        Pair(
            "SELECT MAX(d.k) FROM (SELECT k, v FROM t UNION SELECT v, k FROM t) AS d GROUP BY d.v",
            "SELECT MAX(d.k) FROM (SELECT v, k FROM t UNION SELECT k, v FROM t) AS d GROUP BY d.v",
        ),
    ],
    different=[
        Pair(
            "SELECT MAX(d.k) FROM (SELECT k, v FROM t UNION SELECT v, k FROM t) AS d",
            "SELECT MAX(d.k) FROM (SELECT k, v FROM t UNION SELECT k, v FROM t) AS d",
            because="on the other side the columns stand the other way round",
        ),
    ],
)
def columns_inside_have_one_order(node: exp.Select, facts: Facts) -> Expr | None:
    """Put them in the order of their texts."""
    del facts
    for item in items(node):
        if not isinstance(item, exp.Subquery) or not item.alias:
            continue
        query = item.this
        sides = list(leaves(query))
        if not all(isinstance(side, exp.Select) for side in sides):
            continue
        if isinstance(query, exp.SetOperation) and any(
            part.args.get("order") is not None for part in query.find_all(exp.SetOperation)
        ):
            continue
        keys = column_keys(query)
        order = sorted(range(len(keys)), key=keys.__getitem__)
        if order == list(range(len(keys))):
            continue
        for side in sides:
            side.set("expressions", [side.expressions[number] for number in order])
        substitute(
            node,
            {
                (item.alias, f"c{number}"): resolved(item.alias, f"c{at}")
                for at, number in enumerate(order)
            },
        )
        return node
    return None
