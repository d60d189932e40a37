"""A query that only passes on the rows of a derived table is the derived table.

Statement
    SELECT d.y, d.x FROM (q) AS d   ==   q with its columns picked

Holds when
    The outer query has no condition, DISTINCT, grouping or other source. Where columns are left
    out, the inner query must not fold rows by them: no DISTINCT. ORDER BY and LIMIT of the outer
    query may stay if the inner has no LIMIT; the inner ORDER BY stays where the outer query has
    none.

Why
    Nothing is done to the rows.

Limits
    Set operations inside are passed on only with all columns in their order; of UNION ALL columns
    may be picked where its sides neither group nor fold rows. SQLite does not say from which side
    such a column has its affinity: unless it stands in the whole query, all sides have the same.

Source
    ETM (Ascoli et al.), rule 26, for derived tables too.
"""

from __future__ import annotations

from sqlglot import exp
from sqlglot.expressions import Expr

from sqlverdict.prove.reasoning.common_type import compare_alike
from sqlverdict.prove.reasoning.copies import counted_copy
from sqlverdict.prove.reasoning.facts import Facts
from sqlverdict.prove.reasoning.moves import substitute
from sqlverdict.prove.reasoning.shape import (
    aggregates_in,
    columns_in,
    has_subquery,
    has_window,
    is_grouped,
    is_limited,
    joins,
    leaves,
    output_nodes,
)
from sqlverdict.prove.rule import EVERYWHERE, Pair, rule


@rule(
    trust="proved",
    dialects=EVERYWHERE,
    needs=(exp.Subquery,),
    paper=("26",),
    schema="CREATE TABLE t (k INTEGER, v INTEGER)",
    equal=[
        Pair(
            "SELECT n FROM (SELECT k, COUNT(*) AS n FROM t GROUP BY k) AS d",
            "SELECT COUNT(*) FROM t GROUP BY k",
        ),
        Pair(
            "SELECT k FROM (SELECT k, COUNT(*) AS n FROM t GROUP BY k) ORDER BY n DESC LIMIT 1",
            "SELECT k FROM t GROUP BY k ORDER BY COUNT(*) DESC LIMIT 1",
        ),
        Pair(
            "SELECT v FROM (SELECT v FROM t ORDER BY v DESC) AS d LIMIT 1",
            "SELECT v FROM t ORDER BY v DESC LIMIT 1",
        ),
        Pair(
            "SELECT v FROM (SELECT k, v FROM t UNION ALL SELECT v, k FROM t) AS d",
            "SELECT v FROM t UNION ALL SELECT k FROM t",
        ),
    ],
    different=[
        Pair(
            "SELECT v FROM (SELECT v FROM t ORDER BY v DESC) AS d LIMIT 1",
            "SELECT v FROM t ORDER BY v LIMIT 1",
            because="LIMIT takes the first in the inner order",
        ),
        Pair(
            "SELECT k FROM (SELECT DISTINCT k, v FROM t) AS d",
            "SELECT DISTINCT k FROM t",
            because="two rows may share k and differ in v",
        ),
        Pair(
            "SELECT v FROM (SELECT k, v FROM t UNION SELECT v, k FROM t) AS d",
            "SELECT v FROM t UNION SELECT k FROM t",
            because="UNION folds rows by both columns",
        ),
    ],
)
def query_around_a_query(node: exp.Select, facts: Facts) -> Expr | None:
    """Unwrap it."""
    start = node.args.get("from_")
    if start is None or joins(node) or not isinstance(start.this, exp.Subquery):
        return None
    if any(node.args.get(part) is not None for part in ("where", "group", "having", "distinct")):
        return None
    inner = start.this.this
    if is_grouped(node) or has_window(node):
        return None
    asks = node.args.get("order") is not None or is_limited(node)
    if asks and is_limited(inner):
        return None
    if node.args.get("order") is not None and inner.args.get("order") is not None:
        # The inner order settles the ties of the outer one.
        return None
    if isinstance(inner, exp.Select):
        return _over_select(node, inner, start.this.alias, asks)
    if not _has_one_affinity(node, inner, facts):
        facts.cited.clear()
        return None
    return _over_set_operation(node, inner, start.this.alias, asks)


