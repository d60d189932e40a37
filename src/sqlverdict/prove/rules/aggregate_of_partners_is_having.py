"""A filter on an aggregate of partners: join the partners, and group by the outer rows.

Statement
    SELECT a.x FROM a WHERE (SELECT COUNT(*) FROM b WHERE b.f = a.k) > 2
    ==   SELECT a.x FROM a, b WHERE b.f = a.k GROUP BY (key of a) HAVING COUNT(*) > 2

Holds when
    Every source of the outer query has a key (UNIQUE, and NOT NULL or compared in WHERE), and the
    outer query neither groups nor has outer joins or windows. The inner query has no other clause
    than FROM and WHERE, and refers to the outer row. The condition is a conjunct of WHERE, the only
    one of its kind, and not true for an outer row without partners: it compares MIN, MAX, SUM or
    AVG, which are NULL then, or asks for a count above 0.

Why
    Grouped by the keys of all its sources, each row of the outer query is a group of its own, made
    of its partners. A row without partners makes no group, and the condition drops it, too.

Limits
    A count that may be 0, such as COUNT(*) < 2, is left alone.

Source
    House rule, met in published predictions; ETM (Ascoli et al.) has none like it.
"""

from __future__ import annotations

from sqlglot import exp
from sqlglot.expressions import Expr

from sqlverdict.parse.facts import Unique
from sqlverdict.prove.reasoning.bare import bare_columns
from sqlverdict.prove.reasoning.dependencies import outer_columns
from sqlverdict.prove.reasoning.facts import Facts
from sqlverdict.prove.reasoning.moves import is_flat, set_items, split_items
from sqlverdict.prove.reasoning.partner_groups import drops_no_rows, row_keys
from sqlverdict.prove.reasoning.shape import (
    all_inner,
    conditions,
    has_only_rows,
    has_subquery,
    has_window,
    is_closed,
    is_grouped,
    items,
    labels,
    own_nodes,
    set_conditions,
)
from sqlverdict.prove.reasoning.strict import not_null_test, rejects_null
from sqlverdict.prove.rule import EVERYWHERE, Pair, rule

KEY = (Unique("t", ("k",)),)


@rule(
    trust="proved",
    dialects=EVERYWHERE,
    needs=(exp.Subquery,),
    schema="CREATE TABLE t (k INTEGER, v INTEGER); CREATE TABLE u (f INTEGER, w INTEGER)",
    equal=[
        Pair(
            "SELECT v FROM t WHERE k > 0 AND (SELECT COUNT(*) FROM u WHERE f = k) > 2",
            "SELECT v FROM t JOIN u ON f = k WHERE k > 0 GROUP BY k, v HAVING COUNT(*) > 2",
            KEY,
        ),
        Pair(
            "SELECT v FROM t WHERE k > 0 AND v = (SELECT MAX(w) FROM u WHERE f = k)",
            "SELECT v FROM t JOIN u ON f = k WHERE k > 0 GROUP BY k, v HAVING v = MAX(w)",
            KEY,
        ),
    ],
    different=[
        Pair(
            "SELECT v FROM t WHERE k > 0 AND (SELECT COUNT(*) FROM u WHERE f = k) < 2",
            "SELECT v FROM t JOIN u ON f = k WHERE k > 0 GROUP BY k, v HAVING COUNT(*) < 2",
            KEY,
            because="a row without partners makes no group",
        ),
    ],
)
def aggregate_of_partners_is_having(node: exp.Select, facts: Facts) -> Expr | None:
    """Join, group and filter."""
    if not items(node) or is_grouped(node) or has_window(node):
        return None
    if not all_inner(node) or not is_flat(node):
        return None
    own = conditions(node)
    tests = [
        (index, part)
        for index, condition in enumerate(own)
        for part in own_nodes(condition)
        if isinstance(part, exp.Subquery) and _is_aggregate_of_partners(part, node)
    ]
    if len(tests) != 1:
        return None
    index, query = tests[0]
    if not drops_no_rows(own[index], query, query.this.expressions[0]):
        return None
    inner = query.this
    rest = [part for n, part in enumerate(own) if n != index and not _follows(part, own[index])]
    terms = row_keys(items(node), facts, [*rest, *conditions(inner)])
    if terms is None:
        return None
    mine, _ = split_items(node)
    theirs, _ = split_items(inner)
    filters = conditions(inner)
    query.replace(inner.expressions[0])
    having = conditions(node)[index]
    set_items(node, [*mine, *theirs])
    set_conditions(node, [*rest, *filters])
    node.set("group", exp.Group(expressions=terms))
    set_conditions(node, [having], "having")
    return node


def _is_aggregate_of_partners(query: exp.Subquery, node: exp.Select) -> bool:
    """Whether a query for one value is an aggregate over rows that depend on the outer row."""
    inner = query.this
    if query.alias or not isinstance(inner, exp.Select) or len(inner.expressions) != 1:
        return False
    if not has_only_rows(inner) or not is_grouped(inner):
        return False
    if not items(inner) or not all_inner(inner) or not is_flat(inner):
        return False
    if set(labels(inner)) & set(labels(node)) or not all(map(is_closed, items(inner))):
        return False
    if has_subquery(inner.expressions[0]) or next(bare_columns(inner), None) is not None:
        return False
    outside = {label for label, _ in outer_columns(inner)}
    return bool(outside) and outside <= set(labels(node))


def _follows(condition: Expr, from_: Expr) -> bool:
    """Whether a condition only says that a column has a value, and another one says it, too."""
    tested = not_null_test(condition)
    return isinstance(tested, exp.Column) and rejects_null(from_, tested)
