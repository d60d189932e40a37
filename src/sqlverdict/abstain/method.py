"""What an abstention method is: a generator f writes SQL, a detector g says whether to give it.

A method is one file in ``generators/`` or ``detectors/``: a dataclass, decorated by
``@ABSTAINERS.member``, whose fields are its options (``voting(n=5, equality=proof)``) and whose
``field(init=False)`` fields are what it learned. Methods never see a gold query of the question
that they are asked about: an :class:`Ask` has none.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Protocol

from sqlverdict.errors import UsageError
from sqlverdict.parse.schema import Schema
from sqlverdict.registry import Registry

if TYPE_CHECKING:
    from sqlverdict.execute.query_runner import QueryRunner
    from sqlverdict.llm.request import Answerer, NoReply

Position = Literal["before", "with", "after"]
"""Where a detector stands: before f, looking inside f (``f[g]``), or after f."""

Need = Literal[
    "answerer", "runner", "examples", "unanswerable", "drafts", "states", "background", "threshold"
]
"""What a method cannot do without: a language model; a place to run queries; questions with
their SQL; unanswerable questions; f's own answers to validation questions, marked right or
wrong; f's encoder states of the training questions; questions of no domain in particular; a
threshold, found on validation questions."""


@dataclass(frozen=True)
class Ask:
    """A question as a method sees it."""

    id: str
    db_id: str
    question: str
    knowledge: str = ""
    schema: Schema | None = field(default=None, repr=False)
    database: str | None = None


@dataclass(frozen=True)
class Draft:
    """What a generator wrote for one question, before anybody decided whether to give it.

    Attributes:
        sql: The query; ``None`` where the text holds none.
        raw: The text it came from, where it is not the query itself.
        abstained: The generator itself says that it does not answer.
        samples: Repeated answers; one without SQL keeps its text.
        probabilities: The likeliest token's probability at each step.
        entropies: The entropy of the token's distribution at each step, in nats.
        state: The mean of the encoder's states.
        confidence: What the system itself said, where it did.
        problem: Why there is no draft: the model could not be asked.
    """

    sql: str | None = None
    raw: str | None = None
    abstained: bool = False
    samples: tuple[str, ...] = ()
    probabilities: tuple[float, ...] = ()
    entropies: tuple[float, ...] = ()
    state: tuple[float, ...] = field(default=(), repr=False)
    confidence: float | None = None
    problem: NoReply | None = None


@dataclass(frozen=True)
class TrainingExample:
    """A question whose answer is known, to learn from.

    ``draft`` is what the generator said to it, ``correct`` whether that is right; ``None``
    where that was not found out. ``marked_on`` is the database on which answers are marked; a
    path that leads nowhere where they cannot be, though the question can be asked.
    """

    ask: Ask
    answerable: bool = True
    sql: str | None = None
    draft: Draft | None = None
    correct: bool | None = None
    marked_on: str | None = None


@dataclass(frozen=True)
class TrainingData:
    """All there is to learn from.

    Attributes:
        train: Questions with their SQL, and unanswerable ones where there are any.
        validation: Further such questions, not trained on: for thresholds and error detectors.
        background: Questions of no domain in particular.
    """

    train: Sequence[TrainingExample] = ()
    validation: Sequence[TrainingExample] = ()
    background: Sequence[TrainingExample] = ()

    def answerable(self) -> list[TrainingExample]:
        """The training questions that have an answer."""
        return [example for example in self.train if example.answerable]

    def unanswerable(self) -> list[TrainingExample]:
        """The training questions that have none, the background's included."""
        every = (*self.train, *self.background)
        return [example for example in every if not example.answerable]


@dataclass(frozen=True)
class Detection:
    """What a detector found about one question.

    Attributes:
        confidence: Higher is surer that an answer can be given and is right; on the detector's
            own scale. ``None`` only where there is a problem.
        sql: The query to give instead of the draft's, where the detector chose among several.
        note: What it saw, in a few words.
        problem: Why nothing was found: the model could not be asked.
    """

    confidence: float | None
    sql: str | None = None
    note: str = ""
    problem: NoReply | None = None


@dataclass(frozen=True)
class Shot:
    """A demonstration in a prompt: what is asked, and what is answered."""

    ask: Ask
    answer: str


class Examples(Protocol):
    """Known questions to choose demonstrations from."""

    def has(self, db_id: str) -> bool:
        """Whether there are examples of a database."""
        ...

    def similar(self, ask: Ask, count: int, db_id: str | None = None) -> list[TrainingExample]:
        """The examples most like a question, best first, never the question itself."""
        ...

    def of(self, db_id: str) -> Sequence[TrainingExample]:
        """The examples of one database."""
        ...


