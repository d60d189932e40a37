"""For which columns a star stands, and what is said around it: ``a.*``, ``MIN(COLUMNS('x.*'))``.

Of two queries with different stars, all these columns get values. So do two columns whose names
differ in letter case alone: what names one of them may mean the other.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from sqlglot import exp
from sqlglot.expressions import Expr

from sqlverdict.parse.schema import ColumnRef, Schema, Table
from sqlverdict.parse.tokens import fold
from sqlverdict.refute.read.calls import words_of_nodes
from sqlverdict.refute.read.columns import Resolver, nodes_of
from sqlverdict.refute.read.expressions import shows_all

Stars = frozenset[tuple[tuple[ColumnRef, ...], tuple[str, ...]]]
"""The columns of each star, and the words of the output column in which it stands."""


def stars(resolver: Resolver) -> Stars:
    """The stars of a query that stand for columns."""
    return frozenset(_stars(resolver))


def starred_apart(ours: Stars, theirs: Stars) -> list[ColumnRef]:
    """The columns of the stars that only one of two queries has."""
    return [column_ref for column_refs, _ in sorted(ours ^ theirs) for column_ref in column_refs]


def _stars(resolver: Resolver) -> Iterator[tuple[tuple[ColumnRef, ...], tuple[str, ...]]]:
    for node in resolver.nodes:
        if type(node) is exp.Columns or (type(node) is exp.Star and shows_all(node)):
            tables = _tables(node, resolver)
            columns = tuple(
                (table.name, column.name) for table in tables for column in table.columns
            )
            yield columns, words_of_nodes(nodes_of(_output(node)))


def _tables(star: Expr, resolver: Resolver) -> list[Table]:
    """The tables whose columns a star shows: all, where the name before it means none of them."""
    name = star.parent.table if isinstance(star.parent, exp.Column) else ""
    meanings = {
        fold(node.name)
        for node in resolver.nodes
        if name and type(node) is exp.Table and fold(node.alias_or_name) == fold(name)
    }
    tables = resolver.tables()
    return [table for table in tables if fold(table.name) in meanings] or tables


def _output(star: Expr) -> Expr:
    """The whole output column in which a star stands."""
    node = star
    while node.parent is not None and not isinstance(node.parent, exp.Query):
        node = node.parent
    return node


def with_twins(schema: Schema, tables: Iterable[str], used: list[ColumnRef]) -> list[ColumnRef]:
    """The columns, and those of the tables whose names differ from one of them in case alone."""
    names = set(tables)
    twins = [
        (table.name, column.name)
        for table in schema.tables
        if table.name in names and len({fold(c.name) for c in table.columns}) < len(table.columns)
        for column in table.columns
    ]
    if not twins:
        return used
    known = {(table, fold(name)) for table, name in used}
    return [*dict.fromkeys((*used, *(t for t in twins if (t[0], fold(t[1])) in known)))]
