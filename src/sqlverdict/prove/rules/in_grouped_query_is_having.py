"""A value in the groups of a query: join the rows, and group by the outer rows.

Statement
    SELECT p.x FROM p WHERE p.k IN (SELECT c.f FROM c WHERE q GROUP BY c.f HAVING h)
    ==   SELECT p.x FROM p, c WHERE q AND c.f = p.k GROUP BY (key of p) HAVING h

Holds when
    Every source of the outer query has a key (UNIQUE, and NOT NULL or compared in WHERE), the
    outer query neither groups nor has outer joins, and the inner query groups by the selected
    column alone. Each value of the outer column is equal to one value of the inner one.

Why
    Grouped by the keys of all its sources, each row of the outer query is a group of its own,
    made of the rows of c that belong to it: the inner group of that value. Without such rows
    there is no group on either side.

Limits
    IN under NOT or OR is left alone. A number is equal to the texts '1' and '01', which are two
    groups.

Source
    House rule, met in published predictions; ETM (Ascoli et al.) has none like it.
"""

from __future__ import annotations

from sqlglot import exp
from sqlglot.expressions import Expr

from sqlverdict.parse.facts import Unique
from sqlverdict.prove.reasoning.dependencies import item_keys
from sqlverdict.prove.reasoning.facts import Facts
from sqlverdict.prove.reasoning.moves import is_flat, set_items, split_items
from sqlverdict.prove.reasoning.shape import (
    all_inner,
    conditions,
    has_window,
    is_closed,
    is_grouped,
    is_limited,
    items,
    set_conditions,
)
from sqlverdict.prove.resolve.scope import resolved
from sqlverdict.prove.rule import EVERYWHERE, Pair, rule
from sqlverdict.prove.tree_key import same_expression

KEY = (Unique("t", ("k",)),)


@rule(
    trust="proved",
    dialects=EVERYWHERE,
    needs=(exp.In,),
    schema="CREATE TABLE t (k INTEGER, v INTEGER); CREATE TABLE u (f INTEGER, w INTEGER)",
    equal=[
        Pair(
            "SELECT v FROM t WHERE k IN (SELECT f FROM u GROUP BY f HAVING COUNT(*) > 1)",
            "SELECT v FROM t JOIN u ON f = k GROUP BY k HAVING COUNT(*) > 1",
            KEY,
        ),
    ],
    different=[
        Pair(
            "SELECT v FROM t WHERE v IN (SELECT f FROM u GROUP BY f HAVING COUNT(*) > 1)",
            "SELECT v FROM t JOIN u ON f = v GROUP BY v HAVING COUNT(*) > 1",
            KEY,
            because="several rows of t may share v",
        ),
    ],
)
def in_grouped_query_is_having(node: exp.Select, facts: Facts) -> Expr | None:
    """Join, group and filter."""
    own_conditions = conditions(node)
    if not any(isinstance(condition, exp.In) for condition in own_conditions) or not items(node):
        return None
    if is_grouped(node) or has_window(node) or not all_inner(node) or not is_flat(node):
        return None
    for index, condition in enumerate(own_conditions):
        inner = _grouped(condition)
        if inner is None or not facts.pins(inner.expressions[0], condition.this):
            # '1' and '01' are two groups, and both are equal to 1.
            continue
        terms: list[Expr] = []
        for item in items(node):
            source_keys = item_keys(item, facts, [*own_conditions, _has_value(condition.this)])
            keys = sorted(source_keys, key=lambda k: (len(k[0]), sorted(k[0])))
            if not keys:
                return None
            facts.cite(*keys[0][1])
            terms += [resolved(item.alias, name) for name in sorted(keys[0][0])]
        mine, outer = split_items(node)
        theirs, _ = split_items(inner)
        equal = exp.EQ(this=inner.expressions[0], expression=condition.this)
        having = conditions(inner, "having")
        filters = conditions(inner)
        set_items(node, [*mine, *theirs], outer)
        set_conditions(
            node, [*own_conditions[:index], *own_conditions[index + 1 :], *filters, equal]
        )
        node.set("group", exp.Group(expressions=terms))
        set_conditions(node, having, "having")
        return node
    return None


def _has_value(column: Expr) -> Expr:
    """What IN and the equality both ask of the column."""
    return exp.Not(this=exp.Is(this=column.copy(), expression=exp.Null()))


def _grouped(condition: Expr) -> exp.Select | None:
    """The inner query of ``x IN (SELECT f ... GROUP BY f)``."""
    if not isinstance(condition, exp.In) or not isinstance(condition.this, exp.Column):
        return None
    query = condition.args.get("query")
    inner = query.this if isinstance(query, exp.Subquery) else query
    if not isinstance(inner, exp.Select) or is_limited(inner) or inner.args.get("distinct"):
        return None
    group = inner.args.get("group")
    if group is None or len(group.expressions) != 1 or not all_inner(inner) or not is_flat(inner):
        return None
    if not items(inner) or not all(map(is_closed, items(inner))):
        return None
    return inner if same_expression(group.expressions[0], inner.expressions[0]) else None
