"""A query with the errors mended that its signs show, where a sign says what would be right.

``dead_literal``     the literal is spelled as the column's data spell it
``numbers_as_text``  the column is sorted and compared as a number
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from sqlglot import exp

from sqlverdict.parse.schema import ColumnRef, Schema
from sqlverdict.records import Query
from sqlverdict.refute.read.columns import Resolver
from sqlverdict.signs.columns import column_text
from sqlverdict.signs.literals import ORDERED, compared_nodes


class ShownSign(Protocol):
    """What a sign shows: its name, and where."""

    @property
    def name(self) -> str:
        """The sign's name."""
        ...

    @property
    def detail(self) -> Mapping[str, Any]:
        """Where it was noticed."""
        ...


def mend(query: Query, schema: Schema, signs: Sequence[ShownSign]) -> str | None:
    """The text of the query with its errors mended; ``None`` where no sign says how."""
    spellings: dict[tuple[ColumnRef, str], str] = {}
    numbers: set[str] = set()
    for sign in signs:
        detail = sign.detail
        if sign.name == "dead_literal" and isinstance(detail.get("near"), str):
            spellings[(detail["table"], detail["column"]), detail["text"]] = detail["near"]
        elif sign.name == "numbers_as_text":
            numbers.add(detail["column"])
    if not spellings and not numbers:
        return None
    tree = query.tree.copy()
    resolver = Resolver(tree, schema)
    changes: list[tuple[exp.Expr, exp.Expr]] = []
    for value, column, text in compared_nodes(tree, resolver):
        near = spellings.get((column, text))
        if near is not None:
            changes.append((value, exp.Literal.string(near)))
    for node in tree.find_all(exp.Ordered, exp.Min, exp.Max, *ORDERED):
        for operand in (node.this, node.args.get("expression")):
            if not isinstance(operand, exp.Column):
                continue
            column_ref = resolver.column(operand)
            if column_ref is not None and column_text(column_ref) in numbers:
                changes.append((operand, exp.cast(operand.copy(), "DOUBLE")))
    for before, after in changes:
        before.replace(after)
    return tree.sql(query.dialect) if changes else None