class Style(Protocol):
    """How a detector inside a prompt changes the prompt: its demonstrations and its reading."""

    @property
    def prompt(self) -> str:
        """The name of the prompt."""
        ...

    def shots(
        self,
        groups: Sequence[Sequence[TrainingExample]],
        answerable: Examples,
        unanswerable: Examples,
        ask: Ask,
        seed: int,
    ) -> list[list[Shot]]:
        """The demonstrations of each group, given the answerable examples that f chose."""
        ...

    def read(self, text: str) -> str | None:
        """The SQL in a reply."""
        ...


@dataclass(frozen=True)
class GeneratorNeeds:
    """What the detectors in brackets want of the generator.

    Attributes:
        text: SQL at all; without it, states alone.
        samples: How many answers to sample (0: one answer, the likeliest).
        tokens: The probabilities and entropies of the tokens.
        states: The encoder's states.
        style: How the prompt is changed.
    """

    text: bool = True
    samples: int = 0
    tokens: bool = False
    states: bool = False
    style: Style | None = None

    def __or__(self, other: GeneratorNeeds) -> GeneratorNeeds:
        if self.style is not None and other.style is not None:
            raise UsageError("two detectors in one pair of brackets both change the prompt")
        return GeneratorNeeds(
            self.text or other.text,
            max(self.samples, other.samples),
            self.tokens or other.tokens,
            self.states or other.states,
            self.style or other.style,
        )


def _say_nothing(line: str) -> None:
    del line


@dataclass(frozen=True)
class Tools:
    """What methods may use beside their input: a model, a runner, a device.

    Attributes:
        answerer: Answers requests to a language model.
        model: The model's name.
        runner: Runs queries.
        concurrency: How many requests may be under way at a time.
        max_tokens: The most tokens of one reply.
        prompts: A folder of prompts that replace ours.
        device: Where models run: ``auto``, ``cpu``, ``cuda``.
        seed: For everything that draws.
        say: Told how far the work is, a line at a time.
    """

    answerer: Answerer | None = None
    model: str = ""
    runner: QueryRunner | None = None
    concurrency: int = 4
    max_tokens: int = 512
    prompts: Path | None = None
    device: str = "auto"
    seed: int = 0
    say: Callable[[str], None] = _say_nothing


class Method(Protocol):
    """What generators and detectors share. Plain class attributes satisfy the properties."""

    @property
    def name(self) -> str:
        """The method's name, which is its file's."""
        ...

    @property
    def version(self) -> int:
        """Rises whenever a decision can change."""
        ...

    @property
    def needs(self) -> frozenset[Need]:
        """What it cannot do without."""
        ...

    def fit(self, training: TrainingData, tools: Tools) -> None:
        """Learn. A method that learns nothing does nothing."""
        ...

    def save(self, folder: Path) -> None:
        """Write what was learned."""
        ...

    def load(self, folder: Path) -> None:
        """Read what :meth:`save` wrote."""
        ...


class Generator(Method, Protocol):
    """f: writes SQL for questions."""

    def generate(self, asks: Sequence[Ask], needs: GeneratorNeeds, tools: Tools) -> list[Draft]:
        """A draft for each question, in the same order.

        Raises:
            UsageError: it cannot give what is needed, or was not fitted.
        """
        ...


class Detector(Method, Protocol):
    """g: says for each question whether an answer should be given."""

    @property
    def position(self) -> Position:
        """Where it stands."""
        ...

    @property
    def threshold(self) -> float | None:
        """The least confidence with which an answer is given; ``None``: not known yet."""
        ...

    @threshold.setter
    def threshold(self, value: float | None) -> None: ...

    def generator_needs(self) -> GeneratorNeeds:
        """What it wants of the generator."""
        ...

    def score(self, drafts: Sequence[tuple[Ask, Draft | None]], tools: Tools) -> list[Detection]:
        """How sure it is of each question; drafts are ``None`` before f."""
        ...

    def decide(self, finding: Detection) -> bool:
        """Whether to answer."""
        ...


ABSTAINERS: Registry[Any] = Registry(
    "abstention method",
    ("sqlverdict.abstain.generators", "sqlverdict.abstain.detectors"),
    "sqlverdict.abstainers",
)


def is_generator(method: Any) -> bool:
    """Whether a method writes SQL."""
    return callable(getattr(method, "generate", None))
