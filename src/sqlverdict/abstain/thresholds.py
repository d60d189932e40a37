"""From what confidence on a system should answer: TrustSQL's heuristic and certified thresholds.

The work is done in ``score/selective_thresholds.py``, so that reports, which may not look up to
this floor, can draw the same curves.
"""

from __future__ import annotations

from sqlverdict.score.selective_thresholds import (
    NEVER,
    STEPS,
    Certified,
    Threshold,
    best_prefix,
    certified_threshold,
    certify,
    heuristic_threshold,
)

__all__ = [
    "NEVER",
    "STEPS",
    "Certified",
    "Threshold",
    "best_prefix",
    "certified_threshold",
    "certify",
    "heuristic_threshold",
]
