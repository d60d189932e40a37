"""The prompt shows unanswerable questions too, labelled so; the model may say the same.

Position:
    with f (``sqlprompt[demo]``)
Learns from:
    unanswerable questions, shown beside as many answerable ones in a random order
Confidence:
    0 where the reply says not_answerable, else 1
Source:
    TrustSQL, section 4.2 (DEMO)
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
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
from sqlverdict.abstain.prompting.replies import NOT_ANSWERABLE, refuses, sql_of


@ABSTAINERS.member
@dataclass(kw_only=True)
class DemoDetector(PromptGate):
    """Abstention by demonstration; it has no option of its own."""

    name: ClassVar[str] = "demo"
    version: ClassVar[int] = 1
    needs: ClassVar[frozenset[Need]] = frozenset({"examples", "unanswerable"})
    prompt: ClassVar[str] = "sqlprompt_demo"

    def demonstrations(
        self,
        groups: Sequence[Sequence[TrainingExample]],
        answerable: Examples,
        unanswerable: Examples,
        ask: Ask,
        chance: Random,
    ) -> Iterator[list[Shot]]:
        """Each group, and as many unanswerable questions, most like the question."""
        del answerable, chance
        total = sum(len(group) for group in groups)
        own = ask.db_id if unanswerable.has(ask.db_id) else None
        no_answers = iter(unanswerable.similar(ask, total, own))
        for group in groups:
            shots = [Shot(example.ask, example.sql or "") for example in group]
            shots += [Shot(each.ask, NOT_ANSWERABLE) for each in islice(no_answers, len(group))]
            yield shots

    def read(self, text: str) -> str | None:
        """The SQL of a reply that does not refuse."""
        return None if refuses(text) else sql_of(text)

    def detect(self, draft: Draft) -> Detection:
        """Whether the reply refuses."""
        refusal = draft.raw is not None and refuses(draft.raw)
        return Detection(0.0, note=NOT_ANSWERABLE) if refusal else Detection(1.0)
