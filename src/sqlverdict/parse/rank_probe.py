"""The probe for ties on engines other than SQLite: the engine itself ranks the rows.

The query is written without its LIMIT and with one more column, the dense rank under its own
ORDER BY. Rows of one rank tie by the engine's own rules: its collations, its order of NULLs. The
text is written from the tree, so it serves a comparison and never a proof.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlverdict.parse.inner_order import sort_value, takes_inner_order
from sqlverdict.parse.tokens import fold
from sqlverdict.records import Query

if TYPE_CHECKING:
    from sqlglot import exp
    from sqlglot.expressions import Expr


def rank_probe(query: Query) -> tuple[str, int, tuple[int, ...]] | None:
    """The text of the probe, its sort keys behind the columns, and those among the columns.

    ``None`` where no such query can be written, as for the keys of a DISTINCT or of a set
    operation that are no output columns, and where the order comes from a query inside.
    """
    from sqlglot import exp

    tree = query.tree.copy()
    while isinstance(tree, exp.Subquery) and not tree.args.get("order") and not tree.alias:
        tree = tree.this
    order = tree.args.get("order")
    tree.set("limit", None)
    tree.set("offset", None)
    if order is None:
        return None if takes_inner_order(tree) else (tree.sql(dialect=query.dialect), 0, ())
    if isinstance(tree, exp.SetOperation):
        columns = _output_columns(tree, order)
        return None if columns is None else (tree.sql(dialect=query.dialect), 0, columns)
    if not isinstance(tree, exp.Select):
        return None
    keys = [_ranked(term, tree) for term in order.expressions]
    known = [key for key in keys if key is not None]
    if len(known) < len(keys):
        return None
    outputs = {item.unalias() for item in tree.expressions}
    if tree.args.get("distinct") and any(key.this not in outputs for key in known):
        return None
    rank = exp.Window(
        this=exp.Anonymous(this="DENSE_RANK"), order=exp.Order(expressions=known), over="OVER"
    )
    tree.append("expressions", exp.alias_(rank, "sqlverdict_rank"))
    return tree.sql(dialect=query.dialect), 1, ()


def _ranked(term: Expr, select: exp.Select) -> Expr | None:
    """A term of ORDER BY whose key stands for itself: an alias is not visible in a window."""
    value = sort_value(term.this, select)
    if value is None:
        return None
    ranked = term.copy()
    ranked.set("this", value)
    return ranked


def _output_columns(tree: exp.SetOperation, order: Expr) -> tuple[int, ...] | None:
    """Which output columns of a set operation are its sort keys."""
    from sqlglot import exp

    first: Expr = tree
    while isinstance(first, exp.SetOperation | exp.Subquery):
        first = first.this
    names = [fold(item.alias_or_name) for item in first.expressions]
    if any(item.is_star for item in first.expressions):
        return None
    columns = []
    for term in order.expressions:
        key = term.this
        if isinstance(key, exp.Literal) and key.is_int and 0 < int(key.name) <= len(names):
            columns.append(int(key.name) - 1)
        elif isinstance(key, exp.Column) and names.count(fold(key.name)) == 1:
            columns.append(names.index(fold(key.name)))
        else:
            return None
    return tuple(columns)
