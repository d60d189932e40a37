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

from dataclasses import dataclass
from typing import ClassVar

from sqlverdict.abstain.learn.forest import ForestGate
from sqlverdict.abstain.method import ABSTAINERS, Need, Position, Tools, TrainingData


@ABSTAINERS.member
@dataclass(kw_only=True)
class Rf(ForestGate):
    """The answerability detector; options: trees, grams, features, depth, balance."""

    name: ClassVar[str] = "rf"
    version: ClassVar[int] = 1
    position: ClassVar[Position] = "before"
    needs: ClassVar[frozenset[Need]] = frozenset({"examples", "unanswerable"})

    def fit(self, training: TrainingData, tools: Tools) -> None:
        """Learn to tell answerable questions from unanswerable ones."""
        known = [*training.answerable(), *training.unanswerable()]
        self.grow(
            [example.ask.question for example in known],
            [example.answerable for example in known],
            tools,
        )
