"""A query without ORDER BY that takes its rows from an ordered query inside.

``SELECT name FROM (SELECT name FROM t ORDER BY size DESC) LIMIT 1`` means the largest: SQLite
hands the rows of the inner query on in their order. So such a LIMIT does not leave all rows
open, but only those that tie under the inner order. :func:`inner_probe` shows its keys.

On engines other than SQLite the probe for ties lets the engine itself rank the rows. The query is
written without its LIMIT and with one more column, the dense rank under its own ORDER BY. Rows of
one rank tie by the engine's own rules: its collations, its order of NULLs. The text is written
from the tree, so it serves a comparison and never a proof.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from sqlverdict.dialects import DEFAULT_DIALECT
from sqlverdict.parse.tokens import fold
from sqlverdict.records import Query

if TYPE_CHECKING:
    from sqlglot import exp
    from sqlglot.expressions import Expr


_KEY = "sqlverdict_key_"


def takes_inner_order(tree: Expr) -> bool:
    """Whether a query says nothing of order itself, and a source of its FROM clause does."""
    return _is_passed_on(tree, {})


def _is_passed_on(tree: Expr, outer: Mapping[str, Expr]) -> bool:
    from sqlglot import exp

    if tree.args.get("order") is not None:
        return False
    known = dict(outer)
    with_ = tree.args.get("with_")
    for cte in with_.expressions if with_ is not None else ():
        known[fold(cte.alias)] = cte.this
    if isinstance(tree, exp.SetOperation):
        return any(_is_passed_on(side, known) for side in (tree.this, tree.expression))
    if isinstance(tree, exp.Subquery):
        return _has_order(tree.this, known)
    if not isinstance(tree, exp.Select) or _aggregates(tree):
        return False
    return any(_has_order(source, known) for source in _sources(tree))


def _has_order(source: Expr, known: Mapping[str, Expr]) -> bool:
    """Whether the rows of a source come in an order that is written somewhere."""
    from sqlglot import exp

    if isinstance(source, exp.Table):
        name = fold(source.name)
        if name not in known:
            return False
        # A body does not see its own name.
        rest = {key: body for key, body in known.items() if key != name}
        return _has_order(known[name], rest)
    while isinstance(source, exp.Subquery) and source.args.get("order") is None:
        source = source.this
    return source.args.get("order") is not None or _is_passed_on(source, known)


def _sources(select: Expr) -> list[Expr]:
    start = select.args.get("from_")
    joined = [join.this for join in select.args.get("joins") or ()]
    return [start.this, *joined] if start is not None else joined


def _aggregates(select: Expr) -> bool:
    """Whether a SELECT makes groups: these come in an order of their own."""
    from sqlglot import exp

    if select.args.get("group") is not None or select.args.get("having") is not None:
        return True
    return any(
        isinstance(node, exp.AggFunc) and node.find_ancestor(exp.Select) is select
        for item in select.expressions
        for node in item.find_all(exp.AggFunc)
        if not isinstance(node.parent, exp.Window)
    )


def inner_probe(tree: Expr) -> tuple[str, int] | None:
    """The query without LIMIT, with the keys of the inner order behind its columns.

    Returns:
        The probe, and how many keys it shows; ``None`` where the query is not a plain SELECT
        from one ordered derived table.
    """
    from sqlglot import exp

    if not isinstance(tree, exp.Select) or tree.args.get("distinct") or tree.args.get("with_"):
        return None
    probe = tree.copy()
    sources = _sources(probe)
    inner = sources[0].this if len(sources) == 1 and isinstance(sources[0], exp.Subquery) else None
    if not isinstance(inner, exp.Select) or inner.args.get("order") is None:
        return None
    if inner.args.get("distinct") or inner.args.get("limit"):
        return None
    stars = [item for item in probe.expressions if item.is_star]
    if stars and len(probe.expressions) > 1:
        return None
    terms = inner.args["order"].expressions
    keys = [key for term in terms if (key := sort_value(term.this, inner)) is not None]
    if len(keys) < len(terms):
        return None
    names = [f"{_KEY}{number}" for number in range(len(keys))]
    for key, name in zip(keys, names, strict=True):
        inner.append("expressions", exp.alias_(key, name))
        if not stars:
            probe.append("expressions", exp.column(name))
    probe.set("limit", None)
    probe.set("offset", None)
    return str(probe.sql(dialect=DEFAULT_DIALECT)), len(names)


def sort_value(key: Expr, select: exp.Select) -> Expr | None:
    """What a sort key stands for: an ordinal and an alias mean an output column."""
    from sqlglot import exp

    if isinstance(key, exp.Literal):
        if not key.is_int or any(item.is_star for item in select.expressions):
            return None
        index = int(key.name) - 1
        if not 0 <= index < len(select.expressions):
            return None
        output: Expr = select.expressions[index].unalias()
        return output.copy()
    aliases: dict[str, Expr] = {
        fold(item.alias): item.this for item in select.expressions if isinstance(item, exp.Alias)
    }
    if isinstance(key, exp.Column) and not key.table and fold(key.name) in aliases:
        return aliases[fold(key.name)].copy()
    used = {fold(column.name) for column in key.find_all(exp.Column) if not column.table}
    return None if used & aliases.keys() else key.copy()


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
