"""Which columns the items of FROM have, by a schema: what a star and a name with dots mean."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from sqlverdict.execute.common_text import NoCommonText
from sqlverdict.execute.engines.duckdb.expressions import field_type, type_values
from sqlverdict.execute.engines.duckdb.syntax import (
    Node,
    column_ref,
    constant_node,
    operator,
    put_node,
)
from sqlverdict.parse.schema import Schema, Table
from sqlverdict.parse.tokens import fold


class ItemColumn(NamedTuple):
    """A column of an item of FROM.

    Attributes:
        name: Its name; "" where it has none that we know.
        kind: The kind of its values.
        type: Its type, where a table declares it.
    """

    name: str
    kind: str = "other"
    type: str = ""


@dataclass(frozen=True)
class NamedItem:
    """An item of FROM: what the query calls it, and its columns in order."""

    name: str
    columns: tuple[ItemColumn, ...]

    def find(self, name: str) -> ItemColumn | None:
        """The column of that name."""
        folded = fold(name)
        return next((each for each in self.columns if fold(each.name) == folded), None)


CommonTables = Mapping[str, tuple[ItemColumn, ...]]
"""The columns of the common table expressions in force, by their folded names."""


@dataclass
class FromScope:
    """The items of one FROM, and the scope around the query.

    Attributes:
        sources: The items, in order.
        outer: What is around the query.
        hidden: Columns that a join by name leaves out of a star, by item and column, folded.
        schemas: The folded names of schemas, which may stand before a function.
    """

    sources: list[NamedItem] = field(default_factory=list)
    outer: FromScope | None = None
    hidden: set[tuple[str, str]] = field(default_factory=set)
    schemas: frozenset[str] = frozenset()

    def source(self, name: str) -> NamedItem | None:
        """The item of that name here."""
        folded = fold(name)
        return next((each for each in self.sources if fold(each.name) == folded), None)

    def owners(self, name: str) -> list[NamedItem]:
        """The items here that have a column of that name."""
        return [source for source in self.sources if source.find(name) is not None]

    def has(self, name: str) -> bool:
        """Whether an item here has a column of that name."""
        return bool(self.owners(name))

    def star(self, relation: str | None = None) -> Iterator[tuple[NamedItem, ItemColumn]]:
        """The columns that a star means.

        Raises:
            NoCommonText: some have no name, or one that another one has too.
        """
        if len({fold(source.name) for source in self.sources}) != len(self.sources):
            raise NoCommonText("two sources of one name")
        for source in self.sources:
            if relation is not None and fold(source.name) != fold(relation):
                continue
            names = [fold(each.name) for each in source.columns]
            if "" in names or len(set(names)) != len(names):
                raise NoCommonText("a star over columns without a plain name")
            for each in source.columns:
                if relation or (fold(source.name), fold(each.name)) not in self.hidden:
                    yield source, each

    def resolve(self, node: Node) -> bool:
        """Note what is known of a column, in place; ``s.x`` of a STRUCT is a part of a column.

        Returns:
            Whether it is a column of an item here or further out.

        Raises:
            NoCommonText: what it means is not certain.
        """
        names: list[str] = node["column_names"]
        scope: FromScope | None = self
        while scope is not None:
            target = scope._target(names)
            if target is not None:
                known, width = target
                _note(node, known, names, width)
                return True
            scope = scope.outer
        return False

    def _target(self, names: list[str]) -> tuple[ItemColumn, int] | None:
        """The column that a name means here, and how many of its parts say so."""
        source = self.source(names[0]) if len(names) > 1 else None
        owners = self.owners(names[0])
        if source is not None:
            known = source.find(names[1])
            if known is None and owners:
                raise NoCommonText(f"{names[0]} is a table and a column")
            return (known, 2) if known is not None else None
        if not owners:
            return None
        merged = [each for each in owners if (fold(each.name), fold(names[0])) not in self.hidden]
        known = merged[0].find(names[0])
        if len(merged) > 1 or known is None:
            raise NoCommonText(f"{names[0]} is ambiguous")
        return known, 1


def _note(node: Node, known: ItemColumn, names: list[str], width: int) -> None:
    base = {**column_ref(*names[:width]), "#kind": known.kind, "#type": known.type}
    declared = known.type
    for name in names[width:]:
        inner = field_type(declared, name)
        if inner is None:
            raise NoCommonText(f"{name} is no field of a STRUCT that is known")
        base, declared = (
            operator("STRUCT_EXTRACT", [base, constant_node("STRING", fold(name))]),
            inner,
        )
    put_node(node, base)


def table_columns(table: Table) -> tuple[ItemColumn, ...]:
    """The columns of a table of the schema."""
    return tuple(ItemColumn(each.name, type_values(each.type), each.type) for each in table.columns)


def table_of_item(schema: Schema, node: Node) -> Table:
    """The table that an item of FROM means.

    Raises:
        NoCommonText: there is none, or there are several.
    """
    path = [node.get("catalog_name"), node.get("schema_name"), node["table_name"]]
    names = tuple(fold(part) for part in path if part)
    if len(names) == 1:
        table = schema.table(names[0])
        tables = [table] if table is not None else []
    else:
        tables = [
            each
            for each in schema.tables
            if any(tuple(map(fold, known)) == names for known in each.paths)
        ]
    if len(tables) != 1:
        raise NoCommonText(f"there is no table {'.'.join(names)}")
    return tables[0]
