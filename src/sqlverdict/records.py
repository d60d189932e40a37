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
from typing import TYPE_CHECKING, Any, Literal

import msgspec

if TYPE_CHECKING:
    from sqlglot.expressions import Expr

Cell = None | int | float | str | bytes
Row = tuple[Cell, ...]
Role = Literal["gold", "prediction"]

RESULT_SCHEMA = 2
"""Version of the run log's line format; readers refuse a newer one."""


class Reason(StrEnum):
    """Why something is not simply right: a closed set, written in run logs."""

    EMPTY_RESULT = "EMPTY_RESULT"
    RESULT_MISSING_ROWS = "RESULT_MISSING_ROWS"
    RESULT_EXTRA_ROWS = "RESULT_EXTRA_ROWS"
    RESULT_MISSING_COLUMNS = "RESULT_MISSING_COLUMNS"
    RESULT_EXTRA_COLUMNS = "RESULT_EXTRA_COLUMNS"
    VALUE_MISMATCH = "VALUE_MISMATCH"
    ORDER_MISMATCH = "ORDER_MISMATCH"
    DUPLICATES_MISMATCH = "DUPLICATES_MISMATCH"
    TIE_UNDETERMINED = "TIE_UNDETERMINED"
    PARSE_ERROR = "PARSE_ERROR"
    EXECUTION_ERROR = "EXECUTION_ERROR"
    EXECUTION_TIMEOUT = "EXECUTION_TIMEOUT"
    GOLD_EXECUTION_ERROR = "GOLD_EXECUTION_ERROR"
    GOLD_EXECUTION_TIMEOUT = "GOLD_EXECUTION_TIMEOUT"
    WRITE_BLOCKED = "WRITE_BLOCKED"
    ROW_LIMIT = "ROW_LIMIT"
    MEMORY_LIMIT = "MEMORY_LIMIT"
    NO_SQL_PRODUCED = "NO_SQL_PRODUCED"
    REFUSED_IN_WORDS = "REFUSED_IN_WORDS"
    NO_TEST_SUITE = "NO_TEST_SUITE"
    UNSUPPORTED_FEATURE = "UNSUPPORTED_FEATURE"
    BUDGET_EXHAUSTED = "BUDGET_EXHAUSTED"
    JUDGE_UNPARSEABLE = "JUDGE_UNPARSEABLE"
    JUDGE_UNAVAILABLE = "JUDGE_UNAVAILABLE"
    GOLD_SUSPECT = "GOLD_SUSPECT"
    AMBIGUOUS_QUESTION = "AMBIGUOUS_QUESTION"
    DATABASE_UNAVAILABLE = "DATABASE_UNAVAILABLE"
    ANSWERED_UNANSWERABLE = "ANSWERED_UNANSWERABLE"
    FACT_BROKEN = "FACT_BROKEN"
    TOOLKIT_ERROR = "TOOLKIT_ERROR"


REASONS: Mapping[Reason, str] = {
    Reason.EMPTY_RESULT: "the prediction returned no row, the gold did",
    Reason.RESULT_MISSING_ROWS: "rows of the gold are missing",
    Reason.RESULT_EXTRA_ROWS: "there are rows that the gold does not have",
    Reason.RESULT_MISSING_COLUMNS: "fewer columns than the gold",
    Reason.RESULT_EXTRA_COLUMNS: "more columns than the gold",
    Reason.VALUE_MISMATCH: "values differ",
    Reason.ORDER_MISMATCH: "the right rows in an order that the gold's ORDER BY forbids",
    Reason.DUPLICATES_MISMATCH: "the right rows, some too often or too seldom",
    Reason.TIE_UNDETERMINED: "the gold's LIMIT cuts through a tie, and this answer fits it too",
    Reason.PARSE_ERROR: "not SQL of this engine",
    Reason.EXECUTION_ERROR: "the engine refused it: an unknown column or table, a wrong call",
    Reason.EXECUTION_TIMEOUT: "stopped at the step or time limit",
    Reason.GOLD_EXECUTION_ERROR: "the gold query itself fails",
    Reason.GOLD_EXECUTION_TIMEOUT: "the gold query itself reaches a limit",
    Reason.WRITE_BLOCKED: "it would write, or touch what is not the database",
    Reason.ROW_LIMIT: "more rows than are kept",
    Reason.MEMORY_LIMIT: "more memory than is allowed",
    Reason.NO_SQL_PRODUCED: "the reply holds no SQL, or nothing at all; not an abstention",
    Reason.REFUSED_IN_WORDS: "the reply refuses in plain words and marks no abstention",
    Reason.NO_TEST_SUITE: "the case has one database alone, so test-suite accuracy would be EX",
    Reason.UNSUPPORTED_FEATURE: "several statements, EXPLAIN, or beyond our parser",
    Reason.BUDGET_EXHAUSTED: "the search for an answer was given up",
    Reason.JUDGE_UNPARSEABLE: "the judge's reply could not be read",
    Reason.JUDGE_UNAVAILABLE: "the judge could not be asked",
    Reason.GOLD_SUSPECT: "there is evidence against the gold",
    Reason.AMBIGUOUS_QUESTION: "the question has several readings",
    Reason.DATABASE_UNAVAILABLE: "the database is missing or cannot be read",
    Reason.ANSWERED_UNANSWERABLE: "SQL was given for a question that has no answer here",
    Reason.FACT_BROKEN: "a proof rests on what the schema declares and the data break",
    Reason.TOOLKIT_ERROR: "a bug of ours; please report it",
}
"""What each reason means, in words."""

