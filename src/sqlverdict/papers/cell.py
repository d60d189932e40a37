"""One value of a paper's table or figure: ours, the paper's, and their difference.

A paper prints rounded numbers. Two numbers are equal at the printed precision where ours lies
within half a unit of the last printed digit: a half may have been rounded either way.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

EQUAL = "equal"
FOLLOWS = "follows"
"""What agrees with other numbers of the same paper: an arithmetic check, and no measurement."""
NOT_EQUAL = "not equal"
"""Of words, which have no difference."""
DASH = "–"  # noqa: RUF001
_NUMBER = re.compile(r"([-+]?)(\d[\d,]*)(?:\.(\d+))?\s*([KM]?)\s*%?")
_UNITS: Mapping[str, int] = {"": 1, "K": 1_000, "M": 1_000_000}
_SLACK = 1e-9
"""What binary fractions may be off by."""


@dataclass(frozen=True)
class PrintedNumber:
    """A number as a paper prints it: ``71.5``, ``-1.2K``, ``6,227.4``, ``58.13 %``.

    Attributes:
        value: The number.
        decimals: The digits after its point.
        unit: What it counts in: 1,000 of ``-1.2K``.
        suffix: How the unit is written.
    """

    value: float
    decimals: int
    unit: int = 1
    suffix: str = ""

    @property
    def half(self) -> float:
        """Half a unit of the last digit."""
        return 0.5 * 10.0**-self.decimals * self.unit

    def text_of(self, value: float, *, signed: bool = False) -> str:
        """Another number at the same precision."""
        # What rounds to 0 has no sign: "-0.0" reads as a loss.
        rounded = round(value / self.unit, self.decimals) + 0.0
        return f"{rounded:{'+' if signed else ''},.{self.decimals}f}{self.suffix}"


def in_percent(share: float | None) -> float | None:
    """A share in percent; ``None``: it is not known."""
    return None if share is None else 100 * share


def printed_number(text: str) -> PrintedNumber | None:
    """The number that a text is; ``None`` where it is words."""
    match = _NUMBER.fullmatch(text.strip().replace("−", "-"))  # noqa: RUF001
    if match is None:
        return None
    sign, whole, decimals, suffix = match.groups(default="")
    unit = _UNITS[suffix]
    value = float(f"{sign}{whole.replace(',', '')}.{decimals or 0}") * unit
    return PrintedNumber(value, len(decimals), unit, suffix)


@dataclass(frozen=True)
class PaperCell:
    """One value.

    Attributes:
        row: Its row, such as a system.
        column: Its column, such as a metric.
        ours: Our value: a number, not rounded, or words; ``None``: there is none.
        paper: The paper's value as it is printed; empty: the paper prints none.
        n: The number of items behind ours.
        reason: Why the two differ, or why ours is not there: one sentence.
        from_print: Ours is computed from other numbers that the paper prints, not from data.
    """

    row: str
    column: str
    ours: float | str | None = None
    paper: str = ""
    n: int | None = None
    reason: str = ""
    from_print: bool = False

    @property
    def difference(self) -> str:
        """``equal``, or ours minus the paper's; empty where a number stands beside words."""
        printed = printed_number(self.paper)
        if self.ours is None or not self.paper:
            return ""
        if isinstance(self.ours, str) and printed is None:
            return EQUAL if self.ours == self.paper else NOT_EQUAL
        if isinstance(self.ours, str) or printed is None:
            return ""
        if abs(self.ours - printed.value) <= printed.half * (1 + _SLACK) + _SLACK:
            return EQUAL
        # Of what is printed: two rounded numbers and their difference must add up.
        rounded = round(self.ours / printed.unit, printed.decimals) * printed.unit
        return printed.text_of(rounded - printed.value, signed=True)

    @property
    def agreement(self) -> str:
        """The difference in a reader's words: ``follows`` where equality says nothing of data."""
        return FOLLOWS if self.from_print and self.difference == EQUAL else self.difference

    @property
    def our_text(self) -> str:
        """Our value at the paper's precision; equal to the paper's where it says ``equal``."""
        if self.ours is None:
            return DASH
        if isinstance(self.ours, str):
            return self.ours
        printed = printed_number(self.paper)
        if printed is None:
            return f"{self.ours:,}" if isinstance(self.ours, int) else f"{self.ours:,.1f}"
        return printed.text_of(printed.value if self.difference == EQUAL else self.ours)

    @property
    def number(self) -> float | str | None:
        """Our value with as many digits as are worth keeping."""
        return round(self.ours, 4) if isinstance(self.ours, float) else self.ours
