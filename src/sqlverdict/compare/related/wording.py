"""Pieces of the sentences that relations say."""

from __future__ import annotations

import json
from collections.abc import Iterable

from sqlverdict.compare.related.proofs import RowsProof

_EXAMPLE = 80
"""Characters of an example row that a sentence shows."""


def positions(columns: Iterable[int | None]) -> str:
    """Columns counted from 1, as people do."""
    return ", ".join("none" if column is None else str(column + 1) for column in columns)


def example(detail: RowsProof) -> str:
    """The first example row of a proof, as the end of a sentence; "" without one."""
    examples = detail.get("examples") or ()
    if not examples:
        return ""
    text = json.dumps(examples[0], ensure_ascii=False, default=str)
    return f", for instance {text if len(text) <= _EXAMPLE else text[:_EXAMPLE] + '…'}"


def other_side(side: str) -> str:
    """The prediction for the gold, and the reverse."""
    return "prediction" if side == "gold" else "gold"
