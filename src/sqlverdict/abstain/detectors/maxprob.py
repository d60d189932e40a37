"""The weakest token decides: the smallest of the likeliest tokens' probabilities.

Position:
    with f (``t5[maxprob]``); f must give token probabilities
Learns from:
    validation questions, for the threshold
Confidence:
    the smallest, over the tokens of the query, of the likeliest token's probability
Source:
    TrustSQL, section 4.2 (MAXPROB)
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from sqlverdict.abstain.base import TokenGate
from sqlverdict.abstain.method import ABSTAINERS, Draft


@ABSTAINERS.member
@dataclass(kw_only=True)
class Maxprob(TokenGate):
    """The smallest top probability; options: threshold, penalty."""

    name: ClassVar[str] = "maxprob"
    numbers: ClassVar[str] = "probabilities"

    def of(self, draft: Draft) -> Sequence[float]:
        """The probabilities of the tokens."""
        return draft.probabilities

    def confidence(self, numbers: Sequence[float]) -> float:
        """The smallest probability among the likeliest tokens."""
        return min(numbers)
