"""Which table a column of a query belongs to, and what its schema says about it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, lru_cache
from typing import TYPE_CHECKING

from sqlverdict.parse.names import NamedSource, NameResolver
from sqlverdict.parse.schema import Column, Schema
from sqlverdict.parse.tokens import fold

if TYPE_CHECKING:
    from sqlglot.expressions import Expr

UNKNOWN = "?"
"""The table of a column that could be of several."""


@dataclass(frozen=True)
class SchemaIndex:
    """A schema by folded names.

    Attributes:
        columns: By table, then by column.
        names: The names of all columns.
        keys: From a column of a foreign key, or one that it points to, to the column that stands
            for all that keys connect with it; references are ``table.column``.
        own_keys: The columns of primary keys.
    """

    columns: Mapping[str, Mapping[str, Column]]
    names: frozenset[str]
    keys: Mapping[str, str]
    own_keys: frozenset[str]

    def is_key(self, column_ref: str) -> bool:
        """Whether a column is part of a primary or foreign key, or pointed to by one."""
        return column_ref in self.own_keys or column_ref in self.keys


@lru_cache(maxsize=64)
def schema_index(schema: Schema) -> SchemaIndex:
    """The schema by folded names."""
    columns = {
        fold(table.name): {fold(column.name): column for column in table.columns}
        for table in schema.tables
    }
    keys: dict[str, str] = {}
    for table in schema.tables:
        for foreign in table.foreign_keys:
            for child, parent in zip(foreign.columns, foreign.parent_columns, strict=False):
                own = f"{fold(table.name)}.{fold(child)}"
                join_groups(keys, own, f"{fold(foreign.parent)}.{fold(parent)}")
    names = frozenset(name for table in columns.values() for name in table)
    own_keys = frozenset(
        f"{fold(table.name)}.{fold(name)}" for table in schema.tables for name in table.primary_key
    )
    grouped = {column_ref: root(keys, column_ref) for column_ref in list(keys)}
    return SchemaIndex(columns, names, grouped, own_keys)


def join_groups(groups: dict[str, str], one: str, other: str) -> None:
    """Put two into one group, which the first by the alphabet stands for."""
    first, second = sorted((root(groups, one), root(groups, other)))
    groups.setdefault(one, one)
    groups.setdefault(other, other)
    groups[first] = first
    groups[second] = first


def root(groups: dict[str, str], one: str) -> str:
    """What stands for the group of one."""
    while (above := groups.get(one, one)) != one:
        # Halves the way for the next time.
        groups[one] = groups.get(above, above)
        one = above
    return one


def is_nullable(column_ref: str, schema: Schema | None) -> bool:
    """Whether ``table.column`` may hold NULL; yes where that is not known."""
    column = column_at(column_ref, schema)
    if schema is None or column is None:
        return True
    key = not schema.null_keys and column_ref.lower() in schema_index(schema).own_keys
    return not (column.not_null or key)


def split_ref(column_ref: str) -> tuple[str, str]:
    """The table and the column of ``table.column``; the table may have its schema before it."""
    table, dot, name = column_ref.rpartition(".")
    return (table, name) if dot else (name, "")


def column_at(column_ref: str, schema: Schema | None) -> Column | None:
    """The column that ``table.column`` names, where it is known."""
    if schema is None:
        return None
    table, name = split_ref(column_ref)
    return schema_index(schema).columns.get(fold(table), {}).get(fold(name))


@dataclass
class TreeNodes:
    """The nodes of a tree that anybody asks for, each kind in the order of the text."""

    selects: list[Expr] = field(default_factory=list)
    columns: list[Expr] = field(default_factory=list)
    tables: list[Expr] = field(default_factory=list)
    ctes: list[Expr] = field(default_factory=list)
    set_operations: list[Expr] = field(default_factory=list)
    aggregates: list[Expr] = field(default_factory=list)
    functions: list[Expr] = field(default_factory=list)
    divisions: list[Expr] = field(default_factory=list)
    branches: list[Expr] = field(default_factory=list)


def tree_nodes(tree: Expr) -> TreeNodes:
    """The nodes of a tree, in one walk."""
    nodes = TreeNodes()
    for node in walk(tree):
        kind = _kind_of(type(node))  # type: ignore[arg-type] # a class is hashable
        if kind is not None:
            getattr(nodes, kind).append(node)
    return nodes


@cache
def _kind_of(node_type: type) -> str | None:
    """The list of :class:`TreeNodes` that nodes of a type belong to; the first that fits."""
    from sqlglot import exp

    kinds: tuple[tuple[type | tuple[type, ...], str | None], ...] = (
        (exp.Column, "columns"),
        (exp.Select, "selects"),
        (exp.Table, "tables"),
        (exp.CTE, "ctes"),
        (exp.SetOperation, "set_operations"),
        (exp.AggFunc, "aggregates"),
        (exp.Div, "divisions"),
        (exp.If, "branches"),
        ((exp.Connector, exp.Case, exp.Cast), None),
        (exp.Func, "functions"),
    )
    return next((kind for parent, kind in kinds if issubclass(node_type, parent)), None)


def walk(node: Expr, *, into_queries: bool = True) -> Iterator[Expr]:
    """A node and all below it, in the order of the text; fast, and without recursion.

    Args:
        node: Where to begin.
        into_queries: False does not enter the queries below it.
    """
    from sqlglot import exp

    stack = [node]
    while stack:
        one = stack.pop()
        yield one
        below = [
            child
            for value in one.args.values()
            for child in (value if isinstance(value, list) else (value,))
            if isinstance(child, exp.Expr) and (into_queries or not isinstance(child, exp.Query))
        ]
        stack += reversed(below)


class Names(NameResolver[str]):
    """What the names in a query mean.

    ``tables`` are the base tables that it reads; ``repeats`` says whether it reads one twice;
    ``nodes`` are its nodes.

    Args:
        tree: The query, which is not changed.
        schema: Its schema, if known.
    """

    def __init__(self, tree: Expr, schema: Schema | None) -> None:
        super().__init__()
        self.nodes = tree_nodes(tree)
        self.same: Mapping[str, str] = {}
        """From a column to another that it is joined with, which then stands for both."""
        self.joined: frozenset[str] = frozenset()
        """Columns by which rows are joined, so that they are not NULL."""
        self._declared = schema
        self._schema = None if schema is None else schema_index(schema)
        read = [fold(node.name) for node in self.nodes.tables if node.name]
        self.tables = set(read) - {fold(cte.alias) for cte in self.nodes.ctes}
        self.repeats = len(set(read)) < len(read)
        joins = (join for select in self.nodes.selects for join in select.args.get("joins") or ())
        self.optional = any(join.args.get("side") for join in joins)
        """An outer join fills rows with NULL."""
        # By identity: equal nodes of two places may mean two columns.
        self._column_refs: dict[int, tuple[Expr, str]] = {}
        for column in self.nodes.columns:
            self.own_column_ref(column)

    def column_ref(self, column: Expr) -> str:
        """``table.column``, ``?.column``, or nothing where it is a string or a star."""
        own = self.own_column_ref(column)
        return self.same.get(own, own)

    def own_column_ref(self, column: Expr) -> str:
        """As :meth:`column_ref`, before joined columns are taken for one."""
        known = self._column_refs.get(id(column))
        if known is None:
            # For a query that reads itself: what is not found out on the way stays unknown. The
            # node is kept too, so that no other can take its id.
            self._column_refs[id(column)] = (column, f"{UNKNOWN}.{fold(column.name)}")
            known = self._column_refs[id(column)] = (column, self._find(column))
        return known[1]

    def column(self, node: Expr) -> str:
        """As :meth:`own_column_ref`: what a name inside a derived table means."""
        return self.own_column_ref(node)

    def base_column(self, table: str, name: str) -> str:
        """``table.column``, whether the schema has it or not."""
        return f"{table}.{name}"

    def among(self, name: str, sources: Sequence[NamedSource], *, qualified: bool) -> str | None:
        """The column of the one source that has it: where several do, no source is meant."""
        if qualified:
            column_ref = self.column_of(sources[0], name) if sources else None
            return column_ref or (f"{UNKNOWN}.{name}" if sources else None)
        if self._schema is None:
            alone = len(sources) == 1 and sources[0].table is None
            return self.column_of(sources[0], name) if alone else None
        owners = set()
        for source in sources:
            if source.table is None:
                owners.add(self.column_of(source, name))
            elif name in self._schema.columns.get(source.table, ()):
                owners.add(f"{source.table}.{name}")
        owners -= {None}
        return owners.pop() if len(owners) == 1 else None

    def table(self, source: Expr) -> str:
        """The base table of a member of FROM; a subquery is known by its alias."""
        return fold(source.name or source.alias_or_name)

    def behind(self, node: Expr) -> Expr:
        """What a sort or group key means, where it is the alias of an output column."""
        from sqlglot import exp

        if not isinstance(node, exp.Column) or node.table:
            return node
        select = node.find_ancestor(exp.Select)
        for output in select.expressions if select is not None else ():
            if isinstance(output, exp.Alias) and fold(output.alias) == fold(node.name):
                expression: Expr = output.this
                return expression
        return node

    def never_null(self, column: Expr) -> bool:
        """Whether a column is not NULL in any row of the query, as far as that is known."""
        column_ref = self.own_column_ref(column)
        known = column_ref in self.joined or not is_nullable(column_ref, self._declared)
        return known and not self.optional

    def star(self, select: Expr, qualifier: str = "") -> list[str] | None:
        """The columns that a star stands for; ``None`` where they are not known."""
        column_refs: list[str] = []
        for source in self.sources(select):
            if qualifier and source.name != fold(qualifier):
                continue
            columns = (self._schema.columns if self._schema else {}).get(source.table or "")
            if columns is None:
                return None
            column_refs += [f"{source.table}.{name}" for name in columns]
        return [self.same.get(column_ref, column_ref) for column_ref in column_refs] or None

    def owners(self, select: Expr, name: str) -> list[str]:
        """The columns of that name in the base tables of a FROM, by the alphabet."""
        bases = {source.table for source in self.sources(select) if source.table}
        known = self._schema.columns if self._schema else {}
        return sorted(f"{base}.{fold(name)}" for base in bases if fold(name) in known.get(base, ()))

    def aliases(self) -> Mapping[str, str]:
        """From each name that FROM gives a base table to that table, in all of the query."""
        return {
            source.name: source.table
            for select in self.nodes.selects
            for source in self.sources(select)
            if source.table
        }

    def _find(self, column: Expr) -> str:
        from sqlglot import exp

        if isinstance(column.this, exp.Star):
            return ""
        column_ref = self.follow(column)
        if column_ref is not None:
            return column_ref
        name, qualifier = fold(column.name), column.text("table")
        quoted = isinstance(column.this, exp.Identifier) and column.this.quoted
        if quoted and not qualifier and self._schema and name not in self._schema.names:
            return ""
        around = set() if qualifier else set(self._tables_around(column))
        return f"{around.pop() if len(around) == 1 else UNKNOWN}.{name}"

    def _tables_around(self, column: Expr) -> Iterator[str]:
        """The base tables among which a name may mean something."""
        from sqlglot import exp

        select = column.find_ancestor(exp.Select)
        while select is not None:
            yield from (source.table or UNKNOWN for source in self.sources(select))
            select = select.find_ancestor(exp.Select)
