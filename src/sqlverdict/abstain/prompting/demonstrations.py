"""Which known questions are shown to a model beside a new one.

In one database: those most like the question. Across databases, where none is known of the
question's own: the same few of a few databases for every question, drawn with the seed.

Likeness is the cosine over TF-IDF, or over sentence embeddings. TF-IDF needs no further package and
is the default. Any encoder that ``transformers`` can load (a local folder or a hub name) gives
sentence embeddings instead: the mean of its last states.
"""

from __future__ import annotations

import math
import re
from abc import ABC, abstractmethod
from collections import Counter, defaultdict
from collections.abc import Collection, Sequence
from heapq import nsmallest
from random import Random
from typing import Any

from sqlverdict.abstain.method import Ask, TrainingExample
from sqlverdict.errors import MissingExtra, UsageError

TFIDF = "tfidf"
_BATCH = 64
_WORD = re.compile(r"\w+")


class Retriever(ABC):
    """Finds similar texts among those it was made with."""

    @abstractmethod
    def likeness(self, text: str) -> list[float]:
        """How like a text each of them is."""

    def nearest(self, text: str, count: int, without: Collection[int] = ()) -> list[int]:
        """The positions of the most similar texts, best first; ties by position."""
        likeness, left_out = self.likeness(text), set(without)
        positions = (position for position in range(len(likeness)) if position not in left_out)
        return nsmallest(count, positions, key=lambda position: (-likeness[position], position))


def retriever(texts: Sequence[str], embedding: str = TFIDF) -> Retriever:
    """A retriever over texts.

    Args:
        texts: What to search.
        embedding: ``tfidf``, or the path or hub name of an encoder.
    """
    return Tfidf(texts) if embedding == TFIDF else EmbeddingRetriever(texts, embedding)


class Tfidf(Retriever):
    """Cosine over words weighed by how rare they are; an inverted index, so it is quick."""

    def __init__(self, texts: Sequence[str]) -> None:
        self._count = len(texts)
        counts = [Counter(_words(text)) for text in texts]
        seen = Counter(word for one in counts for word in one)
        self._idf = {
            word: math.log((1 + len(texts)) / (1 + times)) + 1 for word, times in seen.items()
        }
        self._postings: dict[str, list[tuple[int, float]]] = defaultdict(list)
        for position, words_of_text in enumerate(counts):
            for word, weight in self._weigh(words_of_text).items():
                self._postings[word].append((position, weight))

    def _weigh(self, counts: Counter[str]) -> dict[str, float]:
        """Weights of length 1; words that no text has carry no weight."""
        weights = {w: times * self._idf[w] for w, times in counts.items() if w in self._idf}
        length = math.sqrt(sum(weight * weight for weight in weights.values()))
        return {word: weight / length for word, weight in weights.items()} if length else {}

    def likeness(self, text: str) -> list[float]:
        """The cosines."""
        likeness = [0.0] * self._count
        for word, weight in self._weigh(Counter(_words(text))).items():
            for position, other in self._postings[word]:
                likeness[position] += weight * other
        return likeness


class EmbeddingRetriever(Retriever):
    """Cosine over sentence embeddings."""

    def __init__(self, texts: Sequence[str], model: str) -> None:
        try:
            import torch
            from transformers import AutoModel, AutoTokenizer
        except ImportError as error:
            raise MissingExtra(f"embedding={model}", "t5") from error
        self._torch: Any = torch
        try:
            self._tokenizer = AutoTokenizer.from_pretrained(model)
            self._model: Any = AutoModel.from_pretrained(model).eval()
        except (OSError, ValueError) as error:
            raise UsageError(
                f"embedding={model}: no encoder could be loaded from there ({error}). Expected "
                f"tfidf, a local folder or a hub name"
            ) from error
        self._known = self._embed(texts)

    def _embed(self, texts: Sequence[str]) -> Any:
        torch = self._torch
        parts = []
        with torch.inference_mode():
            for start in range(0, len(texts), _BATCH):
                chunk = list(texts[start : start + _BATCH])
                encoded = self._tokenizer(
                    chunk, padding=True, truncation=True, max_length=256, return_tensors="pt"
                )
                states = self._model(**encoded).last_hidden_state
                mask = encoded["attention_mask"].unsqueeze(-1)
                mean = (states * mask).sum(1) / mask.sum(1).clamp(min=1)
                parts.append(torch.nn.functional.normalize(mean, dim=-1))
        return torch.cat(parts) if parts else torch.zeros(0, 1)

    def likeness(self, text: str) -> list[float]:
        """The cosines."""
        cosines: list[float] = []
        if len(self._known):
            cosines = (self._known @ self._embed([text])[0]).tolist()
        return cosines


def _words(text: str) -> list[str]:
    return _WORD.findall(text.lower())


class ExamplePool:
    """Examples to choose demonstrations from.

    Args:
        examples: All of them.
        embedding: See :func:`~sqlverdict.abstain.prompting.demonstrations.retriever`.
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
