"""The most uncertain token decides: the largest entropy over the tokens of the query.

Place:
    with f (``t5[maxent]``); f must give token entropies
Learns from:
    validation questions, for the threshold
Confidence:
    minus the largest entropy, in nats
Source:
    TrustSQL, section 4.2 (MAXENT); EHRSQL
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from sqlverdict.abstain.base import Gate
from sqlverdict.abstain.method import (
    ABSTAINERS,
    Ask,
    Draft,
    Finding,
    Need,
    Place,
    Tools,
    Wishes,
)
from sqlverdict.errors import PredictionError


@ABSTAINERS.member
@dataclass(kw_only=True)
class Maxent(Gate):
    """The largest token entropy; options: threshold, penalty."""

    name: ClassVar[str] = "maxent"
    version: ClassVar[int] = 1
    place: ClassVar[Place] = "with"
    needs: ClassVar[frozenset[Need]] = frozenset({"threshold"})

    threshold: float | None = None

    def wishes(self) -> Wishes:
        """The tokens' entropies."""
        return Wishes(tokens=True)

    def score(self, asked: Sequence[tuple[Ask, Draft | None]], tools: Tools) -> list[Finding]:
        """Minus the largest entropy of each query."""
        del tools
        findings = []
        for ask, draft in asked:
            if draft is None or not draft.entropies:
                raise PredictionError(
                    f"maxent: the answer to {ask.id!r} carries no token entropies. Expected a "
                    f"generator that gives them (t5), or 'tokens' in the predictions"
                )
            findings.append(Finding(-max(draft.entropies)))
        return findings
