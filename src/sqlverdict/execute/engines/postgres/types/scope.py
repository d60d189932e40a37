"""Which type a column name has at a place of a query of PostgreSQL."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Self

from sqlverdict.execute.engines.postgres.types.signatures import NOT_KNOWN
from sqlverdict.parse.names import NameScope
from sqlverdict.parse.tokens import fold

Columns = list[tuple[str, str]]
"""The names and types of the columns of a query or a source."""


class TypedSource:
    """One item of FROM.

    Attributes:
        name: Its alias, or the table's name; folded.
        types: The types of its columns by their folded names; ``None`` where they are not known.
    """

    def __init__(self, name: str, columns: Columns | None) -> None:
        self.name = fold(name)
        self.types: Mapping[str, str] | None = None
        if columns is not None:
            self.types = {fold(column): own for column, own in columns}


class TypeScope(NameScope[TypedSource, str]):
    """The names of one SELECT.

    Attributes:
        merged: The types of the columns that USING makes of two.
        queries: The columns of the common table expressions that are defined here.
    """

    def __init__(self, outer: Self | None = None) -> None:
        super().__init__(outer)
        self.merged: dict[str, str] = {}
        self.queries: dict[str, Columns | None] = {}

    def among(self, name: str, sources: Sequence[TypedSource], *, qualified: bool) -> str | None:
        """The type of the column that a name means among sources."""
        if not qualified and name in self.merged:
            return self.merged[name]
        types = [NOT_KNOWN if each.types is None else each.types.get(name) for each in sources]
        different = {own for own in types if own is not None}
        # The engine refuses a name that two sources have, and one query may hide a source.
        return None if not different else different.pop() if len(different) == 1 else NOT_KNOWN

    def has_source(self, name: str) -> bool:
        """Whether an item of FROM has a name; alone it means a whole row."""
        scope: TypeScope | None = self
        while scope is not None:
            if any(source.name == fold(name) for source in scope.sources):
                return True
            scope = scope.outer
        return False

    def star(self, qualifier: str) -> Columns | None:
        """The columns that ``t.*`` shows; ``None`` where they are not known."""
        scope: TypeScope | None = self
        while scope is not None:
            for source in scope.sources:
                if source.name == fold(qualifier):
                    return None if source.types is None else list(source.types.items())
            scope = scope.outer
        return None

    def common_table(self, name: str) -> tuple[bool, Columns | None]:
        """Whether a name is that of a common table expression, and its columns."""
        scope: TypeScope | None = self
        while scope is not None:
            if fold(name) in scope.queries:
                return True, scope.queries[fold(name)]
            scope = scope.outer
        return False, None
