"""The model says behind its query whether it holds it to be right: ``# correct`` or not.

Position:
    with f (``sqlprompt[verbal]``)
Learns from:
    answerable questions: some with their query, marked correct, as many with the query of
    another question, marked incorrect
Confidence:
    0 where the query is marked incorrect, else 1
Source:
    TrustSQL, section 4.2 (VERBAL)
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from random import Random
from typing import ClassVar

from sqlverdict.abstain.base import PromptGate
from sqlverdict.abstain.method import (
    ABSTAINERS,
    Ask,
    Detection,
    Draft,
    Examples,
    Need,
    Shot,
    TrainingExample,
)
from sqlverdict.abstain.prompting.replies import split_remark


@ABSTAINERS.member
@dataclass(kw_only=True)
class Verbal(PromptGate):
    """Abstention by the model's own remark; it has no option of its own."""

    name: ClassVar[str] = "verbal"
    version: ClassVar[int] = 1
    needs: ClassVar[frozenset[Need]] = frozenset({"examples"})
    prompt: ClassVar[str] = "sqlprompt_verbal"

    def demonstrations(
        self,
        groups: Sequence[Sequence[TrainingExample]],
        unanswerable: Examples,
        ask: Ask,
        chance: Random,
    ) -> Iterator[list[Shot]]:
        """Each group once with its own queries, once with queries that belong elsewhere."""
        del unanswerable, ask
        every = [example.sql or "" for group in groups for example in group]
        for group in groups:
            shots = [Shot(example.ask, f"{example.sql} # correct") for example in group]
            for example in group:
                others = [sql for sql in every if sql != example.sql]
                if others:
                    shots.append(Shot(example.ask, f"{chance.choice(others)} # incorrect"))
            yield shots

    def read(self, text: str) -> str | None:
        """The SQL of a reply, without the remark."""
        return split_remark(text)[0]

    def detect(self, draft: Draft) -> Detection:
        """What the reply remarks on itself."""
        remark = split_remark(draft.raw or draft.sql or "")[1]
        return Detection(0.0 if remark == "incorrect" else 1.0, note=remark or "no remark")
