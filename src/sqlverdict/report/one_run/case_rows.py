"""A case as one flat record: for CSV files and DataFrames."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sqlverdict.records import Result
from sqlverdict.score.deciding import reasons_by, verdict_by

_FLAT = ("id", "db_id", "question", "difficulty", "verdict", "fault", "situation", "p_right")


def case_row(
    result: Result, deciding: str | None, spent: Sequence[str] = (), *, turns: bool = False
) -> dict[str, Any]:
    """The fields of a case that fit in a cell; scores, reasons and costs are columns.

    The verdict is a word; the value of the metric ``verdict`` is the column ``verdict_score``.

    Args:
        result: The case.
        deciding: The run's deciding metric: the verdict and the reasons are by it.
        spent: The quantities that the run's predictions give, such as ``cost``.
        turns: Whether the run has conversations: session, turn and earlier questions are columns.
    """
    row = {name: getattr(result, name) for name in _FLAT}
    if turns:
        earlier = " / ".join(result.earlier)
        row |= {"session": result.session or None, "turn": result.turn, "earlier": earlier}
    row |= {"verdict": verdict_by(result, deciding)}
    row |= {"gold": result.gold[0] if result.gold else None, "prediction": result.prediction}
    row |= {"reasons": ", ".join(reasons_by(result, deciding))}
    row |= {name: getattr(result.usage, name, None) for name in spent}
    scores = {f"{name}_score" if name in row else name: v for name, v in result.scores.items()}
    return row | scores
