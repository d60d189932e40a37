"""Columns whose values are stored ones, which a fact or a declared type speaks about."""

from __future__ import annotations

import re

from sqlglot import exp
from sqlglot.expressions import Expr

from sqlverdict.parse.schemas.column_types import column_values, has_exact_values
from sqlverdict.prove.reasoning.facts import Facts
from sqlverdict.prove.reasoning.shape import column_name, nodes_in, source_label

_SCALED = re.compile(r"(?:decimal|numeric|dec)\s*\(\s*\d+\s*(?:,\s*\d+\s*)?\)", re.IGNORECASE)
"""Decimals that all have the same digits behind the point."""


_SIGNED = re.compile(r"(?:int|integer|bigint|int4|int8)(?: ?\(\d+\))?", re.IGNORECASE)
"""Integers of which a difference can be made."""

_UNSIGNED = re.compile(r"\bunsigned\b|\bu(?:tiny|small|big|huge)?int(?:eger)?\b", re.IGNORECASE)


def holds_no_nul(column: Expr, facts: Facts) -> bool:
    """Whether no text of a column has a NUL character, or the engine's LIKE reads on behind it.

    A legal database has none in a column declared TEXT; a BLOB may have one, and an expression can
    make one.
    """
    if facts.record.typed:
        return True
    inner: Expr | None = column
    while isinstance(inner, exp.Column) and source_label(inner) not in facts.bases:
        inner = facts.projection(inner)
    return isinstance(inner, exp.Column) and facts.kind(inner) == "text"


def has_one_form(node: Expr, facts: Facts) -> bool:
    """Whether two equal values of an expression are the same: 1 and 1.0 are equal numbers."""
    return facts.kind(node) not in (None, "number")


def is_exact_scalar(node: Expr, facts: Facts) -> bool:
    """Whether the values of an expression are integers, or of a type such as a day, not texts."""
    return has_one_form(node, facts) and facts.kind(node) not in ("real", "text")


def has_one_order(node: Expr, facts: Facts) -> bool:
    """Whether the values of an expression have one order, in which equal ones are the same.

    So it is with integers, doubles and texts; where types are enforced, with days, moments and
    decimals of one scale; and in SQLite with a NUMERIC column, which stores 1.0 as 1.
    """
    if has_one_form(node, facts):
        return True
    if isinstance(node, exp.Max | exp.Min) and not node.expressions:
        return has_one_order(node.this, facts)
    if not isinstance(node, exp.Column):
        return False
    if source_label(node) not in facts.bases:
        inner = facts.projection(node)
        return inner is not None and has_one_order(inner, facts)
    if not facts.record.typed:
        return facts.affinity(node) == "NUMERIC"
    label, name = column_name(node)
    table = facts.table(label) if not facts.schema.has_labels else None
    column = table.column(name) if table is not None else None
    if table is None or column is None:
        return False
    if _SCALED.fullmatch(column.type.strip()):
        return True
    return column_values(table, column, facts.dialect) in ("date", "timestamp")


def is_signed_integer(node: Expr, facts: Facts) -> bool:
    """Whether it is a count, or a column of integers that may be negative."""
    if isinstance(node, exp.Count):
        return True
    if not isinstance(node, exp.Column) or facts.kind(node) != "integer":
        return False
    if not facts.record.typed:
        return True
    label, name = column_name(node)
    table = facts.table(label)
    column = table.column(name) if table is not None else None
    return column is not None and _SIGNED.fullmatch(column.type.strip()) is not None


def reads_unsigned(node: Expr, facts: Facts) -> bool:
    """Whether a number may come from a column that has no negative ones: 3 - 5 fails there."""
    tables = [table for table in map(facts.table, facts.bases) if table is not None]
    if not any(_UNSIGNED.search(column.type) for table in tables for column in table.columns):
        return False
    for part in nodes_in(node):
        if not isinstance(part, exp.Column):
            continue
        label, name = column_name(part)
        table = facts.table(label)
        column = table.column(name) if table is not None else None
        inner = facts.projection(part) if table is None else None
        if column is not None and _UNSIGNED.search(column.type) is None:
            continue
        if inner is None or reads_unsigned(inner, facts):
            return True
    return False


def has_exact_type(column: exp.Column, facts: Facts) -> bool:
    """Whether equal values of a column are the same, whatever else its type is."""
    label, name = column_name(column)
    table = facts.table(label) if not facts.schema.has_labels else None
    own = table.column(name) if table is not None else None
    return own is not None and has_exact_values(own, facts.dialect)


def compares_like_extreme(value: Expr, bound: Expr, facts: Facts) -> bool:
    """Whether a constant is compared with a value as it is with the MAX or MIN of such values.

    An aggregate has no affinity: ``x > '5'`` makes a number of the text where x is a number, and
    ``MAX(x) > '5'`` does not. A text that is no number stays what it is.
    """
    literal = bound.this if isinstance(bound, exp.Neg) else bound
    if not isinstance(literal, exp.Literal) or not has_one_order(value, facts):
        return False
    if literal.is_string and literal is not bound:
        # The number -'5', not a text.
        return False
    if facts.record.typed:
        return True
    if facts.kind(value) == "text":
        return bool(literal.is_string)
    return not literal.is_string or not _is_number(str(literal.this))


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True