LIMIT_REASONS = frozenset({Reason.EXECUTION_TIMEOUT, Reason.ROW_LIMIT, Reason.MEMORY_LIMIT})
"""What a query fails with where it reaches a limit. The message does not quote its text."""


class Verdict(StrEnum):
    """What the evidence amounts to."""

    CORRECT = "correct"
    INCORRECT = "incorrect"
    NEEDS_REVIEW = "needs_review"
    ABSTAINED_RIGHT = "abstained_right"
    ABSTAINED_WRONG = "abstained_wrong"
    UNSCORED = "unscored"


class Fault(StrEnum):
    """Whose fault it is that a case is unscored. Never the model's."""

    GOLD = "gold"
    ENGINE = "engine"
    TOOLKIT = "toolkit"


class Rung(StrEnum):
    """The rungs of the ladder of evidence, strongest first."""

    PROVED = "proved"
    REFUTED = "refuted"
    TESTED = "tested"
    RELATED = "related"
    JUDGED = "judged"
    UNKNOWN = "unknown"


@dataclass(frozen=True)
class Contract:
    """How one case wants its answers compared; unset fields leave the preset's choice."""

    order: Literal["auto", "respect", "ignore"] | None = None
    columns: Literal["any_order", "same_order"] | None = None
    float_rel: float | None = None
    float_abs: float | None = None


RECORD = "record"
"""Who says what a case's record adds to the evidence."""
RECORD_DIFFERS = "record_differs"
"""The queries were run, and the record says otherwise whether their results match."""
RECORD_UNUSED = "record_unused"
"""The record is about another prediction."""


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


class Answer(msgspec.Struct, frozen=True, dict=True):
    """The rows a query returned, in the engine's order.

    ``volatile`` marks an answer that depends on the clock or on chance. ``lasting`` is false
    where it may: a date function got a value that could be ``'now'``. It is not stored then.
    """

    columns: tuple[str, ...]
    rows: list[Row]
    seconds: float = 0.0
    volatile: bool = False
    lasting: bool = True

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


@dataclass(frozen=True)
class Relation:
    """How an unequal answer relates to the gold answer, with its proof in ``detail``."""

    kind: str
    detail: Mapping[str, Any] = field(default_factory=dict)


class Comparison(msgspec.Struct, frozen=True):
    """Whether two answers are the same; ``None`` means the gold leaves it open.

    ``columns[i]`` is the prediction's column that stands for gold column ``i``.
    """

    equal: bool | None
    reasons: tuple[Reason, ...] = ()
    columns: tuple[int, ...] | None = None
    message: str = ""


@dataclass(frozen=True)
class Evidence:
    """One thing a stage found out. Evidence is data; verdicts are made elsewhere.

    Attributes:
        rung: How strong it is, and of what kind.
        by: The stage or member that found it.
        agrees: Whether it says that the prediction answers as the gold does; ``None``: open.
        reasons: Reason codes for what does not agree or could not be found out.
        fault: Set where nothing could be found out and the model is not to blame.
        detail: What shows it: a relation's columns, a count, a message.
    """

    rung: Rung
    by: str
    agrees: bool | None = None
    reasons: tuple[Reason, ...] = ()
    fault: Fault | None = None
    detail: Mapping[str, Any] = field(default_factory=dict)


class Score(msgspec.Struct, frozen=True):
    """A metric's value for one case; ``None`` is unscored, never zero."""

    value: float | None
    reasons: tuple[Reason, ...] = ()


@dataclass(frozen=True)
class Judgement:
    """A verdict, whose fault it is where there is none, and the reasons.

    ``situation`` names what the evidence amounts to. ``p_right`` is the probability that people
    would call the prediction right, by their labels in such situations; ``None``: not known.
    ``p_deviation`` is how far it may be off, as a standard deviation.
    """

    verdict: Verdict
    fault: Fault | None = None
    reasons: tuple[Reason, ...] = ()
    situation: str = field(default="", compare=False)
    p_right: float | None = field(default=None, compare=False)
    p_deviation: float | None = field(default=None, compare=False)


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
