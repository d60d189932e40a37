"""The most uncertain token decides: the largest entropy over the tokens of the query.

Position:
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

from sqlverdict.abstain.base import TokenGate
from sqlverdict.abstain.method import ABSTAINERS, Draft


@ABSTAINERS.member
@dataclass(kw_only=True)
class Maxent(TokenGate):
    """The largest token entropy; options: threshold, penalty."""

    name: ClassVar[str] = "maxent"
    numbers: ClassVar[str] = "entropies"

    def of(self, draft: Draft) -> Sequence[float]:
        """The entropies of the tokens."""
        return draft.entropies

    def confidence(self, numbers: Sequence[float]) -> float:
        """Minus the largest entropy."""
        return -max(numbers)
