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

from dataclasses import dataclass
from typing import ClassVar

from sqlverdict.abstain.learn.forest import ForestGate
from sqlverdict.abstain.method import ABSTAINERS, Ask, Draft, Need, Position, Tools, TrainingData


@ABSTAINERS.member
@dataclass(kw_only=True)
class RfStar(ForestGate):
    """The error detector; options: trees, grams, features, depth, balance, sql."""

    name: ClassVar[str] = "rf_star"
    version: ClassVar[int] = 1
    position: ClassVar[Position] = "after"
    needs: ClassVar[frozenset[Need]] = frozenset({"drafts"})

    sql: bool = False

    def text(self, ask: Ask, draft: Draft | None) -> str:
        """The question, with the words of the query where they are asked for."""
        query = (draft.sql or "") if draft is not None and self.sql else ""
        return f"{ask.question}\n{query}" if query else ask.question

    def fit(self, training: TrainingData, tools: Tools) -> None:
        """Learn where the generator is right."""
        marked = [e for e in training.validation if e.draft is not None and e.correct is not None]
        self.grow(
            [self.text(example.ask, example.draft) for example in marked],
            [bool(example.correct) for example in marked],
            tools,
        )
