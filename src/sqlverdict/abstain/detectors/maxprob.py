"""The weakest token decides: the smallest of the likeliest tokens' probabilities.

Place:
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
class Maxprob(Gate):
    """The smallest top probability; options: threshold, penalty."""

    name: ClassVar[str] = "maxprob"
    version: ClassVar[int] = 1
    place: ClassVar[Place] = "with"
    needs: ClassVar[frozenset[Need]] = frozenset({"threshold"})

    threshold: float | None = None

    def wishes(self) -> Wishes:
        """The tokens' probabilities."""
        return Wishes(tokens=True)

    def score(self, asked: Sequence[tuple[Ask, Draft | None]], tools: Tools) -> list[Finding]:
        """The smallest top probability of each query."""
        del tools
        findings = []
        for ask, draft in asked:
            if draft is None or not draft.probabilities:
                raise PredictionError(
                    f"maxprob: the answer to {ask.id!r} carries no token probabilities. Expected "
                    f"a generator that gives them (t5), or 'tokens' in the predictions"
                )
            findings.append(Finding(min(draft.probabilities)))
        return findings