def _has_one_affinity(node: exp.Select, inner: Expr, facts: Facts) -> bool:
    """Whether no comparison around can tell from which side a column takes its affinity."""
    if facts.record.typed or node.parent is None or isinstance(node.parent, exp.Exists):
        return True
    numbers = [item.name[1:] for item in node.expressions if isinstance(item, exp.Column)]
    return all(
        compare_alike([side.expressions[int(number)] for side in leaves(inner)], facts)
        for number in numbers
        if number.isdigit()
    )


def _over_select(node: exp.Select, inner: exp.Select, label: str, asks: bool) -> Expr | None:
    columns = [item.name for item in node.expressions if _is_of(item, label)]
    whole = set(columns) == {f"c{n}" for n in range(len(inner.expressions))}
    computed = len(columns) != len(node.expressions)
    if inner.args.get("distinct") and (computed or not whole):
        return None
    if has_window(inner) and asks:
        return None
    if is_grouped(inner) and not _keeps_groups(node, inner, label):
        return None
    mapping = {(label, f"c{n}"): output for n, output in enumerate(inner.expressions)}
    for part in ("expressions", "order"):
        value = node.args.get(part)
        for part_node in value if isinstance(value, list) else [value] if value is not None else []:
            if _is_of(part_node, label):
                part_node.replace(counted_copy(mapping[label, part_node.name]))
            else:
                substitute(part_node, mapping)
    inner.set("expressions", list(node.expressions))
    if asks:
        if node.args.get("order") is not None:
            inner.set("order", node.args["order"])
        inner.set("limit", node.args.get("limit"))
        inner.set("offset", node.args.get("offset"))
    return inner


def _over_set_operation(node: exp.Select, inner: Expr, label: str, asks: bool) -> Expr | None:
    width = _width(inner)
    names = [
        item.name if isinstance(item, exp.Column) and item.text("table") == label else ""
        for item in node.expressions
    ]
    if asks or "" in names:
        return None
    if names == [f"c{n}" for n in range(width)]:
        return inner
    sides = list(leaves(inner))
    if not _keeps_copies(inner) or any(map(_folds, sides)):
        return None
    for side in sides:
        outputs = side.expressions
        side.set("expressions", [counted_copy(outputs[int(name[1:])]) for name in names])
    return inner


def _keeps_copies(query: Expr) -> bool:
    """Whether a query is a SELECT, or UNION ALL of such queries without ORDER BY and LIMIT."""
    if not isinstance(query, exp.SetOperation):
        return True
    if not isinstance(query, exp.Union) or query.args.get("distinct"):
        return False
    if is_limited(query) or query.args.get("order") is not None:
        return False
    return _keeps_copies(query.this) and _keeps_copies(query.expression)


def _folds(side: Expr) -> bool:
    """Whether the columns of a side decide which rows it has."""
    if side.args.get("distinct") or has_window(side):
        return True
    return is_grouped(side)


def _width(query: Expr) -> int:
    while isinstance(query, exp.SetOperation):
        query = query.this
    return len(query.expressions)


def _is_of(node: Expr, label: str) -> bool:
    """Whether a node is a column of the derived table; others are those of a query around it."""
    return isinstance(node, exp.Column) and node.text("table") == label


def _keeps_groups(node: exp.Select, inner: exp.Select, label: str) -> bool:
    """Whether the query still groups with the outer columns, and no aggregate gets further in."""
    if any(has_subquery(item) for item in output_nodes(node)):
        return False
    if inner.args.get("group") is not None:
        return True
    selected = [
        inner.expressions[int(column.name[1:])]
        for item in node.expressions
        for column in columns_in(item)
        if _is_of(column, label)
    ]
    return next(aggregates_in(selected), None) is not None
