"""A language model says whether a question can be answered, after similar ones of both kinds.

Position:
    before f
Learns from:
    answerable and unanswerable questions, shown as demonstrations (16 + 16 most like the
    question in one database; 2 + 2 of 8 databases where none of its own are known)
Confidence:
    1 for "answerable", 0 for "not_answerable" and for a reply that says neither; with
    ``graded=true`` the model's probability, where the server tells it
Source:
    TrustSQL, section 4.2 and appendix H (CLSPROMPT): CREATE TABLE and three values a column
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import ClassVar

from sqlverdict.abstain.base import Gate
from sqlverdict.abstain.learn import saved
from sqlverdict.abstain.method import (
    ABSTAINERS,
    Ask,
    Detection,
    Draft,
    Need,
    Position,
    Tools,
    TrainingData,
    TrainingExample,
)
from sqlverdict.abstain.prompting.demonstrations import TFIDF, ExamplePool
from sqlverdict.abstain.prompting.prompt import PROMPTS, ask_all, request
from sqlverdict.abstain.prompting.replies import NOT_ANSWERABLE, graded, label_of
from sqlverdict.abstain.prompting.schema_text import create_tables
from sqlverdict.llm.prompt import Prompt, fill
from sqlverdict.llm.request import NoReply, Reply, Request

_YES = "answerable"
_SHOT = "Question: {{question}}\nAnswer: {{answer}}"


@ABSTAINERS.member
@dataclass(kw_only=True)
class Clsprompt(Gate):
    """The answerability detector; options: shots, databases, values, embedding, graded."""

    name: ClassVar[str] = "clsprompt"
    version: ClassVar[int] = 1
    position: ClassVar[Position] = "before"
    needs: ClassVar[frozenset[Need]] = frozenset({"answerer", "examples", "unanswerable"})

    shots: int = 16
    databases: int = 8
    values: int = 3
    embedding: str = TFIDF
    graded: bool = False
    _yes: ExamplePool = field(default_factory=lambda: ExamplePool([]), init=False, repr=False)
    _no: ExamplePool = field(default_factory=lambda: ExamplePool([]), init=False, repr=False)

    def fit(self, training: TrainingData, tools: Tools) -> None:
        """Keep the questions to choose demonstrations from."""
        del tools
        self._keep([*training.answerable(), *training.unanswerable()])

    def _keep(self, examples: Sequence[TrainingExample]) -> None:
        self._yes = ExamplePool([e for e in examples if e.answerable], self.embedding)
        self._no = ExamplePool([e for e in examples if not e.answerable], self.embedding)

    def score(self, drafts: Sequence[tuple[Ask, Draft | None]], tools: Tools) -> list[Detection]:
        """What the model says about each question."""
        replies = ask_all([self._request(ask, tools) for ask, _ in drafts], tools, self.name)
        return [self._read(reply) for reply in replies]

    def _request(self, ask: Ask, tools: Tools) -> Request:
        return request(
            "clsprompt",
            tools,
            max_tokens=16,
            logprobs=5 if self.graded else 0,
            stop=("\n\n",),
            values={
                "demonstrations": self._demonstrations(ask, tools),
                "near": "yes" if self._is_near(ask) else "",
                "schema": create_tables(ask.schema, ask.database, tools.runner, self.values),
                "question": ask.question,
            },
        )

    def _is_near(self, ask: Ask) -> bool:
        """Whether the demonstrations are of the question's own database."""
        return self._yes.has(ask.db_id) or not self._yes

    def _demonstrations(self, ask: Ask, tools: Tools) -> str:
        draw = Random(f"{tools.seed} {ask.id}")  # noqa: S311 (an order, no secret)
        prompt = PROMPTS.load(self.name, tools.prompts)
        if self._is_near(ask):
            no = self._no.similar(ask, self.shots, ask.db_id if self._no.has(ask.db_id) else None)
            return _lines([*self._yes.similar(ask, self.shots, ask.db_id), *no], draw, prompt)
        count = max(1, self.shots // self.databases)
        groups = self._yes.fixed(self.databases, count, tools.seed)
        unanswerable = Random(tools.seed).sample(  # noqa: S311 (a choice of examples, no secret)
            self._no.every, min(len(self._no), count * len(groups))
        )
        parts = []
        for number, group in enumerate(groups):
            first = group[0].ask
            no = unanswerable[number * count : (number + 1) * count]
            schema = create_tables(first.schema, first.database, tools.runner, self.values)
            lines = _lines([*group, *no], draw, prompt)
            parts.append("\n\n".join(filter(None, (schema, prompt.task, lines))))
        return "\n\n".join(parts)

    def _read(self, reply: Reply | NoReply) -> Detection:
        if isinstance(reply, NoReply):
            return Detection(None, problem=reply)
        answerable = label_of(reply.text, _YES, NOT_ANSWERABLE)
        sure = graded(reply, _YES, NOT_ANSWERABLE) if self.graded else None
        note = "unreadable reply" if answerable is None else _YES if answerable else NOT_ANSWERABLE
        return Detection(float(bool(answerable)) if sure is None else sure, note=note)

    def save(self, folder: Path) -> None:
        """Write the questions."""
        saved.write_examples(folder, [*self._yes.every, *self._no.every])

    def load(self, folder: Path) -> None:
        """Read the questions."""
        self._keep(saved.read_examples(folder))


def _lines(examples: list[TrainingExample], draw: Random, prompt: Prompt) -> str:
    draw.shuffle(examples)
    return "\n\n".join(
        fill(
            prompt.shot or _SHOT,
            {
                "question": example.ask.question,
                "answer": _YES if example.answerable else NOT_ANSWERABLE,
            },
        )
        for example in examples
    )
