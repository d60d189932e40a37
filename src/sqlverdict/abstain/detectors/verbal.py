"""The model says behind its query whether it holds it to be right: ``# correct`` or not.

Position:
    with f (``sqlprompt[verbal]``)
Learns from:
    answerable questions: similar ones with their query, marked correct, and as many random ones
    of the same database with a random query, marked incorrect
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
    version: ClassVar[int] = 2
    needs: ClassVar[frozenset[Need]] = frozenset({"examples"})
    prompt: ClassVar[str] = "sqlprompt_verbal"

    def demonstrations(
        self,
        groups: Sequence[Sequence[TrainingExample]],
        answerable: Examples,
        unanswerable: Examples,
        ask: Ask,
        chance: Random,
    ) -> Iterator[list[Shot]]:
        """Each group with its queries, and as many random questions with random queries."""
        del unanswerable
        for group in groups:
            shots = [Shot(example.ask, f"{example.sql} # correct") for example in group]
            known = answerable.of(group[0].ask.db_id) if group else ()
            questions = {example.ask.question for example in group} | {ask.question}
            others = [each for each in known if each.ask.question not in questions] or list(group)
            for example in chance.sample(others, min(len(group), len(others))):
                queries = sorted({each.sql for each in known if each.sql} - {example.sql})
                if queries:
                    shots.append(Shot(example.ask, f"{chance.choice(queries)} # incorrect"))
            yield shots

    def read(self, text: str) -> str | None:
        """The SQL of a reply, without the remark."""
        return split_remark(text)[0]

    def detect(self, draft: Draft) -> Detection:
        """What the reply remarks on itself."""
        remark = split_remark(draft.raw or draft.sql or "")[1]
        return Detection(0.0 if remark == "incorrect" else 1.0, note=remark or "no remark")
