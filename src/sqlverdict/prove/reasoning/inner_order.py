"""Where the order of an inner query's rows can be seen from outside.

SQL's tables are bags, but SQLite, DuckDB and PostgreSQL hand the rows of a derived table on as they
come. A LIMIT around it, a scalar subquery, a window, a bare column of a group shows that order.
Predictions rely on it, so an inner ORDER BY counts wherever it can be seen, through any number of
levels. Where a gold orders its rows, the order that a prediction hands on is one, too. MariaDB
drops an ORDER BY inside: there a query is refused in which it could be seen.
"""

from __future__ import annotations

from sqlglot import exp
from sqlglot.expressions import Expr

from sqlverdict.dialects import Dialect
from sqlverdict.prove.reasoning.bare import bare_columns
from sqlverdict.prove.reasoning.dependencies import closure, plain_columns
from sqlverdict.prove.reasoning.facts import Facts
from sqlverdict.prove.reasoning.shape import (
    column_name,
    enclosing,
    has_subquery,
    has_window,
    is_grouped,
    is_limited,
    joins,
    nodes_in,
    whole_number,
)
from sqlverdict.prove.reasoning.stored import has_one_order
from sqlverdict.prove.resolve.scope import resolved

ORDER_SHOWS = "the order of an inner query's rows shows outside"


ROW_TEXTS = (exp.GroupConcat, exp.ArrayAgg)
"""Aggregates that put the values of rows in a row."""


def fixes_row_order(call: Expr, facts: Facts) -> bool:
    """Whether an aggregate that puts values in a row says which comes first, with no ties.

    It shows a column of a table, in the SELECT list of the whole query, and sorts by such columns.
    These, and those that the query groups by, determine the value by keys and equalities; two equal
    values of the determining ones are the same. So the bag of the rows decides what it shows.
    """
    select, inner = call.parent, call.this
    if not isinstance(select, exp.Select) or select.parent is not None:
        return False
    if call.arg_key != "expressions" or select.args.get("distinct"):
        return False
    terms: list[Expr] = []
    if isinstance(inner, exp.Order):
        terms, inner = [term.this for term in inner.expressions], inner.this
    if isinstance(inner, exp.Distinct):
        inner = inner.expressions[0]
        terms = [inner] if terms == [inner] else []
        if not terms:
            return False
    if not all(_is_stored(part, facts) for part in (inner, *terms)):
        return False
    group = select.args.get("group")
    known = [*terms, *(group.expressions if group is not None else ())]
    # 0.0 and -0.0 are equal.
    exact = [part for part in known if facts.kind(part) != "real" and has_one_order(part, facts)]
    fixed = column_name(inner) in closure(select, facts, plain_columns(exact))
    facts.cited.clear()
    return fixed


def _is_stored(node: Expr, facts: Facts) -> bool:
    return isinstance(node, exp.Column) and column_name(node)[0] in facts.bases


def order_shows(query: Expr) -> bool:
    """Whether the order of a query's rows can be seen in what is around the query.

    The outermost query's own order is no matter of this: the comparison of answers looks at it.
    """
    holder = query.parent
    if holder is None or isinstance(holder, exp.Exists | exp.In):
        return False
    if isinstance(holder, exp.SetOperation):
        return is_limited(holder) or order_shows(holder)
    if not isinstance(holder, exp.Subquery):
        return True
    if not holder.alias:
        # In IN all rows count; a scalar subquery takes the first one.
        return not isinstance(holder.parent, exp.In | exp.Exists) or holder.arg_key == "this"
    around = enclosing(holder)
    if around is None:
        return False
    if _picks_rows(around):
        return True
    # An order of its own leaves to the inner one what ties, and that is open anyway.
    return around.args.get("order") is None and (is_limited(around) or order_shows(around))


def _picks_rows(select: Expr) -> bool:
    """Whether a SELECT numbers its rows, or shows one row of a group."""
    return has_window(select) or next(bare_columns(select), None) is not None


def visible_order(tree: Expr) -> bool:
    """Whether a query inside the tree has an ORDER BY that can be seen outside of it.

    A scalar subquery's own ORDER BY is part of what it says, and one row has no order.
    """
    for node in nodes_in(tree):
        if not isinstance(node, exp.Select | exp.SetOperation) or node.args.get("order") is None:
            continue
        limit = node.args.get("limit")
        if limit is not None and whole_number(limit.expression) in (0, 1):
            continue
        if _is_source(node) and order_shows(node):
            return True
    return False


def lost_order(tree: Expr, record: Dialect) -> str | None:
    """Why nothing is said about a query in a dialect whose engines may drop an inner order."""
    return ORDER_SHOWS if not record.hands_on_order and visible_order(tree) else None


def take_over_order(query: Expr) -> bool:
    """Write the order of a query's one source as its own, in place; whether it is ordered now.

    The query passes rows on: it picks some and shows what it likes of them. It may not pick them by
    a query inside, of which an engine may make a join. A sort key that its source does not show
    becomes one more column of the source.
    """
    if not isinstance(query, exp.Select) or query.args.get("order") is not None:
        return query.args.get("order") is not None
    start = query.args.get("from_")
    source = start.this if start is not None else None
    if not isinstance(source, exp.Subquery):
        return False
    inner = source.this
    if not isinstance(inner, exp.Select) or is_limited(query) or is_limited(inner):
        return False
    if joins(query) or query.args.get("distinct") or is_grouped(query) or has_window(query):
        return False
    where = query.args.get("where")
    if where is not None and has_subquery(where):
        return False
    if not take_over_order(inner):
        return False
    keys = [term.this for term in inner.args["order"].expressions]
    if inner.args.get("distinct") and any(key not in inner.expressions for key in keys):
        return False
    terms = [_outer_term(term, inner, source.alias) for term in inner.args["order"].expressions]
    query.set("order", exp.Order(expressions=terms))
    return True


def _outer_term(term: Expr, inner: exp.Select, label: str) -> Expr:
    """A term of an inner ORDER BY as the query outside says it."""
    position = next((n for n, output in enumerate(inner.expressions) if output == term.this), None)
    if position is None:
        position = len(inner.expressions)
        inner.append("expressions", term.this.copy())
    outer = term.copy()
    outer.set("this", resolved(label, f"c{position}"))
    return outer


def _is_source(query: Expr) -> bool:
    """Whether a query is a derived table or a side of a set operation."""
    holder = query.parent
    if isinstance(holder, exp.Subquery):
        return bool(holder.alias)
    return isinstance(holder, exp.SetOperation)
