"""A random forest over the question's words says whether it can be answered at all.

Position:
    before f
Learns from:
    answerable training questions, and unanswerable ones (of the training or the background)
Confidence:
    the share of the forest that says answerable; by default half of it is enough
Source:
    TrustSQL, section 4.2 (RF): TF-IDF of single words and pairs, random forest
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import ClassVar

from sqlverdict.abstain.base import Gate
from sqlverdict.abstain.learn.forest import Forest, Growth
from sqlverdict.abstain.method import (
    ABSTAINERS,
    Ask,
    Detection,
    Draft,
    Need,
    Position,
    Tools,
    TrainingData,
)
from sqlverdict.errors import UsageError


@ABSTAINERS.member
@dataclass(kw_only=True)
class Rf(Gate):
    """The answerability detector; options: trees, grams, features, depth, balance."""

    name: ClassVar[str] = "rf"
    version: ClassVar[int] = 1
    position: ClassVar[Position] = "before"
    needs: ClassVar[frozenset[Need]] = frozenset({"examples", "unanswerable"})

    trees: int = 100
    grams: int = 2
    features: int | None = None
    depth: int | None = None
    balance: bool = False
    forest: Forest | None = field(default=None, init=False, repr=False)

    def fit(self, training: TrainingData, tools: Tools) -> None:
        """Learn to tell answerable questions from unanswerable ones."""
        known = [*training.answerable(), *training.unanswerable()]
        growth = Growth(self.trees, self.grams, self.features, self.depth, self.balance, tools.seed)
        self.forest = Forest.grow(
            [example.ask.question for example in known],
            [example.answerable for example in known],
            growth,
        )

    def score(self, drafts: Sequence[tuple[Ask, Draft | None]], tools: Tools) -> list[Detection]:
        """The share of trees for each question."""
        del tools
        if self.forest is None:
            raise UsageError("rf was not fitted; see sqlverdict abstain fit")
        return [
            Detection(share) for share in self.forest.positive([ask.question for ask, _ in drafts])
        ]

    def save(self, folder: Path) -> None:
        """Write the forest."""
        if self.forest is not None:
            self.forest.save(folder)

    def load(self, folder: Path) -> None:
        """Read the forest."""
        self.forest = Forest.load(folder)
