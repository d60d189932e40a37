"""An aggregate that an inner query computes over the same rows can be computed here.

Statement
    SELECT SUM(x) / (SELECT COUNT(*) FROM t WHERE p) FROM t WHERE p
    ==   SELECT SUM(x) / COUNT(*) FROM t WHERE p

Holds when
    Both queries aggregate without GROUP BY, read the same tables, each once and joined by inner
    joins, and have the same conditions.

Why
    Both aggregates run over the same rows, and each query gives one row, for no rows too.

Limits
    With GROUP BY, HAVING, or further conditions on either side the queries are left alone, and so
    is a query inside an aggregate, which cannot hold another one.

Source
    House rule; ETM (Ascoli et al.) lacks it: predictions that divide by a count of their own rows.
"""

from __future__ import annotations

from sqlglot import exp
from sqlglot.expressions import Expr

from sqlverdict.prove.reasoning.bare import bare_columns
from sqlverdict.prove.reasoning.facts import Facts
from sqlverdict.prove.reasoning.moves import is_flat
from sqlverdict.prove.reasoning.same_rows import same_rows
from sqlverdict.prove.reasoning.shape import aggregates_in, all_inner, columns_in, items, own_nodes
from sqlverdict.prove.rule import EVERYWHERE, Pair, rule


@rule(
    trust="proved",
    dialects=EVERYWHERE,
    needs=(exp.Subquery,),
    schema="CREATE TABLE t (k INTEGER, v INTEGER)",
    equal=[
        Pair(
            "SELECT SUM(v) - (SELECT MIN(v) FROM t WHERE k > 1) FROM t WHERE k > 1",
            "SELECT SUM(v) - MIN(v) FROM t WHERE k > 1",
        ),
        Pair(
            "SELECT MAX(v), (SELECT MAX(k) FROM t) FROM t",
            "SELECT MAX(v), MAX(k) FROM t",
        ),
    ],
    different=[
        Pair(
            "SELECT SUM(v) - (SELECT MIN(v) FROM t) FROM t WHERE k > 1",
            "SELECT SUM(v) - MIN(v) FROM t WHERE k > 1",
            because="the inner query sees all rows",
        ),
    ],
)
def value_of_the_same_rows(node: exp.Select, facts: Facts) -> Expr | None:
    """Compute it here."""
    inside = [part for item in node.expressions for part in own_nodes(item) if _is_value(part)]
    calls = list(aggregates_in(node.expressions))
    if not inside or node.args.get("group") is not None or node.args.get("having") is not None:
        return None
    if not calls:
        return None
    if next(bare_columns(node), None) is not None:
        return None
    if not items(node) or not all_inner(node) or not is_flat(node):
        return None
    within = {id(part) for call in calls for part in own_nodes(call)}
    for query in inside:
        if id(query) in within:
            continue
        match = same_rows(node, query.this, facts)
        if match is not None and not match.own and _only_aggregates(match.value):
            query.replace(match.value)
            return node
    return None


def _is_value(node: Expr) -> bool:
    if not isinstance(node, exp.Subquery) or not isinstance(node.this, exp.Select):
        return False
    return not isinstance(node.parent, exp.In)


def _only_aggregates(value: Expr) -> bool:
    """Whether an expression is made of aggregates, without a column or a query beside them."""
    calls = list(aggregates_in([value]))
    if any(isinstance(part, exp.Query) for part in own_nodes(value)):
        return False
    inside = {id(column) for call in calls for column in columns_in(call)}
    return bool(calls) and all(id(column) in inside for column in columns_in(value))
