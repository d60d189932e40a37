"""How many labels each stratum gets."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from math import floor

from sqlverdict.errors import OptionName, UsageError
from sqlverdict.files.text import count


def allocate(sizes: Mapping[str, int], size: int) -> dict[str, int]:
    """How many pairs of each stratum are drawn: in proportion to its size, and at least one.

    Raises:
        UsageError: there are fewer to draw than strata.
    """
    if size < len(sizes):
        raise UsageError(
            f"an estimate needs a pair of each of {count(len(sizes), 'stratum', 'strata')}: "
            f"{', '.join(sizes)}. Draw more than {size} with ",
            OptionName("n", str(len(sizes))),
        )
    if size >= sum(sizes.values()):
        return dict(sizes)
    single: set[str] = set()
    while True:
        rest = {name: number for name, number in sizes.items() if name not in single}
        ratio = Fraction(size - len(single), sum(rest.values()))
        small = {name for name, number in rest.items() if number * ratio < 1}
        if not small:
            break
        single |= small
    shares = {name: floor(number * ratio) for name, number in rest.items()}
    missing = size - len(single) - sum(shares.values())
    by_remainder = sorted(rest, key=lambda name: (shares[name] - rest[name] * ratio, name))
    for name in by_remainder[:missing]:
        shares[name] += 1
    return {name: shares.get(name, 1) for name in sizes}
