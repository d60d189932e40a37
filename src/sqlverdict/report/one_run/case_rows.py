"""A case as one flat record: for CSV files and DataFrames."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sqlverdict.records import Result

_FLAT = ("id", "db_id", "question", "difficulty", "verdict", "fault", "situation", "p_right")


def case_row(result: Result, spent: Sequence[str] = ()) -> dict[str, Any]:
    """The fields of a case that fit in a cell; scores, reasons and costs are columns.

    Args:
        result: The case.
        spent: The quantities that the run's predictions give, such as ``cost``.
    """
    row = {name: getattr(result, name) for name in _FLAT}
    row |= {"gold": result.gold[0] if result.gold else None}
    row |= {"prediction": result.prediction, "reasons": ", ".join(result.reasons)}
    row |= {name: getattr(result.usage, name, None) for name in spent}
    return row | dict(result.scores)
