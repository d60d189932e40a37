"""The literals that a query compares columns with: the operands of a comparison."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from sqlglot import exp
from sqlglot.expressions import Column, Expr

from sqlverdict.dialects import DEFAULT_DIALECT, dialect_of
from sqlverdict.execute.session import Run
from sqlverdict.files.sqlite import quote_text
from sqlverdict.parse.schema import ColumnRef, Schema
from sqlverdict.parse.tokens import fold
from sqlverdict.records import Answer, Cell, Query
from sqlverdict.refute.read.columns import Resolver

ORDERED = (exp.GT, exp.GTE, exp.LT, exp.LTE, exp.Between)
"""Comparisons that depend on the order of values."""


def comparison_operands(node: Expr) -> list[Expr]:
    """What a comparison compares, the left side first; empty for other nodes."""
    if isinstance(node, exp.In):
        return [node.this, *node.expressions]
    if isinstance(node, exp.Between):
        return [node.this, node.args["low"], node.args["high"]]
    return [node.this, node.expression] if isinstance(node, exp.Binary) else []


def literal_of(node: Expr) -> tuple[str, bool] | None:
    """A literal's text and whether it is a number; ``None`` for anything else."""
    if isinstance(node, exp.Literal):
        return node.name, not node.is_string
    if isinstance(node, exp.Neg) and isinstance(node.this, exp.Literal):
        return f"-{node.this.name}", True
    return None


_COMPARISONS = (exp.EQ, exp.Is, exp.In, exp.Like)


@dataclass(frozen=True)
class ComparedLiteral:
    """A literal that a column of a table is compared with.

    ``text`` is the literal's text; ``number`` says that it is written without quotes.
    ``optional`` says that the condition holds without it too: an item of a list, or one side
    of an OR. ``dialect`` is that in which names and literal are written.
    """

    table: str
    column: str
    operator: Literal["=", "LIKE"]
    text: str
    number: bool = False
    optional: bool = False
    dialect: str = DEFAULT_DIALECT

    @property
    def reference(self) -> str:
        """The column as SQL."""
        quoted = dialect_of(self.dialect).quoted
        return f"{quoted(self.table)}.{quoted(self.column)}"

    @property
    def literal(self) -> str:
        """The literal as SQL."""
        if self.number:
            return self.text
        escaped = dialect_of(self.dialect).backslashes
        text = self.text.replace("\\", "\\\\") if escaped else self.text
        return quote_text(text)

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
    resolver = resolver or Resolver(query.tree, schema)
    for node in query.find_all(*_COMPARISONS):
        if not _is_condition(node):
            continue
        optional = _is_optional(node)
        operator: Literal["=", "LIKE"] = "LIKE" if isinstance(node, exp.Like) else "="
        for _, column_ref, literal in _compared(node, resolver):
            yield ComparedLiteral(*column_ref, operator, *literal, optional, query.dialect)


def compared_nodes(tree: Expr, resolver: Resolver) -> Iterator[tuple[Expr, ColumnRef, str]]:
    """The nodes of the literals that columns are compared with, each with column and text."""
    for node in tree.find_all(*_COMPARISONS):
        for value, column_ref, (text, _) in _compared(node, resolver):
            yield value, column_ref, text


def _compared(node: Expr, resolver: Resolver) -> Iterator[tuple[Expr, ColumnRef, tuple[str, bool]]]:
    for column, value in _sides(node):
        literal = _literal(value, resolver)
        column_ref = resolver.column(column) if literal is not None else None
        if column_ref is not None and literal is not None and literal[0]:
            yield value, column_ref, literal


def find_row(run: Run, compared: ComparedLiteral, condition: str) -> list[Cell] | None:
    """A value of the column where a condition holds, in a list; ``None``: it is not known."""
    table = dialect_of(compared.dialect).quoted(compared.table)
    sql = f"SELECT {compared.reference} FROM {table} WHERE {condition} LIMIT 1"  # noqa: S608 (quoted)
    outcome = run(sql)
    return [row[0] for row in outcome.rows] if isinstance(outcome, Answer) else None


def is_absent(run: Run, compared: ComparedLiteral) -> bool:
    """Whether no row of the column fulfils the comparison."""
    return find_row(run, compared, compared.condition) == []


def near_value(run: Run, compared: ComparedLiteral) -> Cell:
    """A value of the column that differs from a text only in case or in spaces around it."""
    if compared.operator == "LIKE" or compared.number:
        return None
    values = find_row(
        run, compared, f"lower(trim({compared.reference})) = lower(trim({compared.literal}))"
    )
    return values[0] if values else None


def _is_condition(node: Expr) -> bool:
    if node.args.get("negate"):
        return False
    around: Expr | None = node.parent
    while around is not None and not isinstance(around, exp.Select | exp.SetOperation):
        if isinstance(around, exp.Not | exp.Having | exp.Escape):
            return False
        around = around.parent
    return True


def _is_optional(node: Expr) -> bool:
    if isinstance(node, exp.In) and len(node.expressions) > 1:
        return True
    around: Expr | None = node.parent
    while around is not None and not isinstance(around, exp.Select | exp.SetOperation):
        if isinstance(around, exp.Or | exp.Case):
            return True
        around = around.parent
    return False


def _sides(node: Expr) -> Iterator[tuple[Column, Expr]]:
    first, *others = comparison_operands(node)
    pairs = [(first, value) for value in others]
    if not isinstance(node, exp.In | exp.Like):
        pairs += [(value, first) for value in others]
    for column, value in pairs:
        if isinstance(column, exp.Column):
            yield column, value


def _literal(node: Expr, resolver: Resolver) -> tuple[str, bool] | None:
    """A literal's text and whether it is a number."""
    literal = literal_of(node)
    if literal is not None:
        return literal
    text = quoted_text(node, resolver)
    return None if text is None else (text, False)


def quoted_text(node: Expr, resolver: Resolver) -> str | None:
    """A double-quoted word that names no column; SQLite takes it for a text."""
    if not resolver.is_text(node) or any(
        table.column(node.name) is not None for table in resolver.schema.tables
    ):
        return None
    name = fold(node.name)
    is_alias = any(fold(alias.alias) == name for alias in node.root().find_all(exp.Alias))
    return None if is_alias else node.name
