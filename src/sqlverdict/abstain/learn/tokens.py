"""Detectors over the numbers that a generator gives for each token of its query."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from sqlverdict.abstain.base import Gate
from sqlverdict.abstain.method import Ask, Detection, Draft, GeneratorNeeds, Need, Position, Tools
from sqlverdict.errors import PredictionError


@dataclass(kw_only=True)
class TokenGate(Gate):
    """Reads the tokens' numbers off a draft; what they say is the method's own.

    Attributes:
        numbers: What the numbers are called.
    """

    version: ClassVar[int] = 1
    position: ClassVar[Position] = "with"
    needs: ClassVar[frozenset[Need]] = frozenset({"threshold"})
    numbers: ClassVar[str]

    threshold: float | None = None

    def generator_needs(self) -> GeneratorNeeds:
        """What is known of the tokens."""
        return GeneratorNeeds(tokens=True)

    def of(self, draft: Draft) -> Sequence[float]:
        """The numbers of a draft."""
        raise NotImplementedError

    def confidence(self, numbers: Sequence[float]) -> float:
        """What the numbers of one query say."""
        raise NotImplementedError

    def score(self, drafts: Sequence[tuple[Ask, Draft | None]], tools: Tools) -> list[Detection]:
        """The confidence of each query.

        Raises:
            PredictionError: a draft carries no such numbers.
        """
        del tools
        findings = []
        for ask, draft in drafts:
            numbers = self.of(draft) if draft is not None else ()
            if not numbers:
                raise PredictionError(
                    f"{self.name}: the answer to {ask.id!r} carries no token {self.numbers}. "
                    f"Expected a generator that gives them (t5), or 'tokens' in the predictions",
                    reason="missing_field",
                )
            findings.append(Detection(self.confidence(numbers)))
        return findings
