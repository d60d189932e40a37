"""A T5, trained on questions and queries, writes the query and shows how sure it was.

``model`` is ``scratch`` (a new small model with a tokenizer learned from the data), a local
folder or a hub name. Runs on a GPU where there is one. Gives token probabilities, entropies and
encoder states, and samples.

Learns from:
    questions with their queries (training and, to choose the best weights, validation);
    ``train=false`` uses a ready-made model as it is
Source:
    TrustSQL, section 4.1 (T5): the question, followed by the serialised schema
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar

from sqlverdict.abstain.base import Learner
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
from sqlverdict.abstain.neural.decode import Decoding, decode_texts
from sqlverdict.abstain.neural.model import (
    SCRATCH,
    Size,
    load_model,
    pick_device,
    readable,
    ready_model,
    save_model,
)
from sqlverdict.abstain.neural.train import Training, train
from sqlverdict.abstain.prompting.schema_text import one_line
from sqlverdict.errors import UsageError
from sqlverdict.load.replies.fenced import is_plain_sql


@ABSTAINERS.member
@dataclass(kw_only=True)
class T5(Learner):
    """The fine-tuned generator; its fields are its options."""

    name: ClassVar[str] = "t5"
    version: ClassVar[int] = 1
    needs: ClassVar[frozenset[Need]] = frozenset({"examples"})

    model: str = "scratch"
    train: bool = True
    schema: bool = True
    epochs: int = 10
    batch: int = 16
    rate: float | None = None
    smoothing: float = 0.0
    source: int = 512
    target: int = 512
    beams: int = 1
    write: int = 32
    sample_temperature: float = 1.0
    probe: int = 200
    every: int = 1
    seconds: float = 0.0
    width: int = 256
    layers: int = 4
    heads: int = 4
    dropout: float = 0.1
    vocabulary: int = 4000
    history: list[Any] = field(default_factory=list, init=False, repr=False)
    _ready: tuple[Any, Any] | None = field(default=None, init=False, repr=False)

    def text_of(self, ask: Ask) -> str:
        """What the model reads: the question, what is known about it, the schema."""
        parts = [ask.question.strip(), ask.knowledge.strip()]
        parts.append(one_line(ask.schema) if self.schema else "")
        return readable(" | ".join(" ".join(part.split()) for part in parts if part))

    def fit(self, training: TrainingData, tools: Tools) -> None:
        """Train, or fetch a ready-made model."""
        if not self.train:
            if self.model == SCRATCH:
                raise UsageError("t5(train=false) needs a ready-made model: t5(model=PATH)")
            self._ready = load_model(self.model)
            return
        pairs = self._pairs(training.train)
        size = Size(self.width, self.layers, self.heads, self.dropout)
        model, tokenizer = ready_model(self.model, pairs, size, self.vocabulary, tools.seed)
        how = Training(
            epochs=self.epochs,
            batch=self.batch,
            rate=self.rate or (1e-3 if self.model == SCRATCH else 1e-4),
            smoothing=self.smoothing,
            longest_source=self.source,
            longest_target=self.target,
            probe=self.probe,
            every=self.every,
            seconds=self.seconds,
            seed=tools.seed,
        )
        device, known = pick_device(tools.device), self._pairs(training.validation)
        self.history = train(model, tokenizer, pairs, how, device, known, tools.say)
        self._ready = (model, tokenizer)

    def _pairs(self, examples: Sequence[TrainingExample]) -> list[tuple[str, str]]:
        return [
            (self.text_of(example.ask), readable(example.sql.strip()))
            for example in examples
            if example.answerable and example.sql
        ]

    def generate(self, asks: Sequence[Ask], needs: GeneratorNeeds, tools: Tools) -> list[Draft]:
        """Write a query for each question."""
        if self._ready is None:
            raise UsageError("t5 was not fitted; see sqlverdict abstain fit")
        if needs.style is not None:
            raise UsageError("t5 has no prompt to be changed; demo and verbal are for sqlprompt")
        how = Decoding(
            batch=self.write,
            longest_source=self.source,
            longest_target=self.target,
            beams=self.beams,
            tokens=needs.tokens,
            states=needs.states,
            text=needs.text,
            samples=needs.samples,
            sample_temperature=self.sample_temperature,
        )
        sources = [self.text_of(ask) for ask in asks]
        model, tokenizer = self._ready
        texts = decode_texts(model, tokenizer, sources, how, pick_device(tools.device), tools.seed)
        return [
            Draft(
                one.text if is_plain_sql(one.text) else None,
                one.text,
                samples=one.samples,
                probabilities=one.probabilities,
                entropies=one.entropies,
                state=one.state,
            )
            for one in texts
        ]

    def save(self, folder: Path) -> None:
        """Write the weights and the tokenizer."""
        if self._ready is not None:
            save_model(*self._ready, folder)

    def load(self, folder: Path) -> None:
        """Read the weights and the tokenizer."""
        self._ready = load_model(str(folder))
