"""Which base column a column reference means, through aliases, subqueries and CTEs.

Good enough to choose values by, not to prove by: a reference that cannot be followed is
``None``, and only costs the search some direction. So does a query of thousands of names: after a
million looks no further reference is followed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from functools import cached_property, lru_cache

from sqlglot import exp
from sqlglot.expressions import Expr

from sqlverdict.parse.names import NameResolver
from sqlverdict.parse.schema import ColumnRef, Schema, Table
from sqlverdict.parse.tokens import fold

_DEPTH = 12
"""How deep derived tables are followed."""


def nodes_of(tree: Expr) -> list[Expr]:
    """Every node of a tree, the outermost first: as ``walk`` has them, in half the time."""
    nodes = [tree]
    for node in nodes:
        for value in node.args.values():
            if isinstance(value, list):
                nodes += [inner for inner in value if isinstance(inner, Expr)]
            elif isinstance(value, Expr):
                nodes.append(value)
    return nodes


@lru_cache(maxsize=64)
def _names(schema: Schema) -> tuple[dict[str, Table], dict[str, dict[str, ColumnRef]]]:
    """The tables by folded name; the columns by table and folded name. The first one counts."""
    tables = {fold(table.name): table for table in reversed(schema.tables)}
    columns = {
        table.name: {fold(c.name): (table.name, c.name) for c in reversed(table.columns)}
        for table in tables.values()
    }
    return tables, columns


class Resolver(NameResolver[ColumnRef]):
    """Follows the column references of one parsed query."""

    def __init__(self, tree: Expr, schema: Schema) -> None:
        super().__init__()
        self.tree = tree
        self.schema = schema
        self._column_refs: dict[int, tuple[Expr, ColumnRef | None]] = {}
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
        bases = []
        for node in self.nodes:
            if type(node) is exp.Table and self.common_table(node, node.name) is None:
                table = self._table(node.name)
                if table is not None:
                    bases.append(table)
        return bases

    def tables(self) -> list[Table]:
        """The base tables that the query reads, each once, in order of appearance."""
        return [*{table.name: table for table in self._bases}.values()]

    def copies(self) -> dict[str, int]:
        """How often each base table occurs."""
        return dict(Counter(table.name for table in self._bases))

    def column(self, node: Expr) -> ColumnRef | None:
        """The base column that a reference means."""
        if not isinstance(node, exp.Column):
            return None
        known = self._column_refs.get(id(node))
        if known is None:
            # The node is kept too, so that no other can take its id.
            self._column_refs[id(node)] = (node, None)
            known = (node, self.follow(node) or self._pivoted(node) or self._structure(node))
            self._column_refs[id(node)] = known
        return known[1]

    def _pivoted(self, node: exp.Column) -> ColumnRef | None:
        """The column of a table that a statement turns: ``PIVOT t ON a USING sum(b)``."""
        pivot = node.find_ancestor(exp.Pivot, exp.Select)
        if not isinstance(pivot, exp.Pivot) or not isinstance(pivot.this, exp.Table):
            return None
        return self.base_column(pivot.this.name, fold(node.name))

    def _structure(self, node: exp.Column) -> ColumnRef | None:
        """The column of whose structure a reference names a field: ``s.x``."""
        names = [fold(part.name) for part in node.parts[:-1]]
        refs = (self._directory[table.name].get(name) for table in self._bases for name in names)
        return next((ref for ref in refs if ref is not None), None)

    def base_column(self, table: str, name: str) -> ColumnRef | None:
        """The column as the schema writes it."""
        declared = self._tables.get(table)
        return None if declared is None else self._directory[declared.name].get(name)

    def by_alias(self, select: Expr, name: str) -> ColumnRef | None:
        """A name that an output column bears, as ORDER BY, GROUP BY and HAVING may use it."""
        behind = self._projection(select, name)
        return None if behind is None else self.column(behind)

    def columns(self, node: Expr) -> Iterator[ColumnRef]:
        """The base columns of every reference inside an expression."""
        for reference in node.find_all(exp.Column):
            column_ref = self.column(reference)
            if column_ref is not None:
                yield column_ref

    def is_text(self, node: Expr) -> bool:
        """Whether a double-quoted word is a string here: no column goes by that name."""
        return (
            isinstance(node, exp.Column)
            and isinstance(node.this, exp.Identifier)
            and bool(node.this.args.get("quoted"))
            and not node.table
            and self.column(node) is None
        )

    def meaning(self, node: Expr, depth: int = 0) -> Expr:
        """What an output column of this query or of one in FROM stands for; else the node."""
        if not isinstance(node, exp.Column) or depth > _DEPTH or self.column(node) is not None:
            return node
        if self.is_exhausted:
            return node
        select = node.find_ancestor(exp.Select)
        while select is not None:
            sources = [
                source.query
                for source in self.sources(select)
                if not node.table or source.name == fold(node.table)
            ]
            for query in (*sources, *([] if node.table else [select])):
                behind = self._projection(query, node.name)
                if behind is not None and behind is not node:
                    return self.meaning(behind, depth + 1)
            select = select.find_ancestor(exp.Select)
        return node

    def _projection(self, query: Expr | None, name: str) -> Expr | None:
        """What the output column of that alias stands for."""
        for output in self.outputs_of(query):
            if isinstance(output, exp.Alias) and fold(output.alias) == fold(name):
                behind: Expr = output.this
                return behind
        return None
