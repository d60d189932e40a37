"""The types of a CAST, arithmetic, a function and an aggregate, by the types that they read."""

from __future__ import annotations

from collections.abc import Callable
from collections.abc import Set as AbstractSet

from sqlglot import exp
from sqlglot.expressions import Expr

from sqlverdict.dialects import Dialect
from sqlverdict.prove.reasoning.facts import Facts
from sqlverdict.prove.reasoning.fractions import is_mean
from sqlverdict.prove.reasoning.inner_order import fixes_row_order
from sqlverdict.prove.reasoning.shape import whole_number
from sqlverdict.prove.reasoning.stored import reads_unsigned
from sqlverdict.prove.resolve.engine_limits.own_types import has_extremes, is_sorted, is_special
from sqlverdict.prove.resolve.folding import sees_one_value
from sqlverdict.prove.resolve.scope import Unsupported
from sqlverdict.prove.resolve.unknown_calls import ZONED, call_kind


def type_of_cast(node: exp.Cast, inner: str, facts: Facts) -> str:
    """The type of a CAST that never fails: of a number to another kind of number, or to a text.

    Raises:
        Unsupported: it may fail, or give equal values several texts.
    """
    target = node.args["to"].this
    is_text = target == exp.DType.TEXT
    if inner != "number" or (is_text and not facts.record.exact_texts):
        raise Unsupported("a CAST that may fail")
    if is_text and facts.kind(node.this) != "integer":
        raise Unsupported("a CAST of equal numbers that have several texts")
    if target in (exp.DType.INT, exp.DType.BIGINT) and facts.kind(node.this) != "integer":
        # NaN is no integer.
        raise Unsupported("a CAST that may fail")
    return "text" if is_text else "number"


def arithmetic_type(node: Expr, kinds: AbstractSet[str], facts: Facts) -> str:
    """The type of arithmetic on operands of these kinds.

    Raises:
        Unsupported: it may fail.
    """
    # PostgreSQL does not know whose sum NULL + NULL is.
    lost = {"null"} if facts.record.strict_types and not isinstance(node, exp.Abs) else None
    if not kinds <= {"number", "null"} or kinds == lost:
        raise Unsupported(f"{node.key} of something other than numbers")
    grows = isinstance(node, exp.Add | exp.Mul) and any(
        isinstance(each, exp.Literal) for each in node.iter_expressions()
    )
    if not (grows or isinstance(node, exp.Div | exp.Abs)) and reads_unsigned(node, facts):
        raise Unsupported("arithmetic on numbers without a sign, which may fail")
    by_zero = facts.record.division_by_zero
    divides = isinstance(node, exp.Div) and not whole_number(node.expression)
    if divides and by_zero != "null" and not is_mean(node):
        if by_zero == "error" or facts.kind(node.expression) != "integer":
            raise Unsupported("a division that may be by zero")
        facts.cited.clear()
    return "number"


def function_type(node: Expr, inner: str, exact_texts: bool) -> str:
    """The type of a function of a text; ``exact_texts``: equal texts in quotes are the same.

    Raises:
        Unsupported: it is one of something else, or its bounds are not plain.
    """
    if inner == "literal":
        # What a function makes of a text in quotes is a text, and no value of another type.
        inner = "text" if exact_texts else "collated"
    if inner not in ("text", "collated"):
        raise Unsupported(f"{node.key} of something other than a text")
    for part in ("start", "length"):
        bound = node.args.get(part)
        if bound is not None and (whole_number(bound) or 0) < 1:
            # Zero and negative bounds count from the end in one engine and fail in another.
            raise Unsupported("a part of a text that does not start at a plain number")
    return "number" if isinstance(node, exp.Length) else inner


def call_type(node: exp.Anonymous, kinds: AbstractSet[str], dialect: Dialect) -> str:
    """The kind of an unknown function's values, whose arguments are of these kinds."""
    known = {own if own == ZONED or not is_special(own) else "other" for own in kinds}
    kind = call_kind(node, known)
    if kind != "other" or not dialect.strict_types:
        return kind
    return "computed" if all(is_sorted(own, dialect) for own in kinds) else "opaque"


def nullif_type(first: str, common: str) -> str:
    """The type of a NULLIF, by that of its first operand and the common one.

    Raises:
        Unsupported: its value is a text in DuckDB, whatever stands beside it.
    """
    if first == "literal" and common not in ("text", "literal"):
        raise Unsupported("NULLIF of a text in quotes")
    return common


def require_one_part(own: str, dialect: Dialect) -> None:
    """Refuse a test for NULL of a value that may have several parts."""
    if is_special(own) and dialect.row_values:
        raise Unsupported("a test for NULL of a value that may have several parts")


def require_row_comparison(widths: AbstractSet[int], dialect: Dialect) -> None:
    """Refuse a comparison of rows of these widths where they differ or no rule knows one."""
    if "row_comparisons" not in dialect.rules or len(widths) != 1:
        raise Unsupported("a comparison of rows")


def aggregate_type(node: Expr, inner: str, facts: Facts) -> str:
    """The type of an aggregate of values of a type.

    Raises:
        Unsupported: they may have none, or several.
    """
    if isinstance(node, exp.Count):
        return "number"
    record = facts.record
    if isinstance(node, exp.AnyValue):
        if not sees_one_value(node, facts):
            raise Unsupported("any of several values")
        return inner
    if isinstance(node, exp.Max | exp.Min):
        if not has_extremes(inner, record):
            raise Unsupported(f"{node.key} of values that may have none")
        return inner
    is_number = inner == "number" or (inner == "boolean" and record.number_conditions)
    if not is_number:
        raise Unsupported(f"{node.key} of something other than numbers")
    return "number"


def row_text_type(node: Expr, type_of: Callable[[Expr], str], facts: Facts) -> str:
    """The type of an aggregate that puts the values of rows in a row.

    Raises:
        Unsupported: their order is open, or engines may differ in the text of a value.
    """
    if not fixes_row_order(node, facts):
        raise Unsupported(f"{node.key} depends on the order of rows")
    inner = node.this.this if isinstance(node.this, exp.Order) else node.this
    own = type_of(inner.expressions[0] if isinstance(inner, exp.Distinct) else inner)
    terms = node.this.expressions if isinstance(node.this, exp.Order) else ()
    if not all(is_sorted(type_of(term.this), facts.record) for term in terms):
        raise Unsupported("values that may be of a type without order are compared")
    is_text = own in ("text", "collated") or (own == "number" and facts.record.number_conditions)
    if isinstance(node, exp.GroupConcat) and not is_text:
        raise Unsupported("texts of rows that are none")
    return "other"
