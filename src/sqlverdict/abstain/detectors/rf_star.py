"""A random forest, trained on the generator's own mistakes, says whether its answer is right.

Position:
    after f
Learns from:
    the generator's answers to validation questions, marked right or wrong
Confidence:
    the share of the forest that says right; by default half of it is enough
Source:
    TrustSQL, section 4.2 (RF*). What the forest reads is the question; with ``sql=true`` the
    words of the predicted query too
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
class RfStar(Gate):
    """The error detector; options: trees, grams, features, depth, balance, sql."""

    name: ClassVar[str] = "rf_star"
    version: ClassVar[int] = 1
    position: ClassVar[Position] = "after"
    needs: ClassVar[frozenset[Need]] = frozenset({"drafts"})

    trees: int = 100
    grams: int = 2
    features: int | None = None
    depth: int | None = None
    balance: bool = False
    sql: bool = False
    forest: Forest | None = field(default=None, init=False, repr=False)

    def _text(self, ask: Ask, draft: Draft | None) -> str:
        query = (draft.sql or "") if draft is not None and self.sql else ""
        return f"{ask.question}\n{query}" if query else ask.question

    def fit(self, training: TrainingData, tools: Tools) -> None:
        """Learn where the generator is right."""
        marked = [e for e in training.validation if e.draft is not None and e.correct is not None]
        growth = Growth(self.trees, self.grams, self.features, self.depth, self.balance, tools.seed)
        self.forest = Forest.grow(
            [self._text(example.ask, example.draft) for example in marked],
            [bool(example.correct) for example in marked],
            growth,
        )

    def score(self, drafts: Sequence[tuple[Ask, Draft | None]], tools: Tools) -> list[Detection]:
        """The share of trees for each answer."""
        del tools
        if self.forest is None:
            raise UsageError("rf_star was not fitted; see sqlverdict abstain fit")
        texts = [self._text(ask, draft) for ask, draft in drafts]
        return [Detection(share) for share in self.forest.positive(texts)]

    def save(self, folder: Path) -> None:
        """Write the forest."""
        if self.forest is not None:
            self.forest.save(folder)

    def load(self, folder: Path) -> None:
        """Read the forest."""
        self.forest = Forest.load(folder)
