"""The rows of a witness that make the difference: only one of the two answers depends on them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from sqlverdict.compare.preset import DEFAULT_PRESET
from sqlverdict.records import Answer, Contract, Row
from sqlverdict.refute.witness import Witness

if TYPE_CHECKING:
    from sqlverdict.refute.explain.what_if import Rows, WhatIf

MOST_ROWS = 30
"""Rows of a witness that are left out in turn; a larger witness is not looked at."""


def telling_rows(
    witness: Witness, *, preset: str = DEFAULT_PRESET, contract: Contract | None = None
) -> Mapping[str, tuple[int, ...]]:
    """The rows, by table and number from 0, on which only one of the two answers depends.

    Each row is left out alone: an answer depends on it where other rows are returned then,
    whatever their order.

    Args:
        witness: The witness.
        preset: The preset under which it was found.
        contract: The case's own wishes, where it had some.
    """
    if witness.kind != "different" or not 0 < witness.instance.size <= MOST_ROWS:
        return {}
    from sqlverdict.refute.explain.what_if import WhatIf

    what_if = WhatIf(witness, preset, contract)
    usual = _bags(what_if, what_if.rows)
    if usual is None:
        return {}
    telling: dict[str, tuple[int, ...]] = {}
    for name, rows in what_if.rows.items():
        others = [_bags(what_if, what_if.without_row(name, number)) for number in range(len(rows))]
        numbers = tuple(n for n, bags in enumerate(others) if _one_changes(usual, bags))
        if numbers:
            telling[name] = numbers
    return telling


Bags = tuple[Mapping[Row, int], Mapping[Row, int]]


def _bags(what_if: WhatIf, rows: Rows) -> Bags | None:
    """What both queries return on some rows; ``None`` where one of them fails."""
    match what_if.outcomes_on(rows):
        case (Answer() as gold, Answer() as prediction, _):
            return gold.bag, prediction.bag
    return None


def _one_changes(usual: Bags, bags: Bags | None) -> bool:
    if bags is None:
        return False
    gold, prediction = (now != then for now, then in zip(bags, usual, strict=True))
    return gold != prediction
