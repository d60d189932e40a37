"""Numbers that a query of PostgreSQL writes, and whether a type has room for them.

PostgreSQL computes with constants when it plans a query: what fails there fails on whatever rows.
"""

from __future__ import annotations

from decimal import ROUND_HALF_UP, Context, Decimal, InvalidOperation
from typing import Any, Final

from sqlverdict.execute.engines.postgres.common.expressions import enum_name

_INTEGERS: Final = {"int2": 15, "int4": 31, "int8": 63}
"""How many bits a value has beside its sign."""
_FLOATS: Final = {
    "float4": (Decimal("3.5e38"), Decimal("0.6e-45")),
    "float8": (Decimal("1.8e308"), Decimal("2e-324")),
}
"""What is above or below surely has no room."""
_EXACT: Final = Context(prec=2_100, Emax=10**6, Emin=-(10**6))
_LONGEST: Final = 100


def constant_number(node: Any) -> Decimal | None:
    """The number that a constant, or + - * of constants, gives; ``None`` where it is none.

    A text in quotes that is a number gives it.
    """
    match node.WhichOneof("node"):
        case "a_const":
            kind = node.a_const.WhichOneof("val")
            if kind == "ival":
                return Decimal(node.a_const.ival.ival)
            text = {"fval": node.a_const.fval.fval, "sval": node.a_const.sval.sval}.get(kind, "")
            return decimal_of(str(text))
        case "a_expr" if enum_name(node.a_expr, "kind") == "AEXPR_OP":
            own = node.a_expr
            right = constant_number(own.rexpr)
            if right is not None:
                left = constant_number(own.lexpr) if own.HasField("lexpr") else Decimal(0)
                return _result(own.name[-1].string.sval, left, right)
    return None


def decimal_of(text: str) -> Decimal | None:
    """The number that a text in quotes or digits is."""
    try:
        number = Decimal(text.strip()) if len(text) < _LONGEST and "_" not in text else None
    except InvalidOperation:
        return None
    return number if number is not None and number.is_finite() else None


def _result(operator: str, left: Decimal | None, right: Decimal) -> Decimal | None:
    if left is None:
        return None
    match operator:
        case "+":
            return _EXACT.add(left, right)
        case "-":
            return _EXACT.subtract(left, right)
        case "*":
            return _EXACT.multiply(left, right)
    return None


def has_room(number: Decimal, name: str, *sizes: int) -> bool:
    """Whether a type may have room for a number.

    Args:
        number: The number.
        name: The type.
        sizes: What stands in brackets behind it.
    """
    if name in _INTEGERS:
        limit = Decimal(2 ** _INTEGERS[name])
        return -limit <= number.to_integral_value(ROUND_HALF_UP) < limit
    if name in _FLOATS:
        largest, smallest = _FLOATS[name]
        return number == 0 or smallest <= number.copy_abs() <= largest
    if name != "numeric" or not sizes:
        return True
    digits, scale = (*sizes, 0)[:2]
    # What is rounded up to the first number without room has none.
    limit = _EXACT.subtract(Decimal(1).scaleb(digits - scale), Decimal("0.5").scaleb(-scale))
    return number.copy_abs() < limit
