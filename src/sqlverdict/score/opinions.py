"""Metrics whose value is a judge's opinion on every pair that runs."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from sqlverdict.evidence import Evidence, Failed, Judged, fault_of
from sqlverdict.records import Reason, Score


def opinion_score(evidence: Sequence[Evidence], is_asked: Callable[[Judged], bool]) -> Score:
    """1 where the judge says right, 0 where it denies it or the prediction fails.

    Args:
        evidence: All that was found out about a case.
        is_asked: Whether an opinion is the one that the metric asked for.
    """
    for piece in evidence:
        if isinstance(piece, Judged) and is_asked(piece):
            return Score(None if piece.correct is None else float(piece.correct), piece.reasons)
    for piece in evidence:
        if isinstance(piece, Failed) and piece.query == "prediction":
            return Score(0.0, piece.reasons)
    # Why no judge was asked: a fault, else that there is none.
    faults = (piece.reasons for piece in evidence if fault_of(piece) is not None)
    return Score(None, next(faults, (Reason.JUDGE_UNAVAILABLE,)))
