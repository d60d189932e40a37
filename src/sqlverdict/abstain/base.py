"""What most methods have in common, so that a method's file holds only what is its own."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from sqlverdict.abstain.method import Detection, GeneratorNeeds, Need, Place, Tools, TrainingData
from sqlverdict.errors import UsageError


class Learner:
    """A method that learns nothing; those that do override these."""

    name: ClassVar[str]
    version: ClassVar[int] = 1
    needs: ClassVar[frozenset[Need]] = frozenset()

    def fit(self, lessons: TrainingData, tools: Tools) -> None:
        """Learn nothing."""

    def save(self, folder: Path) -> None:
        """Write nothing; the threshold is kept by the composition."""

    def load(self, folder: Path) -> None:
        """Read nothing."""


@dataclass(kw_only=True)
class Gate(Learner):
    """A detector that answers where its confidence reaches a threshold.

    Attributes:
        threshold: The least confidence with which an answer is given.
        penalty: What a wrong answer costs where the threshold is searched for; a right one is
            worth 1.
    """

    place: ClassVar[Place]

    threshold: float | None = 0.5
    penalty: float = 1.0

    def wishes(self) -> GeneratorNeeds:
        """Nothing in particular."""
        return GeneratorNeeds()

    def decide(self, finding: Detection) -> bool:
        """Whether the confidence reaches the threshold; equal is enough.

        Raises:
            UsageError: there is no threshold yet.
        """
        if self.threshold is None:
            raise UsageError(
                f"{self.name} has no threshold. Fit it on validation questions (sqlverdict "
                f"abstain fit), or give one: {self.name}(threshold=NUMBER)"
            )
        return finding.confidence is not None and finding.confidence >= self.threshold
