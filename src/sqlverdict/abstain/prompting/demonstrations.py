"""Which known questions are shown to a model beside a new one.

In one database: those most like the question. Across databases, where none is known of the
question's own: the same few of a few databases for every question, drawn with the seed.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from random import Random

from sqlverdict.abstain.method import Ask, TrainingExample
from sqlverdict.abstain.prompting.retrieve import TFIDF, Retriever, retriever


class ExamplePool:
    """Examples to choose demonstrations from.

    Args:
        examples: All of them.
        embedding: See :func:`~sqlverdict.abstain.prompting.retrieve.retriever`.
    """

    def __init__(self, examples: Sequence[TrainingExample], embedding: str = TFIDF) -> None:
        self._embedding = embedding
        self.by_database: dict[str, list[TrainingExample]] = defaultdict(list)
        for example in examples:
            self.by_database[example.ask.db_id].append(example)
        self.every = list(examples)
        self._retrievers: dict[str | None, Retriever] = {}

    def __len__(self) -> int:
        return len(self.every)

    def has(self, db_id: str) -> bool:
        """Whether there are examples of a database."""
        return db_id in self.by_database

    def of(self, db_id: str) -> list[TrainingExample]:
        """The examples of a database."""
        return self.by_database.get(db_id, [])

    def similar(self, ask: Ask, count: int, db_id: str | None = None) -> list[TrainingExample]:
        """The examples most like a question, best first, never the question itself.

        Args:
            ask: The question.
            count: How many at most.
            db_id: Only of this database; ``None``: of any.
        """
        known = self.every if db_id is None else self.by_database.get(db_id, [])
        if not known or count < 1:
            return []
        if db_id not in self._retrievers:
            texts = [example.ask.question for example in known]
            self._retrievers[db_id] = retriever(texts, self._embedding)
        itself = [position for position, example in enumerate(known) if _same(example.ask, ask)]
        positions = self._retrievers[db_id].nearest(ask.question, count, itself)
        return [known[position] for position in positions]

    def fixed(self, databases: int, count: int, seed: int) -> list[list[TrainingExample]]:
        """A few examples of each of a few databases, the same for every question."""
        draw = Random(seed)  # noqa: S311 (a choice of examples, no secret)
        full = sorted(name for name, known in self.by_database.items() if len(known) >= count)
        names = full or sorted(self.by_database)
        sample = draw.sample(names, min(databases, len(names)))
        return [
            draw.sample(self.by_database[name], min(count, len(self.by_database[name])))
            for name in sample
        ]


def _same(one: Ask, other: Ask) -> bool:
    return one.id == other.id and one.db_id == other.db_id and one.question == other.question
