"""Numbers that are nearly the same: clusters and rounded forms, as keys."""

from __future__ import annotations

from decimal import ROUND_HALF_UP, Decimal
from math import floor, isclose
from typing import Any

from sqlverdict.compare.related.proofs import ChangedColumn
from sqlverdict.compare.related.search import ColumnLink
from sqlverdict.compare.related.table import AnswerColumn, Keys, same_bag

NEAR = 1e-9
"""Relative difference below which two floats are the same number, computed twice."""
LARGEST = 1e15
"""Beyond it a float has no digits left to round."""
MOST_DIGITS = 10
HALF = 1e-6
"""How near to a half the last digit counts as a tie, which engines round either way."""


def digits(cells: Keys) -> int | None:
    """The most decimals that a number of the column shows; ``None`` beyond ten."""
    most = 0
    for cell in cells:
        if type(cell) is not float or cell == floor_or_none(cell):
            continue
        text = repr(cell)
        if "e" in text:
            return None
        most = max(most, len(text) - text.index(".") - 1)
        if most > MOST_DIGITS:
            return None
    return most


def floor_or_none(number: float) -> int | None:
    """The whole number below, where there is one."""
    return floor(number) if -LARGEST < number < LARGEST else None


def number_extent(column: AnswerColumn) -> tuple[float, float, int] | None:
    """Least and greatest number and the count of NULLs; ``None`` beyond what floats hold."""
    notes = column.notes
    if "extent" not in notes:
        numbers: list[Any] = [cell for cell in column.cells if cell is not None]
        low, high = min(numbers), max(numbers)
        # NaN has no place in an order: least and greatest would mean nothing.
        fits = low > -LARGEST and high < LARGEST and all(n == n for n in numbers)
        notes["extent"] = (low, high, len(column.cells) - len(numbers)) if fits else None
    bounds: tuple[float, float, int] | None = notes["extent"]
    return bounds


def near_keys(cells: Keys, others: Keys) -> tuple[Keys, Keys]:
    """Both columns with near-equal numbers replaced by one of them."""
    numbers = sorted({n for n in cells if n is not None} | {n for n in others if n is not None})
    key: dict[Any, Any] = {None: None}
    before: Any = None
    for number in numbers:
        if before is not None and isclose(number, before, rel_tol=NEAR, abs_tol=1e-12):
            key[number] = key[before]
        else:
            key[number] = number
        before = number
    return [key[n] for n in cells], [key[n] for n in others]


def rounded_keys(coarse: Keys, fine: Keys, decimals: int) -> tuple[Keys, Keys]:
    """Both columns as whole multiples of the last digit of the coarse one.

    A tie goes away from zero where the coarse column has that value, else towards it.
    """
    unit = 10**decimals
    targets = [None if number is None else round(number * unit) for number in coarse]
    known = set(targets)
    keys: list[int | None] = []
    for number in fine:
        if number is None:
            keys.append(None)
            continue
        scaled = abs(number) * unit
        below = floor(scaled)
        rest = scaled - below
        sign = 1 if number >= 0 else -1
        away = sign * (below + 1)
        if abs(rest - 0.5) < HALF:
            keys.append(away if away in known else sign * below)
        else:
            keys.append(away if rest > 0.5 else sign * below)
    return targets, keys


def rounded_link(side: str, coarse: Keys, fine: Keys) -> ColumnLink | None:
    """Keys under which two columns agree once the fine one is rounded as ``side`` already is."""
    decimals = digits(coarse)
    if decimals is None:
        return None
    targets, keys = rounded_keys(coarse, fine, decimals)
    if not same_bag(targets, keys):
        return None
    note: ChangedColumn = {"rounded": side, "digits": decimals}
    return ColumnLink(targets, keys, note) if side == "gold" else ColumnLink(keys, targets, note)


def check_rounding(
    side: str, decimals: int | None, left: Keys, right: Keys
) -> tuple[Keys, Keys] | None:
    """The keys that a rounding note describes, in decimal arithmetic."""
    if side == "both":
        return near_keys(left, right)
    if side not in ("gold", "prediction") or decimals is None or decimals < 0:
        return None
    coarse, fine = (left, right) if side == "gold" else (right, left)
    unit = Decimal(10) ** decimals
    targets: list[int | None] = []
    for number in coarse:
        scaled = None if number is None else Decimal(repr(number)) * unit
        if scaled is not None and scaled != scaled.to_integral_value():
            return None
        targets.append(None if scaled is None else int(scaled))
    known = set(targets)
    keys: list[int | None] = []
    for number in fine:
        if number is None:
            keys.append(None)
            continue
        scaled = Decimal(repr(number)) * unit
        nearest = int(scaled.to_integral_value(ROUND_HALF_UP))
        edge = abs(abs(scaled % 1) - Decimal("0.5"))
        if edge < Decimal(repr(HALF)):
            toward = int(scaled)
            away = toward + (1 if number >= 0 else -1)
            nearest = away if away in known else toward
        keys.append(nearest)
    return (targets, keys) if side == "gold" else (keys, targets)
