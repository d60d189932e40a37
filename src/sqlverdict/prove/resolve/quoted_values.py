"""For which values a text in quotes stands, and its one spelling beside a collated column."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import date

from sqlglot import exp
from sqlglot.expressions import Expr

from sqlverdict.dialects import Dialect, dialect_of
from sqlverdict.parse.schema import Schema
from sqlverdict.parse.schemas.column_types import column_values, declared_collation
from sqlverdict.prove.reasoning.shape import column_name
from sqlverdict.prove.resolve.common_sql import COMPARISONS
from sqlverdict.prove.resolve.engine_limits.own_types import spells

_COMPARED = ("IN", "BETWEEN", *(kind.__name__.lower() for kind in COMPARISONS))
_CHOICES = ("COALESCE", "CASE", "IF")


def takes_quotes(dialect: Dialect, kind: str, where: str, quoted: Sequence[exp.Literal]) -> bool:
    """Whether texts in quotes stand for values of a kind.

    Args:
        dialect: The dialect.
        kind: The kind of the values beside them.
        where: The comparison or the choice in which they meet.
        quoted: The texts.
    """
    if kind == "text":
        return True
    if kind == "collated":
        # The column's collation goes before that of a text in quotes.
        return where in _COMPARED or where in _CHOICES
    if dialect.typed_quotes:
        # A set operation of a date and a text in quotes is one of texts in DuckDB.
        plain = dialect.strict_types or where != "a set operation"
        return plain and bool(quoted) and spells(kind, (str(text.this) for text in quoted), dialect)
    if kind == "date" and where in _COMPARED and quoted:
        # A day that is written as it is shown is the same whether days or their texts are compared.
        return all(map(_is_day, quoted))
    # What becomes of other types depends on the place.
    return kind in ("other", "untyped") and where in _COMPARED


def _is_day(literal: exp.Literal) -> bool:
    """Whether a text in quotes is a day as it is shown."""
    text = str(literal.this)
    try:
        return date.fromisoformat(text).isoformat() == text
    except ValueError:
        return False


def spell_collated_texts(
    tree: Expr, bases: Mapping[str, str], schema: Schema, dialect: str
) -> None:
    """Write texts beside a column of a known collation in one way; it changes a resolved tree.

    Under ``utf8mb4_general_ci`` of MariaDB and MySQL ``name = 'Ann '`` asks what ``name = 'ann'``
    asks: capitals of ASCII are equal to their small letters, and spaces at the end do not count.
    LIKE does see spaces. So it does beside a CHAR(5) of PostgreSQL, where ``c = 'ab '`` asks what
    ``c = 'ab'`` asks.
    """
    padded = dialect_of(dialect).padded_types
    for node in list(tree.find_all(*COMPARISONS, exp.In, exp.Between, exp.Like)):
        for column, text in _meetings(node):
            if padded.fullmatch(_declared_type(column, bases, schema)):
                if not isinstance(node, exp.Like):
                    text.replace(exp.Literal.string(str(text.this).rstrip(" ")))
                continue
            name = column_collation(column, bases, schema, dialect)
            plain = spelled_under(name, str(text.this), dialect, in_like=isinstance(node, exp.Like))
            if plain != text.this:
                text.replace(exp.Literal.string(plain))


def column_collation(
    column: exp.Column, bases: Mapping[str, str], schema: Schema, dialect: str
) -> str:
    """The collation of a column of a base table, where it is a text's and known; else empty."""
    label, name = column_name(column)
    table = schema.table(bases[label]) if label in bases else None
    own = table.column(name) if table is not None else None
    if table is None or own is None or column_values(table, own, dialect) != "collated":
        return ""
    return declared_collation(table, own)


def _declared_type(column: exp.Column, bases: Mapping[str, str], schema: Schema) -> str:
    """The type of a column of a base table as it is declared; empty for any other."""
    label, name = column_name(column)
    table = schema.table(bases[label]) if label in bases else None
    own = table.column(name) if table is not None else None
    return " ".join(own.type.split()) if own is not None else ""


def spelled_under(collation: str, text: str, dialect: str, *, in_like: bool) -> str:
    """The one spelling of a text that is compared under a collation, or by its LIKE."""
    record = dialect_of(dialect)
    if record.padded_collations.fullmatch(collation) and not in_like:
        text = text.rstrip(" ")
    if record.caseless_collations.fullmatch(collation):
        text = "".join(each.lower() if each.isascii() else each for each in text)
    return text


def _meetings(node: Expr) -> Iterator[tuple[exp.Column, exp.Literal]]:
    """The columns and the texts in quotes that a condition compares with each other."""
    operands = [node.this, node.expression, *node.expressions]
    operands += [node.args[part] for part in ("low", "high") if part in node.args]
    columns = [each for each in operands if isinstance(each, exp.Column)]
    texts = [each for each in operands if isinstance(each, exp.Literal) and each.is_string]
    if len(columns) == 1 and len(columns) + len(texts) == len([each for each in operands if each]):
        yield from ((columns[0], text) for text in texts)
