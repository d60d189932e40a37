"""What most methods have in common, so that a method's file holds only what is its own."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import ClassVar

from sqlverdict.abstain.method import (
    Ask,
    Detection,
    Draft,
    Examples,
    GeneratorNeeds,
    Need,
    Position,
    Shot,
    Tools,
    TrainingData,
    TrainingExample,
)
from sqlverdict.errors import PredictionError, UsageError
from sqlverdict.score.reliability.thresholds import reaches


class Learner:
    """A method that learns nothing; those that do override these."""

    name: ClassVar[str]
    version: ClassVar[int] = 1
    needs: ClassVar[frozenset[Need]] = frozenset()

    def fit(self, training: TrainingData, tools: Tools) -> None:
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

    position: ClassVar[Position]

    threshold: float | None = 0.5
    penalty: float = 1.0

    def generator_needs(self) -> GeneratorNeeds:
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
        return finding.confidence is not None and reaches(finding.confidence, self.threshold)


@dataclass(kw_only=True)
class PromptGate(Gate):
    """A detector inside a prompt: it shows other demonstrations and reads the reply's remark.

    Attributes:
        prompt: The name of the prompt.
    """

    position: ClassVar[Position] = "with"
    prompt: ClassVar[str]

    def generator_needs(self) -> GeneratorNeeds:
        """A prompt of its own."""
        return GeneratorNeeds(style=self)

    def shots(
        self,
        groups: Sequence[Sequence[TrainingExample]],
        answerable: Examples,
        unanswerable: Examples,
        ask: Ask,
        seed: int,
    ) -> list[list[Shot]]:
        """The demonstrations of each group, in a random order that the seed decides."""
        chance = Random(f"{seed} {ask.id}")  # noqa: S311 (an order, no secret)
        mixed = []
        for shots in self.demonstrations(groups, answerable, unanswerable, ask, chance):
            chance.shuffle(shots)
            mixed.append(shots)
        return mixed

    def demonstrations(
        self,
        groups: Sequence[Sequence[TrainingExample]],
        answerable: Examples,
        unanswerable: Examples,
        ask: Ask,
        chance: Random,
    ) -> Iterator[list[Shot]]:
        """The demonstrations of one group after the other, each in any order."""
        raise NotImplementedError

    def read(self, text: str) -> str | None:
        """The SQL in a reply."""
        raise NotImplementedError

    def score(self, drafts: Sequence[tuple[Ask, Draft | None]], tools: Tools) -> list[Detection]:
        """What each reply remarks on itself."""
        del tools
        return [self.detect(draft or Draft()) for _, draft in drafts]

    def detect(self, draft: Draft) -> Detection:
        """What one reply remarks on itself."""
        raise NotImplementedError


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
