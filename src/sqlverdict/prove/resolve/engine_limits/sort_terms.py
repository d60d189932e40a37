"""What a query may sort and group its rows by: no constants, and beside DISTINCT what it shows.

And which columns HAVING may ask for.

PostgreSQL sorts distinct rows by what they show, expression by expression, and refuses all else.
MySQL looks at the columns of the expression. SQLite, DuckDB and MariaDB take the value from one of
the rows that became one.

A whole number stands for a column of the result. PostgreSQL refuses all other constants; DuckDB
refuses them in ORDER BY.
"""

from __future__ import annotations

from sqlglot import exp
from sqlglot.expressions import Expr

from sqlverdict.dialects import Dialect
from sqlverdict.prove.reasoning.shape import is_aggregate, items, nodes_in, own_nodes
from sqlverdict.prove.resolve.scope import EngineRefusal, Unsupported


def require_no_constants(tree: Expr, record: Dialect) -> None:
    """Refuse a parsed query that is sorted or grouped by a text, NULL or the like.

    Raises:
        EngineRefusal: the engine refuses it.
    """
    clauses = (exp.Order, exp.Group) if record.strict_types else (exp.Order,)
    for clause in tree.find_all(*clauses) if record.typed_quotes else ():
        terms = (
            term.this if isinstance(term, exp.Ordered) else term for term in clause.expressions
        )
        if isinstance(clause.parent, exp.Query) and any(map(_is_constant, terms)):
            raise EngineRefusal("a query that is sorted or grouped by a constant")


def _is_constant(term: Expr) -> bool:
    inner = term.unnest()
    if isinstance(inner, exp.Neg):
        return _is_constant(inner.this) or isinstance(inner.this, exp.Literal)
    is_position = isinstance(inner, exp.Literal) and not inner.is_string and inner.this.isdigit()
    return isinstance(inner, exp.Literal | exp.Null | exp.Boolean) and not is_position


def require_visible_columns(tree: Expr, record: Dialect) -> None:
    """Refuse a parsed query with a HAVING of columns that its engine does not see there.

    MySQL sees what the query shows and the columns that it groups by, and no others, even where the
    same expression stands behind GROUP BY.

    Raises:
        Unsupported: there is such a column.
    """
    if record.determined_columns != "outside_having":
        return
    for select in tree.find_all(exp.Select):
        having, group = select.args.get("having"), select.args.get("group")
        if having is None:
            continue
        own = {item.alias_or_name.lower() for item in items(select)}
        seen = {item.alias_or_name.lower() for item in select.expressions}
        seen |= {item.unalias().name.lower() for item in select.expressions}
        seen |= {term.name.lower() for term in (group.expressions if group is not None else ())}
        for node in own_nodes(having):
            is_own = isinstance(node, exp.Column) and node.table.lower() in own | {""}
            if is_own and node.name.lower() not in seen and not _is_in_aggregate(node):
                raise Unsupported("a column in HAVING that is neither shown nor grouped by")


def _is_in_aggregate(node: Expr) -> bool:
    around = node.parent
    while around is not None and not isinstance(around, exp.Having):
        if is_aggregate(around):
            return True
        around = around.parent
    return False


def require_shown_terms(select: exp.Select, record: Dialect) -> None:
    """Refuse a resolved SELECT DISTINCT that is sorted by something that its engine does not see.

    Raises:
        EngineRefusal: the engine refuses it.
    """
    order = select.args.get("order")
    if order is None or not select.args.get("distinct") or record.distinct_order == "anything":
        return
    for term in order.expressions:
        if not _is_shown(term.this, select, whole=record.distinct_order == "outputs"):
            raise EngineRefusal("a SELECT DISTINCT that is sorted by what it does not show")


def _is_shown(term: Expr, select: exp.Select, *, whole: bool) -> bool:
    """Whether a term, or each of its columns, is in the SELECT list."""
    if term in select.expressions:
        return True
    if whole or any(is_aggregate(node) or isinstance(node, exp.Query) for node in nodes_in(term)):
        return False
    return all(column in select.expressions for column in term.find_all(exp.Column))
