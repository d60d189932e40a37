"""The prompt shows unanswerable questions too, labelled so; the model may say the same.

Place:
    with f (``sqlprompt[demo]``)
Learns from:
    unanswerable questions, shown beside as many answerable ones in a random order
Confidence:
    0 where the reply says not_answerable, else 1
Source:
    TrustSQL, section 4.2 (DEMO)
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random
from typing import ClassVar

from sqlverdict.abstain.base import Gate
from sqlverdict.abstain.method import (
    ABSTAINERS,
    Ask,
    Detection,
    Draft,
    Examples,
    GeneratorNeeds,
    Need,
    Place,
    Shot,
    Tools,
    TrainingExample,
)
from sqlverdict.abstain.prompting.replies import NOT_ANSWERABLE, refuses, sql_of


@ABSTAINERS.member
@dataclass(kw_only=True)
class DemoDetector(Gate):
    """Abstention by demonstration; it has no option of its own."""

    name: ClassVar[str] = "demo"
    version: ClassVar[int] = 1
    place: ClassVar[Place] = "with"
    needs: ClassVar[frozenset[Need]] = frozenset({"examples", "unanswerable"})
    prompt: ClassVar[str] = "sqlprompt_demo"

    def wishes(self) -> GeneratorNeeds:
        """A prompt with unanswerable demonstrations."""
        return GeneratorNeeds(style=self)

    def shots(
        self,
        groups: Sequence[Sequence[TrainingExample]],
        unanswerable: Examples,
        ask: Ask,
        seed: int,
    ) -> list[list[Shot]]:
        """To each group as many unanswerable questions, most like the question, in between."""
        draw = Random(f"{seed} {ask.id}")  # noqa: S311 (an order, no secret)
        wanted = sum(len(group) for group in groups)
        own = ask.db_id if unanswerable.has(ask.db_id) else None
        strangers = unanswerable.similar(ask, wanted, own)
        mixed = []
        for group in groups:
            refused, strangers = strangers[: len(group)], strangers[len(group) :]
            shots = [Shot(example.ask, example.sql or "") for example in group]
            shots += [Shot(example.ask, NOT_ANSWERABLE) for example in refused]
            draw.shuffle(shots)
            mixed.append(shots)
        return mixed

    def read(self, text: str) -> str | None:
        """The SQL of a reply that does not refuse."""
        return None if refuses(text) else sql_of(text)

    def score(self, asked: Sequence[tuple[Ask, Draft | None]], tools: Tools) -> list[Detection]:
        """Whether each reply refuses."""
        del tools
        findings = []
        for _, draft in asked:
            said = draft is not None and draft.raw is not None and refuses(draft.raw)
            findings.append(Detection(0.0, note=NOT_ANSWERABLE) if said else Detection(1.0))
        return findings
