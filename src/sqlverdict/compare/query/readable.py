"""A part of a query as a reader knows it: tables by their names, no aliases."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from sqlverdict.compare.query.columns import UNKNOWN, Names, column_at, split_ref, walk
from sqlverdict.parse.schema import Schema
from sqlverdict.parse.tokens import fold

if TYPE_CHECKING:
    from sqlglot.expressions import Expr

_DEEPEST = 50
"""To write what is nested deeper would take more calls than Python allows on some stacks."""

_LONGEST = 120

_NEGATED = re.compile(r"\bNOT ([\w.]+) IS NULL\b")
_NEGATED_TEST = re.compile(r"\bNOT ([\w.]+) (IN|LIKE|BETWEEN)\b")
"""How sqlglot writes what people write behind the column."""


class ReadableSql:
    """Writes parts of one query.

    Args:
        names: What its names mean.
        schema: How tables and columns are spelled, if known.
        dialect: Whose SQL it is.
        qualified: Whether columns are written with their table.
    """

    def __init__(
        self, names: Names, schema: Schema | None, dialect: str, *, qualified: bool
    ) -> None:
        self._names = names
        self._schema = schema
        self._dialect = dialect
        self._qualified = qualified
        self._tables = {fold(node.name): node.name for node in names.nodes.tables if node.name}

    def __call__(self, node: Expr) -> str:
        """A part without its alias; empty where it holds a query or a column nobody knows."""
        from sqlglot import exp

        node = node.unalias().unnest()
        if _depth(node) > _DEEPEST:
            return ""
        copy = node.copy()
        pairs = zip(walk(node), list(walk(copy)), strict=True)
        for original, mine in pairs:
            if isinstance(original, exp.Query):
                return ""
            if isinstance(original, exp.Column):
                column = self._column(original)
                if column is None:
                    return ""
                if mine is copy:
                    copy = column
                else:
                    mine.replace(column)
        text = _NEGATED.sub(r"\1 IS NOT NULL", copy.sql(self._dialect, copy=False, comments=False))
        text = _NEGATED_TEST.sub(r"\1 NOT \2", text)
        return text if len(text) <= _LONGEST else ""

    def table(self, name: str) -> str:
        """A table as the schema spells it, else as the query does."""
        known = self._schema.table(name) if self._schema is not None else None
        return known.name if known is not None else self._tables.get(name, name)

    def reference(self, column_ref: str) -> str:
        """A column by its reference."""
        table, name = split_ref(column_ref)
        known = column_at(column_ref, self._schema)
        name = known.name if known is not None else name
        return f"{self.table(table)}.{name}" if self._qualified else name

    def _column(self, column: Expr) -> Expr | None:
        from sqlglot import exp

        reference = self._names.own_column_ref(column)
        if not reference:
            # A star, or a name in double quotes that is text.
            return column.copy() if not column.text("table") else None
        table, name = split_ref(reference)
        if table == UNKNOWN:
            return None
        quoted = bool(column.this.args.get("quoted"))
        known = column_at(reference, self._schema)
        if known is not None:
            own = known.name
        elif self._schema is not None:
            # The alias of an output, for instance.
            return None
        else:
            own = column.name if fold(column.name) == name else name
        table = self.table(table)
        return exp.Column(
            this=exp.to_identifier(own, quoted=quoted or None),
            table=exp.to_identifier(table) if self._qualified else None,
        )


def _depth(node: Expr) -> int:
    """How many levels a part has, as far as it is of interest."""
    level, levels = [node], 0
    while level and levels <= _DEEPEST:
        levels += 1
        level = [child for each in level for child in each.iter_expressions()]
    return levels
