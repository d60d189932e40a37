"""Which base column a column reference means, through aliases, subqueries and CTEs.

Good enough to choose values by, not to prove by: a reference that cannot be followed is
``None``, and only costs the search some direction. So does a query of thousands of names: after a
million looks no further reference is followed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache

from sqlglot import exp
from sqlglot.expressions import Expr

from sqlverdict.parse.schema import Schema, Table
from sqlverdict.parse.tokens import fold

ColumnRef = tuple[str, str]
"""A table and a column, as the schema writes them."""

_DEPTH = 12
_LOOKS = 1_000_000


@dataclass(frozen=True)
class _NamedSource:
    """What a name in FROM stands for: a base table, or the query that makes it."""

    name: str
    table: Table | None
    query: Expr | None


def nodes_of(tree: Expr) -> list[Expr]:
    """Every node of a tree, the outermost first: as ``walk`` has them, in half the time."""
    found = [tree]
    for node in found:
        for value in node.args.values():
            if isinstance(value, list):
                found += [inner for inner in value if isinstance(inner, Expr)]
            elif isinstance(value, Expr):
                found.append(value)
    return found


@lru_cache(maxsize=64)
def _names(schema: Schema) -> tuple[dict[str, Table], dict[str, dict[str, ColumnRef]]]:
    """The tables by folded name; the columns by table and folded name. The first one counts."""
    tables = {fold(table.name): table for table in reversed(schema.tables)}
    columns = {
        table.name: {fold(c.name): (table.name, c.name) for c in reversed(table.columns)}
        for table in tables.values()
    }
    return tables, columns


class Resolver:
    """Follows the column references of one parsed query."""

    def __init__(self, tree: Expr, schema: Schema) -> None:
        self.tree = tree
        self.schema = schema
        self._sources: dict[int, list[_NamedSource]] = {}
        self._places: dict[int, tuple[Expr, ColumnRef | None]] = {}
        self._withs: dict[int, dict[str, Expr]] = {}
        self._looks = _LOOKS
        self._outputs: dict[tuple[int, str], ColumnRef | None] = {}
        self._tables, self._directory = _names(schema)

    @cached_property
    def nodes(self) -> list[Expr]:
        """Every node of the tree, the outermost first."""
        return nodes_of(self.tree)

    def _table(self, name: str) -> Table | None:
        return self._tables.get(fold(name))

    @cached_property
    def _bases(self) -> list[Table]:
        """The base tables that the query reads, as often as it names them."""
        found = []
        for node in self.nodes:
            if type(node) is exp.Table and self._cte(node, node.name) is None:
                table = self._table(node.name)
                if table is not None:
                    found.append(table)
        return found

    def tables(self) -> list[Table]:
        """The base tables that the query reads, each once, in order of appearance."""
        return [*{table.name: table for table in self._bases}.values()]

    def copies(self) -> dict[str, int]:
        """How often each base table occurs."""
        return dict(Counter(table.name for table in self._bases))

    def column(self, node: Expr, depth: int = 0) -> ColumnRef | None:
        """The base column that a reference means."""
        if not isinstance(node, exp.Column) or depth > _DEPTH or self._looks < 0:
            return None
        known = self._places.get(id(node))
        if known is None or depth:
            # The node is kept too, so that no other can take its id.
            known = self._places[id(node)] = (node, self._column(node, depth))
        return known[1]

    def _column(self, node: exp.Column, depth: int) -> ColumnRef | None:
        name, qualifier = node.name, node.table
        select = node.find_ancestor(exp.Select, exp.SetOperation)
        while select is not None:
            for source in self._of(select):
                if qualifier and fold(source.name) != fold(qualifier):
                    continue
                found = self._inside(source, name, depth)
                if found is not None:
                    return found
            if not qualifier:
                alias = self._alias(select, node, name, depth)
                if alias is not None:
                    return alias
            select = select.find_ancestor(exp.Select, exp.SetOperation)
        return None

    def columns(self, node: Expr) -> Iterator[ColumnRef]:
        """The base columns of every reference inside an expression."""
        for reference in node.find_all(exp.Column):
            place = self.column(reference)
            if place is not None:
                yield place

    def is_text(self, node: Expr) -> bool:
        """Whether a double-quoted word is a string here: no column goes by that name."""
        return (
            isinstance(node, exp.Column)
            and isinstance(node.this, exp.Identifier)
            and bool(node.this.args.get("quoted"))
            and not node.table
            and self.column(node) is None
        )

    def _alias(self, select: Expr, node: Expr, name: str, depth: int) -> ColumnRef | None:
        """A name that an output column bears, as ORDER BY, GROUP BY and HAVING may use it."""
        if not isinstance(select, exp.Select):
            return None
        self._looks -= len(select.expressions)
        for projection in select.expressions:
            if isinstance(projection, exp.Alias) and fold(projection.alias) == fold(name):
                inner = projection.this
                return self.column(inner, depth + 1) if inner is not node else None
        return None

    def meaning(self, node: Expr, depth: int = 0) -> Expr:
        """What an output column of this query or of one in FROM stands for; else the node."""
        if not isinstance(node, exp.Column) or depth > _DEPTH or self.column(node) is not None:
            return node
        if self._looks < 0:
            return node
        select = node.find_ancestor(exp.Select)
        while select is not None:
            sources = [
                source.query
                for source in self._of(select)
                if not node.table or fold(source.name) == fold(node.table)
            ]
            for query in (*sources, *([] if node.table else [select])):
                found = self._projection(query, node.name)
                if found is not None and found is not node:
                    return self.meaning(found, depth + 1)
            select = select.find_ancestor(exp.Select)
        return node

    def _inside(self, source: _NamedSource, name: str, depth: int) -> ColumnRef | None:
        if source.table is not None:
            return self._directory[source.table.name].get(fold(name))
        query = source.query
        while isinstance(query, exp.Subquery | exp.SetOperation):
            query = query.this
        if not isinstance(query, exp.Select):
            return None
        place = (id(query), fold(name))
        if place not in self._outputs:
            # A query that reads itself finds nothing more in itself.
            self._outputs[place] = None
            self._outputs[place] = self._output(query, name, depth)
        return self._outputs[place]

    def _output(self, query: exp.Select, name: str, depth: int) -> ColumnRef | None:
        """The base column behind an output of a query; looked for once, however often it is read.

        Queries that read one before them twice, with stars, would double the work at each step.
        """
        self._looks -= len(query.expressions)
        for projection in query.expressions if self._looks >= 0 else ():
            if fold(projection.alias_or_name) == fold(name):
                return self.column(projection.unalias(), depth + 1)
            if isinstance(projection, exp.Star) or (
                isinstance(projection, exp.Column) and isinstance(projection.this, exp.Star)
            ):
                only = fold(projection.table) if isinstance(projection, exp.Column) else ""
                for inner in self._of(query) if depth < _DEPTH else ():
                    if only and fold(inner.name) != only:
                        continue
                    found = self._inside(inner, name, depth + 1)
                    if found is not None:
                        return found
        return None

    def _of(self, select: Expr) -> list[_NamedSource]:
        found = self._sources.get(id(select))
        if found is None:
            found = self._sources[id(select)] = list(self._read(select))
        return found

    def _read(self, select: Expr) -> Iterator[_NamedSource]:
        start = select.args.get("from_")
        if start is None:
            return
        joins = select.args.get("joins") or []
        for item in (start.this, *(join.this for join in joins)):
            name = item.alias_or_name
            if isinstance(item, exp.Table):
                query = self._cte(item, item.name)
                table = None if query is not None else self._table(item.name)
                yield _NamedSource(name, table, query)
                for join in item.args.get("joins") or []:
                    yield _NamedSource(join.this.alias_or_name, self._table(join.this.name), None)
            elif isinstance(item, exp.Subquery):
                yield _NamedSource(name, None, item.this)

    def _cte(self, node: Expr, name: str) -> Expr | None:
        """The query of the common table expression that a table name means, if it does."""
        around: Expr | None = node
        while around is not None:
            with_ = around.args.get("with_")
            if with_ is not None:
                found = self._named(with_).get(fold(name))
                if found is not None:
                    return found
            around = around.parent
        return None

    def _named(self, with_: Expr) -> dict[str, Expr]:
        """The queries of a WITH by their folded names; the first one counts."""
        known = self._withs.get(id(with_))
        if known is None:
            known = {fold(cte.alias): cte.this for cte in reversed(with_.expressions)}
            self._withs[id(with_)] = known
        return known

    def _projection(self, query: Expr | None, name: str) -> Expr | None:
        """The output of that name."""
        while isinstance(query, exp.Subquery | exp.SetOperation):
            query = query.this
        outputs = query.expressions if isinstance(query, exp.Select) else []
        self._looks -= len(outputs)
        for projection in outputs:
            if isinstance(projection, exp.Alias) and fold(projection.alias) == fold(name):
                found: Expr = projection.this
                return found
        return None
