"""Groups that are joined to rows with keys: join their rows, and group by the keys.

Statement
    SELECT a.x, d.n FROM a
    JOIN (SELECT g, COUNT(*) AS n FROM b WHERE p GROUP BY g) AS d ON d.g = a.k
    ==   SELECT a.x, COUNT(*) FROM a, b WHERE p AND b.g = a.k GROUP BY (key of a), b.g

Holds when
    Every other source of the query has a key (UNIQUE, and NOT NULL or compared in WHERE). The query
    around the groups neither groups nor has outer joins or windows, and no query in it refers to
    the groups. The grouping expressions of the derived table have one order, in which equal values
    are the same: integers, reals, texts, days, moments, decimals of one scale.

Why
    Grouped by the keys of the other sources and by the inner grouping expressions, each pair of
    outer rows and an inner group is a group of its own, made of the rows of that inner group.

Limits
    A derived table with LIMIT, DISTINCT or columns beside its groups is left alone, and so are two
    derived tables that aggregate.

Source
    House rule, met in published predictions; ETM (Ascoli et al.) has none like it.
"""

from __future__ import annotations

from sqlglot import exp
from sqlglot.expressions import Expr

from sqlverdict.parse.facts import Unique
from sqlverdict.prove.reasoning.bare import bare_columns
from sqlverdict.prove.reasoning.facts import Facts
from sqlverdict.prove.reasoning.moves import is_flat, set_items, split_items, substitute
from sqlverdict.prove.reasoning.partner_groups import row_keys
from sqlverdict.prove.reasoning.shape import (
    aggregates_in,
    all_inner,
    conditions,
    has_subquery,
    has_window,
    is_closed,
    is_grouped,
    is_limited,
    items,
    labels_in,
    nodes_in,
    set_conditions,
)
from sqlverdict.prove.reasoning.stored import has_one_order
from sqlverdict.prove.rule import EVERYWHERE, Pair, rule

KEY = (Unique("t", ("k",)),)


@rule(
    trust="proved",
    dialects=EVERYWHERE,
    needs=(exp.Subquery,),
    schema="CREATE TABLE t (k INTEGER, v INTEGER); CREATE TABLE u (f INTEGER, w INTEGER)",
    equal=[
        Pair(
            "SELECT v, n FROM t JOIN (SELECT f, COUNT(*) AS n FROM u GROUP BY f) AS d ON f = k",
            "SELECT v, COUNT(*) FROM t JOIN u ON f = k GROUP BY k, v",
            KEY,
        ),
        Pair(
            "SELECT v FROM t"
            " JOIN (SELECT f, MAX(w) AS m FROM u GROUP BY f) AS d ON f = k AND m > v",
            "SELECT v FROM t JOIN u ON f = k GROUP BY k, v HAVING MAX(w) > v",
            KEY,
        ),
    ],
    different=[
        Pair(
            "SELECT v, n FROM t JOIN (SELECT f, COUNT(*) AS n FROM u GROUP BY f) AS d ON f = v",
            "SELECT v, COUNT(*) FROM t JOIN u ON f = v GROUP BY v",
            KEY,
            because="several rows of t may share v",
        ),
    ],
)
def joined_groups_are_grouping(node: exp.Select, facts: Facts) -> Expr | None:
    """Join the rows, and group them."""
    if is_grouped(node) or has_window(node) or not all_inner(node) or not is_flat(node):
        return None
    derived = [item for item in items(node) if _has_groups(item)]
    if len(derived) != 1 or len(items(node)) < 2:
        return None
    item = derived[0]
    query, label = item.this, item.alias
    own = conditions(node)
    if any(
        label in labels_in(part) for part in nodes_in(node) if isinstance(part, exp.Subquery)
    ) or not _is_clear(query, facts):
        return None
    mine = [other for other in items(node) if other is not item]
    if any(isinstance(other, exp.Subquery) and is_grouped(other.this) for other in mine):
        return None
    terms = row_keys(mine, facts, own)
    if terms is None:
        return None
    columns = {(label, f"c{n}"): value for n, value in enumerate(query.expressions)}
    theirs, _ = split_items(query)
    filters, having = conditions(query), conditions(query, "having")
    terms += query.args["group"].expressions
    set_items(node, [*mine, *theirs])
    substitute(node, columns)
    tests = conditions(node)
    calls = [part for part in tests if next(aggregates_in([part]), None) is not None]
    rest = [part for part in tests if not any(part is call for call in calls)]
    set_conditions(node, [*rest, *filters])
    node.set("group", exp.Group(expressions=terms))
    set_conditions(node, [*having, *calls], "having")
    return node


def _has_groups(item: Expr) -> bool:
    query = item.this if isinstance(item, exp.Subquery) else None
    return isinstance(query, exp.Select) and query.args.get("group") is not None


def _is_clear(query: exp.Select, facts: Facts) -> bool:
    """Whether a query of groups can be taken apart."""
    if query.args.get("distinct") or query.args.get("order") is not None or is_limited(query):
        return False
    if has_window(query) or not all_inner(query) or not is_flat(query):
        return False
    if not items(query) or not all(map(is_closed, items(query))):
        return False
    if any(map(has_subquery, query.expressions)) or next(bare_columns(query), None) is not None:
        return False
    return all(has_one_order(term, facts) for term in query.args["group"].expressions)
