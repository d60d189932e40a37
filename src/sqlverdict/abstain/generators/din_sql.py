"""The question is taken apart: links to the schema, a class, a query by class, a correction.

Four requests a question: which columns, keys and values it speaks about; whether its query is
easy, joined or nested; the query, in steps where it is joined or nested; the query corrected.

Learns from:
    questions with their queries; links, classes and steps of the demonstrations are read off
    the queries
Source:
    DIN-SQL, as TrustSQL uses it (section 4.1); the prompts are our own
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import ClassVar

from sqlverdict.abstain.base import Learner
from sqlverdict.abstain.learn import saved
from sqlverdict.abstain.method import (
    ABSTAINERS,
    Ask,
    Draft,
    GeneratorNeeds,
    Need,
    Tools,
    TrainingData,
    TrainingExample,
)
from sqlverdict.abstain.prompting.decompose import (
    CLASSES,
    class_named,
    class_of,
    with_class,
    with_links,
    with_sql,
    with_steps,
)
from sqlverdict.abstain.prompting.demonstrations import TFIDF, ExamplePool
from sqlverdict.abstain.prompting.prompt import answerer, no_draft, request, side_by_side
from sqlverdict.abstain.prompting.replies import sql_of
from sqlverdict.abstain.prompting.schema_text import column_lists
from sqlverdict.errors import UsageError
from sqlverdict.llm.request import NoReply


class _Unasked(Exception):
    """The model could not be asked; carries why out of the four steps."""

    def __init__(self, problem: NoReply) -> None:
        self.problem = problem


@ABSTAINERS.member
@dataclass(kw_only=True)
class DinSql(Learner):
    """Decomposed generation; options: shots, embedding, correct, temperature, heat."""

    name: ClassVar[str] = "din_sql"
    version: ClassVar[int] = 1
    needs: ClassVar[frozenset[Need]] = frozenset({"answerer"})

    shots: int = 4
    embedding: str = TFIDF
    correct: bool = True
    temperature: float = 0.0
    heat: float = 1.0
    _pools: dict[str, ExamplePool] = field(default_factory=dict, init=False, repr=False)

    def fit(self, training: TrainingData, tools: Tools) -> None:
        """Keep the questions to choose demonstrations from, by class too."""
        del tools
        self._keep(training.answerable())

    def _keep(self, examples: Sequence[TrainingExample]) -> None:
        known = [(example, class_of(example.sql)) for example in examples if example.sql]
        self._pools = {"": ExamplePool([example for example, _ in known], self.embedding)}
        for kind in CLASSES:
            alike = [example for example, own in known if own == kind]
            self._pools[kind] = ExamplePool(alike, self.embedding)

    def generate(self, asks: Sequence[Ask], needs: GeneratorNeeds, tools: Tools) -> list[Draft]:
        """Four requests a question, and again for each sample."""
        if needs.states or needs.tokens or needs.style is not None:
            raise UsageError(
                "din_sql gives neither states nor token probabilities, and its prompts cannot be "
                "changed; inside its brackets only voting works"
            )
        times = max(1, needs.samples)
        work = [(ask, sample) for ask in asks for sample in range(times)]
        done = side_by_side(lambda one: self._one(*one, bool(needs.samples), tools), work, tools)
        return [_joined(done[n * times : (n + 1) * times]) for n in range(len(asks))]

    def _one(self, ask: Ask, sample: int, sampling: bool, tools: Tools) -> Draft:
        model = answerer(tools, self.name)
        schema = column_lists(ask.schema)

        def reply_text(
            name: str, pool: str, show: Callable[[TrainingExample], str], **values: str
        ) -> str:
            reply = model.ask(
                request(
                    name,
                    tools,
                    temperature=self.heat if sampling else self.temperature,
                    sample=sample,
                    stop=("\nQuestion:",),
                    values={
                        "demonstrations": self._demonstrations(ask, pool, show),
                        "schema": schema,
                        "knowledge": ask.knowledge,
                        "question": ask.question,
                        **values,
                    },
                )
            )
            if isinstance(reply, NoReply):
                raise _Unasked(reply)
            return reply.text

        try:
            links = reply_text("din_link", "", with_links).strip().partition("\n")[0]
            kind = class_named(reply_text("din_classify", "", with_class, links=links))
            show = with_sql if kind == "easy" else with_steps
            text = reply_text(f"din_{kind}", kind, show, links=links)
            sql = sql_of(text.rpartition("SQL:")[2])
            if sql is None or not self.correct:
                return Draft(sql, text)
            better = reply_text("din_correct", "", lambda _: "", sql=sql)
            return Draft(sql_of(better) or sql, better)
        except _Unasked as unasked:
            return no_draft(unasked.problem)

    def _demonstrations(self, ask: Ask, pool: str, show: Callable[[TrainingExample], str]) -> str:
        known = self._pools.get(pool)
        if known is None:
            return ""
        own = ask.db_id if known.has(ask.db_id) else None
        parts = [show(example) for example in known.similar(ask, self.shots, own)]
        return "\n\n".join(part for part in parts if part)

    def save(self, folder: Path) -> None:
        """Write the questions."""
        saved.write_examples(folder, self._pools[""].every if self._pools else [])

    def load(self, folder: Path) -> None:
        """Read the questions."""
        self._keep(saved.read_examples(folder))


def _joined(drafts: Sequence[Draft]) -> Draft:
    """One draft of several samples."""
    failed = next((draft for draft in drafts if draft.problem is not None), None)
    if failed is not None or len(drafts) == 1:
        return failed or drafts[0]
    first = next((draft for draft in drafts if draft.sql is not None), drafts[0])
    samples = tuple(draft.sql or draft.raw or "" for draft in drafts)
    return Draft(first.sql, first.raw, samples=samples)
