"""A language model writes the query, after questions and queries like the one that is asked.

Learns from:
    questions with their queries, shown as demonstrations: the 8 most like the question where
    its database is known, else 8 of each of 5 databases, the same for every question
Source:
    TrustSQL, section 4.1 (SQLPROMPT); the schema as lists of columns with foreign keys
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import ClassVar, Literal

from sqlverdict.abstain.base import Learner
from sqlverdict.abstain.learn import saved
from sqlverdict.abstain.method import (
    ABSTAINERS,
    Ask,
    Draft,
    GeneratorNeeds,
    Need,
    Shot,
    Tools,
    TrainingData,
    TrainingExample,
)
from sqlverdict.abstain.prompting.demonstrations import TFIDF, ExamplePool
from sqlverdict.abstain.prompting.prompt import PROMPTS, ask_all, dialogue, request
from sqlverdict.abstain.prompting.replies import sql_of, token_figures
from sqlverdict.abstain.prompting.schema_text import column_lists
from sqlverdict.errors import UsageError
from sqlverdict.llm.request import NoReply, Reply, Request


@ABSTAINERS.member
@dataclass(kw_only=True)
class Sqlprompt(Learner):
    """In-context generation.

    Options: shots, databases, choose, embedding, temperature, sample_temperature.
    """

    name: ClassVar[str] = "sqlprompt"
    version: ClassVar[int] = 1
    needs: ClassVar[frozenset[Need]] = frozenset({"answerer"})

    shots: int = 8
    databases: int = 5
    choose: Literal["auto", "similar", "fixed"] = "auto"
    embedding: str = TFIDF
    temperature: float = 0.0
    sample_temperature: float = 1.0
    """The temperature where several answers are sampled."""
    known: ExamplePool = field(default_factory=lambda: ExamplePool([]), init=False, repr=False)
    strange: ExamplePool = field(default_factory=lambda: ExamplePool([]), init=False, repr=False)

    def fit(self, training: TrainingData, tools: Tools) -> None:
        """Keep the questions to choose demonstrations from."""
        del tools
        self._keep([*training.answerable(), *training.unanswerable()])

    def _keep(self, examples: Sequence[TrainingExample]) -> None:
        self.known = ExamplePool([e for e in examples if e.answerable and e.sql], self.embedding)
        self.strange = ExamplePool([e for e in examples if not e.answerable], self.embedding)

    def generate(self, asks: Sequence[Ask], needs: GeneratorNeeds, tools: Tools) -> list[Draft]:
        """Ask the model; where samples are needed, so many times."""
        if needs.states:
            raise UsageError("sqlprompt gives no encoder states; those need t5")
        times = max(1, needs.samples)
        requests = [
            self._request(ask, needs, tools, sample) for ask in asks for sample in range(times)
        ]
        replies = ask_all(requests, tools, self.name)
        return [self._draft(replies[n * times : (n + 1) * times], needs) for n in range(len(asks))]

    def _request(self, ask: Ask, needs: GeneratorNeeds, tools: Tools, sample: int) -> Request:
        name = needs.style.prompt if needs.style is not None else self.name
        return request(
            name,
            tools,
            temperature=self.sample_temperature if needs.samples else self.temperature,
            sample=sample,
            logprobs=5 if needs.tokens else 0,
            stop=("\nQuestion:",),
            values={
                "demonstrations": self._demonstrations(ask, needs, tools, name),
                "near": "yes" if self._is_near(ask) else "",
                "schema": column_lists(ask.schema),
                "knowledge": ask.knowledge,
                "question": ask.question,
            },
        )

    def _is_near(self, ask: Ask) -> bool:
        """Whether the demonstrations are of the question's own database."""
        return self.choose == "similar" or (self.choose == "auto" and self.known.has(ask.db_id))

    def _demonstrations(self, ask: Ask, needs: GeneratorNeeds, tools: Tools, prompt: str) -> str:
        if self._is_near(ask):
            groups = [self.known.similar(ask, self.shots, ask.db_id)]
            schemas = [""]
        else:
            fixed = self.known.fixed(self.databases, self.shots, tools.seed)
            groups = [group for group in fixed if group]
            schemas = [column_lists(group[0].ask.schema) for group in groups]
        if needs.style is not None:
            shots = needs.style.shots(groups, self.known, self.strange, ask, tools.seed)
        else:
            shots = [[Shot(e.ask, e.sql or "") for e in group] for group in groups]
        prompt_text = PROMPTS.load(prompt, tools.prompts)
        return dialogue(list(zip(schemas, shots, strict=True)), prompt_text)

    def _draft(self, replies: Sequence[Reply | NoReply], needs: GeneratorNeeds) -> Draft:
        texts = []
        for reply in replies:
            if isinstance(reply, NoReply):
                return Draft(problem=reply)
            texts.append(reply.text)
        read = needs.style.read if needs.style is not None else sql_of
        queries = [read(text) for text in texts]
        first = replies[0]
        assert isinstance(first, Reply)
        probabilities, entropies = token_figures(first) if needs.tokens else ((), ())
        return Draft(
            next((sql for sql in queries if sql is not None), None),
            texts[0],
            samples=tuple(sql or text for sql, text in zip(queries, texts, strict=True))
            if needs.samples
            else (),
            probabilities=probabilities,
            entropies=entropies,
        )

    def save(self, folder: Path) -> None:
        """Write the questions."""
        saved.write_examples(folder, [*self.known.every, *self.strange.every])

    def load(self, folder: Path) -> None:
        """Read the questions."""
        self._keep(saved.read_examples(folder))
