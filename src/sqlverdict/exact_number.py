"""Numbers of an answer that have more digits than a float keeps."""

from __future__ import annotations

import math
from decimal import Decimal

SMALLEST, LARGEST = -(2**63), 2**64 - 1
"""What logs and caches keep as an integer."""
_SURE_DIGITS = 9
"""Numbers with so many digits are further apart than floats that presets take for equal."""
_SHORT = 15
"""A float keeps every digit of a number that has so many."""


class ExactNumber(float):
    """A number with more digits than a float keeps, such as a long DECIMAL or a HUGEINT.

    It counts, sorts and formats as the nearest float. Two of them are equal only if all their
    digits are, and one equals a float that is the nearest to it: a sum of decimals may be
    compared with the same sum of floats.

    Attributes:
        digits: The number as decimal text, without idle zeros.
    """

    __slots__ = ("digits",)
    digits: str

    def __new__(cls, digits: str) -> ExactNumber:
        """The number that the text writes."""
        number = super().__new__(cls, digits)
        number.digits = digits
        return number

    def __eq__(self, other: object) -> bool:
        if isinstance(other, ExactNumber):
            return self.digits == other.digits
        return float.__eq__(self, other) if type(other) is float else False

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __hash__(self) -> int:
        return float.__hash__(self)

    def __repr__(self) -> str:
        return self.digits

    def __reduce__(self) -> tuple[type[ExactNumber], tuple[str]]:
        return ExactNumber, (self.digits,)


def decimal_cell(value: Decimal) -> int | float | str:
    """A decimal number: an integer where it is one."""
    if not value.is_finite():
        return math.nan if value.is_nan() else float(value)
    nearest = float(value)
    if math.isinf(nearest):
        return _digits(value)
    # A negative exponent may be huge, and the text with it.
    if nearest and value.adjusted() < -_SURE_DIGITS:
        return nearest
    digits = _digits(value)
    whole, _, fraction = digits.partition(".")
    if not fraction:
        return integer_cell(int(value))
    is_long = len((whole + fraction).lstrip("-0")) > _SURE_DIGITS >= len(fraction)
    return ExactNumber(digits) if is_long else nearest


def _digits(value: Decimal) -> str:
    """The number as decimal text without idle zeros."""
    text = f"{value:f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def integer_cell(value: int) -> int | float | str:
    """An integer of any length as a cell."""
    if SMALLEST <= value <= LARGEST:
        return value
    digits = f"{Decimal(value):f}"
    return digits if math.isinf(float(digits)) else ExactNumber(digits)


def json_number(text: str) -> int | float:
    """A number of JSON that has a fraction or an exponent.

    It is a float where a float keeps all of its digits, and otherwise what :func:`decimal_cell`
    makes of them.

    Raises:
        ValueError: it is beyond the floats.
    """
    nearest = float(text)
    if math.isinf(nearest):
        raise ValueError("Number out of range")
    # What rounds to 0 may have an exponent of any size.
    if not nearest or len(text) <= _SHORT or Decimal(text) == Decimal(repr(nearest)):
        return nearest
    cell = decimal_cell(Decimal(text))
    return nearest if isinstance(cell, str) else cell
