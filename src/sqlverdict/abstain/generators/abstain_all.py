"""Never answers: the baseline that every system must beat.

Learns from:
    nothing
Source:
    TrustSQL, tables 2 and 3 (ABSTAIN-ALL); its score is the share of unanswerable questions
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from sqlverdict.abstain.base import Learner
from sqlverdict.abstain.method import ABSTAINERS, Ask, Draft, GeneratorNeeds, Tools


@ABSTAINERS.member
@dataclass(kw_only=True)
class AbstainAll(Learner):
    """The generator that never answers."""

    name: ClassVar[str] = "abstain_all"
    version: ClassVar[int] = 1

    def generate(self, asks: Sequence[Ask], needs: GeneratorNeeds, tools: Tools) -> list[Draft]:
        """An abstention for each question."""
        del needs, tools
        return [Draft(abstained=True) for _ in asks]
