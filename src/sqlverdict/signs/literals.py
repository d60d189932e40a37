"""The literals that a query compares columns with."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from sqlverdict.files.sqlite import quote_name
from sqlverdict.parse.schema import Schema
from sqlverdict.parse.tokens import fold
from sqlverdict.records import Cell, Query
from sqlverdict.signs.sign import Run

if TYPE_CHECKING:
    from sqlglot.expressions import Column, Expr

    from sqlverdict.refute.read.columns import Resolver


@dataclass(frozen=True)
class ComparedLiteral:
    """A literal that a column of a table is compared with.

    ``text`` is the literal's text; ``number`` says that it is written without quotes.
    ``optional`` says that the condition holds without it too: an item of a list, or one side
    of an OR.
    """

    table: str
    column: str
    operator: Literal["=", "LIKE"]
    text: str
    number: bool = False
    optional: bool = False

    @property
    def reference(self) -> str:
        """The column as SQL."""
        return f"{quote_name(self.table)}.{quote_name(self.column)}"

    @property
    def literal(self) -> str:
        """The literal as SQL."""
        return self.text if self.number else "'" + self.text.replace("'", "''") + "'"

    @property
    def condition(self) -> str:
        """The comparison as SQL, so that affinities and collations count as in the query."""
        return f"{self.reference} {self.operator} {self.literal}"


def asked_literals(
    query: Query, schema: Schema, resolver: Resolver | None = None
) -> Iterator[ComparedLiteral]:
    """The literals that must occur in a column for a condition of the query to hold.

    Conditions below a NOT are left out, for they hold where the literal does not occur; so are
    columns that a subquery computes, and the empty text, which people ask for to be safe.
    """
    from sqlglot import exp

    from sqlverdict.refute.read.columns import Resolver

    resolver = resolver or Resolver(query.tree, schema)
    for node in query.tree.find_all(exp.EQ, exp.Is, exp.In, exp.Like):
        if not _is_condition(node):
            continue
        optional = _is_optional(node)
        for column, value in _sides(node):
            literal = _literal(value, resolver)
            place = resolver.column(column) if literal is not None else None
            if place is not None and literal is not None and literal[0]:
                operator: Literal["=", "LIKE"] = "LIKE" if isinstance(node, exp.Like) else "="
                yield ComparedLiteral(*place, operator, *literal, optional)


def find_row(run: Run, asked: ComparedLiteral, condition: str) -> list[Cell] | None:
    """A value of the column where a condition holds, in a list; ``None``: it cannot be told."""
    from sqlverdict.records import Answer

    column, table = quote_name(asked.column), quote_name(asked.table)
    sql = f"SELECT {column} FROM {table} WHERE {condition} LIMIT 1"  # noqa: S608 (quoted)
    outcome = run(sql)
    return [row[0] for row in outcome.rows] if isinstance(outcome, Answer) else None


def is_absent(run: Run, asked: ComparedLiteral) -> bool:
    """Whether no row of the column fulfils the comparison."""
    return find_row(run, asked, asked.condition) == []


def near_value(run: Run, asked: ComparedLiteral) -> Cell:
    """A value of the column that differs from a text only in case or in spaces around it."""
    if asked.operator == "LIKE" or asked.number:
        return None
    found = find_row(run, asked, f"lower(trim({asked.reference})) = lower(trim({asked.literal}))")
    return found[0] if found else None


def _is_condition(node: Expr) -> bool:
    from sqlglot import exp

    if node.args.get("negate"):
        return False
    around: Expr | None = node.parent
    while around is not None and not isinstance(around, exp.Select | exp.SetOperation):
        if isinstance(around, exp.Not | exp.Having | exp.Escape):
            return False
        around = around.parent
    return True


def _is_optional(node: Expr) -> bool:
    from sqlglot import exp

    if isinstance(node, exp.In) and len(node.expressions) > 1:
        return True
    around: Expr | None = node.parent
    while around is not None and not isinstance(around, exp.Select | exp.SetOperation):
        if isinstance(around, exp.Or | exp.Case):
            return True
        around = around.parent
    return False


def _sides(node: Expr) -> Iterator[tuple[Column, Expr]]:
    from sqlglot import exp

    if isinstance(node, exp.In):
        pairs = [(node.this, value) for value in node.expressions]
    elif isinstance(node, exp.Like):
        pairs = [(node.this, node.expression)]
    else:
        pairs = [(node.this, node.expression), (node.expression, node.this)]
    for column, value in pairs:
        if isinstance(column, exp.Column):
            yield column, value


def _literal(node: Expr, resolver: Resolver) -> tuple[str, bool] | None:
    """A literal's text and whether it is a number."""
    from sqlglot import exp

    if isinstance(node, exp.Literal):
        return node.name, not node.is_string
    if isinstance(node, exp.Neg) and isinstance(node.this, exp.Literal):
        return f"-{node.this.name}", True
    text = quoted_text(node, resolver)
    return None if text is None else (text, False)


def quoted_text(node: Expr, resolver: Resolver) -> str | None:
    """A double-quoted word that names no column; SQLite takes it for a text."""
    from sqlglot import exp

    if not resolver.is_text(node) or any(
        table.column(node.name) is not None for table in resolver.schema.tables
    ):
        return None
    wanted = fold(node.name)
    named = any(fold(alias.alias) == wanted for alias in node.root().find_all(exp.Alias))
    return None if named else node.name
