"""From what confidence on a system should answer: TrustSQL's heuristic and certified thresholds.

The work is done in ``score/reliability/thresholds.py``, so that reports, which may not look up to
this floor, can draw the same curves.
"""

from __future__ import annotations

from sqlverdict.score.reliability.thresholds import (
    NEVER,
    STEPS,
    CertifiedThreshold,
    Threshold,
    best_prefix,
    certified_threshold,
    certify,
    heuristic_threshold,
    reaches,
)

__all__ = [
    "NEVER",
    "STEPS",
    "CertifiedThreshold",
    "Threshold",
    "best_prefix",
    "certified_threshold",
    "certify",
    "heuristic_threshold",
    "reaches",
]
