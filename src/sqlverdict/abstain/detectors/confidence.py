"""The system's own confidence decides, with a threshold found on validation questions.

Position:
    with f; the predictions must carry confidences (``recorded[confidence]``)
Learns from:
    validation questions, for the threshold
Confidence:
    what the predictions say, higher being surer; with ``lower=true`` lower is (an entropy)
Source:
    TrustSQL, appendix J, for any system that tells a confidence
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from sqlverdict.abstain.base import Gate
from sqlverdict.abstain.method import ABSTAINERS, Ask, Detection, Draft, Need, Position, Tools
from sqlverdict.errors import PredictionError


@ABSTAINERS.member
@dataclass(kw_only=True)
class Confidence(Gate):
    """The system's own confidence; options: threshold, penalty, lower."""

    name: ClassVar[str] = "confidence"
    version: ClassVar[int] = 1
    position: ClassVar[Position] = "with"
    needs: ClassVar[frozenset[Need]] = frozenset({"threshold"})

    threshold: float | None = None
    lower: bool = False

    def score(self, drafts: Sequence[tuple[Ask, Draft | None]], tools: Tools) -> list[Detection]:
        """The confidence of each answer."""
        del tools
        findings = []
        for ask, draft in drafts:
            if draft is None or draft.confidence is None:
                raise PredictionError(
                    f"confidence: the answer to {ask.id!r} carries none. Expected 'confidence' in "
                    f"every prediction",
                    reason="missing_field",
                )
            findings.append(Detection(-draft.confidence if self.lower else draft.confidence))
        return findings
