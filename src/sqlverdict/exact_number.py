"""Numbers of an answer that have more digits than a float keeps."""

from __future__ import annotations


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
