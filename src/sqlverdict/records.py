"""The nouns: frozen records that every stage reads and none changes.

A :class:`Case` and a :class:`Prediction` come in; stages add :class:`Evidence`;
``verdicts.py`` makes a :class:`Judgement`; a :class:`Result` is one line of the run log.
Records that every case makes anew are msgspec structs, which are made ten times as fast.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property
from typing import TYPE_CHECKING, Literal

import msgspec

from sqlverdict.evidence import Evidence as Evidence
from sqlverdict.evidence import Relation as Relation
from sqlverdict.reasons import LIMIT_REASONS as LIMIT_REASONS
from sqlverdict.reasons import REASONS as REASONS
from sqlverdict.reasons import Fault as Fault
from sqlverdict.reasons import Reason as Reason

if TYPE_CHECKING:
    from sqlglot.expressions import Expr

Cell = None | int | float | str | bytes
Row = tuple[Cell, ...]
Role = Literal["gold", "prediction"]

RESULT_SCHEMA = 3
"""Version of the run log's line format; readers refuse a newer one."""


class Verdict(StrEnum):
    """What the evidence amounts to."""

    CORRECT = "correct"
    INCORRECT = "incorrect"
    NEEDS_REVIEW = "needs_review"
    ABSTAINED_RIGHT = "abstained_right"
    ABSTAINED_WRONG = "abstained_wrong"
    UNSCORED = "unscored"


@dataclass(frozen=True)
class Contract:
    """How one case wants its answers compared; unset fields leave the preset's choice."""

    order: Literal["auto", "respect", "ignore"] | None = None
    columns: Literal["any_order", "same_order"] | None = None
    float_rel: float | None = None
    float_abs: float | None = None


@dataclass(frozen=True)
class Recording:
    """What was recorded about a case and its prediction elsewhere; it stands in for running them.

    Attributes:
        golds: What each gold gave, as far as the record keeps it.
        prediction: What the prediction gave.
        equal: Whether the results matched, as recorded; ``None``: the record does not say.
        whole: Whether both answers are kept whole; of others no relation can be told.
        ordered: Whether the answers keep the order of their rows.
        gold_text: The gold's answer as recorded, for people and judges.
        prediction_text: The prediction's answer as recorded.
        schema_text: The schema as recorded.
        replies: What a language model said about the case, in the order it was asked.
        model: The model that said it.
        has_results: Whether the answers themselves are kept, and not only whether they matched.
        verdicts: What judges said, by name: 1 right, 0 wrong, anything between: no opinion.
        about: The prediction's SQL, where the record is known to be about that text alone.
        use: ``stands_in``: nothing is run. ``beside``: the database is at hand and the queries
            are run. ``other_prediction``: it is about another prediction and counts for nothing.
    """

    golds: tuple[Outcome, ...]
    prediction: Outcome
    equal: bool | None
    whole: bool = True
    ordered: bool = False
    gold_text: str = ""
    prediction_text: str = ""
    schema_text: str = ""
    replies: tuple[str, ...] = ()
    model: str = ""
    has_results: bool = True
    verdicts: Mapping[str, float] = field(default_factory=dict)
    about: str | None = None
    use: Literal["stands_in", "beside", "other_prediction"] = "stands_in"


@dataclass(frozen=True)
class Case:
    """A question, its gold queries (none: unanswerable) and its database.

    ``recorded`` holds what is known of it and of one prediction from elsewhere.
    """

    id: str
    db_id: str
    question: str = ""
    golds: tuple[str, ...] = ()
    database: str | None = None
    answerable: bool = True
    difficulty: str | None = None
    knowledge: str = ""
    contract: Contract | None = None
    tags: Mapping[str, str] = field(default_factory=dict)
    recorded: Recording | None = field(default=None, repr=False)

    @property
    def recorded_answers(self) -> Recording | None:
        """The record, where it stands in for running the queries."""
        record = self.recorded
        return record if record is not None and record.use == "stands_in" else None


@dataclass(frozen=True)
class Prediction:
    """What a system said for one case: SQL, or an abstention, or text without SQL."""

    case_id: str
    sql: str | None = None
    abstained: bool = False
    confidence: float | None = None
    samples: tuple[str, ...] = ()
    raw: str | None = None

    def __post_init__(self) -> None:
        if self.abstained and self.sql is not None:
            raise ValueError(f"prediction {self.case_id!r} both abstains and gives SQL")


@dataclass(frozen=True)
class Query:
    """A parsed statement and what its tree says about it."""

    sql: str
    dialect: str
    tree: Expr
    tables: tuple[str, ...]
    columns: tuple[str, ...]
    features: frozenset[str]


@dataclass(frozen=True)
class ParseFailure:
    """Text that is not one SELECT statement of its dialect, and where it stops being one."""

    sql: str
    dialect: str
    reason: Reason
    message: str
    line: int | None = None
    column: int | None = None


ParseResult = Query | ParseFailure
"""What the parser makes of a text; either keeps the text."""


class Answer(msgspec.Struct, frozen=True, dict=True):
    """The rows a query returned, in the engine's order.

    ``volatile`` marks an answer that depends on the clock or on chance. ``lasting`` is false
    where it may: a date function got a value that could be ``'now'``. It is not stored then.
    ``driver_rows`` holds the values as the driver gave them, where the run asks for them.
    """

    columns: tuple[str, ...]
    rows: list[Row]
    seconds: float = 0.0
    volatile: bool = False
    lasting: bool = True
    driver_rows: list[tuple[object, ...]] | None = None

    @cached_property
    def bag(self) -> dict[Row, int]:
        """How often each row occurs; a plain dict, which compares faster than a Counter."""
        return dict(Counter(self.rows))


@dataclass(frozen=True)
class Failure:
    """A query that gave no answer; a value, never an exception.

    ``fault`` is set where neither query is to blame (a missing or broken database).
    ``repeatable`` is false where another run might go better (a wall-clock limit).
    """

    reason: Reason
    message: str
    fault: Fault | None = None
    seconds: float = 0.0
    repeatable: bool = True


Outcome = Answer | Failure


class Comparison(msgspec.Struct, frozen=True):
    """Whether two answers are the same; ``None`` means the gold leaves it open.

    ``columns[i]`` is the prediction's column that stands for gold column ``i``.
    """

    equal: bool | None
    reasons: tuple[Reason, ...] = ()
    columns: tuple[int, ...] | None = None
    message: str = ""


class Score(msgspec.Struct, frozen=True):
    """A metric's value for one case; ``None`` is unscored, never zero."""

    value: float | None
    reasons: tuple[Reason, ...] = ()


class Judgement(msgspec.Struct, frozen=True):
    """A verdict, whose fault it is where there is none, and the reasons.

    ``situation`` names what the evidence amounts to. ``p_right`` is the probability that people
    would call the prediction right, by their labels in such situations; ``None``: not known.
    ``p_deviation`` is how far it may be off, as a standard deviation.
    """

    verdict: Verdict
    fault: Fault | None = None
    reasons: tuple[Reason, ...] = ()
    situation: str = ""
    p_right: float | None = None
    p_deviation: float | None = None


@dataclass(frozen=True)
class Result:
    """One line of the run log.

    ``database`` is the digest of the database that the case was examined on. ``final`` is false
    where the result rests on something that may go away, such as a missing database, a judge
    that could not be asked or a limit in seconds: a resumed run does the case again.
    ``situation``, ``p_right`` and ``p_deviation`` are those of the :class:`Judgement`.
    """

    index: int
    id: str
    db_id: str
    question: str
    gold: tuple[str, ...]
    prediction: str | None
    abstained: bool
    verdict: Verdict
    fault: Fault | None = None
    scores: Mapping[str, float | None] = field(default_factory=dict)
    reasons: tuple[str, ...] = ()
    evidence: tuple[Evidence, ...] = ()
    timings: Mapping[str, float] = field(default_factory=dict)
    answerable: bool = True
    difficulty: str | None = None
    confidence: float | None = None
    message: str = ""
    tags: Mapping[str, str] = field(default_factory=dict)
    schema: int = RESULT_SCHEMA
    database: str = ""
    final: bool = True
    situation: str = ""
    p_right: float | None = None
    p_deviation: float | None = None
