"""The nouns: frozen records that every stage reads and none changes.

A :class:`Case` and a :class:`Prediction` come in; stages add :class:`Evidence`;
``verdicts.py`` makes a :class:`Judgement`; a :class:`Result` is one line of the run log.
Records that every case makes anew are msgspec structs, which are made ten times as fast.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property
from hashlib import sha256
from typing import TYPE_CHECKING, Literal, TypeVar

import msgspec

from sqlverdict.case_parts import AskedQuestion, as_texts, check_turn, id_text
from sqlverdict.case_parts import Contract as Contract
from sqlverdict.case_parts import PredictionUsage as PredictionUsage
from sqlverdict.case_parts import Script as Script
from sqlverdict.errors import UsageError
from sqlverdict.evidence import Evidence as Evidence
from sqlverdict.evidence import Relation as Relation
from sqlverdict.evidence_parts import LoggedAnswers
from sqlverdict.exact_number import ExactNumber as ExactNumber
from sqlverdict.reasons import LIMIT_REASONS as LIMIT_REASONS
from sqlverdict.reasons import REASONS as REASONS
from sqlverdict.reasons import Fault as Fault
from sqlverdict.reasons import Reason as Reason

if TYPE_CHECKING:
    from sqlglot.expressions import Expr

E = TypeVar("E", bound="Expr")
Cell = None | int | float | str | bytes
Row = tuple[Cell, ...]
Role = Literal["gold", "prediction"]

RESULT_SCHEMA = 4
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
        categories: What it said about kinds of error or of difference, as it was recorded.
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
    categories: str = ""
    model: str = ""
    has_results: bool = True
    verdicts: Mapping[str, float] = field(default_factory=dict)
    about: str | None = None
    use: Literal["stands_in", "beside", "other_prediction"] = "stands_in"


@dataclass(frozen=True)
class Case(AskedQuestion):
    """A question, its gold queries (none: unanswerable) and its database.

    ``gold_answers`` are golds that come as results instead of queries: predictions are compared
    with them, and queries in ``golds`` are then for readers alone. ``recorded`` holds what is
    known of the case and of one prediction from elsewhere. ``script`` is set where the golds and
    predictions are statements that may write. ``gold_database`` is set where the golds run on
    another database with the same data, of another engine.

    A case may be one turn of a conversation: ``session`` names that, ``turn`` counts from 1, and
    ``earlier`` has the questions of the turns before it.

    Examples:
        >>> sv.Case("1", "shop", "How many?", ("SELECT count(*) FROM item",), "shop.sqlite").db_id
        'shop'
    """

    id: str
    db_id: str
    question: str = ""
    golds: tuple[str, ...] = ()
    gold_answers: tuple[Answer, ...] = field(default=(), repr=False, kw_only=True)
    database: str | None = None
    answerable: bool = True
    difficulty: str | None = None
    knowledge: str = ""
    contract: Contract | None = None
    tags: Mapping[str, str] = field(default_factory=dict)
    recorded: Recording | None = field(default=None, repr=False)
    script: Script | None = field(default=None, kw_only=True)
    gold_database: str | None = field(default=None, kw_only=True)
    session: str = field(default="", kw_only=True)
    turn: int | None = field(default=None, kw_only=True)
    earlier: tuple[str, ...] = field(default=(), kw_only=True)

    def __post_init__(self) -> None:
        # Made for every case: what is as it should be stays.
        if type(self.id) is not str:
            object.__setattr__(self, "id", id_text(self.id, "a case's id"))
        if type(self.db_id) is not str:
            object.__setattr__(self, "db_id", id_text(self.db_id, "a case's db_id"))
        golds = as_texts(self.golds, "the golds of case", self.id)
        if golds is not self.golds:
            object.__setattr__(self, "golds", golds)
        path: object = self.database
        if type(path) is not str and isinstance(path, os.PathLike):
            object.__setattr__(self, "database", os.fspath(path))
        if self.session or self.turn is not None or self.earlier:
            check_turn(self.id, self.session, self.turn, self.earlier)

    @property
    def logged_golds(self) -> tuple[str, ...]:
        """The golds as the run log has them: queries, and titles of results."""
        return (*self.golds, *(answer.title for answer in self.gold_answers))

    @property
    def recorded_answers(self) -> Recording | None:
        """The record, where it stands in for running the queries."""
        record = self.recorded
        return record if record is not None and record.use == "stands_in" else None


@dataclass(frozen=True)
class Prediction:
    """What a system said for one case: SQL, a result, an abstention, or text without SQL.

    ``answer`` is a result that the system gives instead of SQL; nothing is run for it. ``usage``
    is what the system spent on it.

    Examples:
        >>> sv.Prediction("1", "SELECT 3").responds, sv.Prediction("1", abstained=True).responds
        (True, False)
    """

    case_id: str
    sql: str | None = None
    abstained: bool = False
    confidence: float | None = None
    samples: tuple[str, ...] = ()
    raw: str | None = None
    answer: Answer | None = None
    usage: PredictionUsage | None = None

    def __post_init__(self) -> None:
        # Made for every case: what is as it should be stays.
        if type(self.case_id) is not str:
            object.__setattr__(self, "case_id", id_text(self.case_id, "a prediction's case_id"))
        if self.samples != ():
            object.__setattr__(self, "samples", as_texts(self.samples, "samples of", self.case_id))
        if self.sql is not None and not isinstance(self.sql, str):
            raise UsageError(
                f"the SQL of prediction {self.case_id!r} is {type(self.sql).__name__}. Expected "
                f"text, or None"
            )
        if self.abstained and self.sql is not None:
            raise ValueError(f"prediction {self.case_id!r} both abstains and gives SQL")
        if self.abstained and self.answer is not None:
            raise ValueError(f"prediction {self.case_id!r} both abstains and gives an answer")

    @property
    def responds(self) -> bool:
        """Whether there is SQL or an answer: something that can be right or wrong."""
        # Asked several times a case: to strip a text would copy it.
        return self.answer is not None or bool(self.sql and not self.sql.isspace())


@dataclass(frozen=True)
class Query:
    """A parsed statement and what its tree says about it."""

    sql: str
    dialect: str
    tree: Expr
    tables: tuple[str, ...]
    columns: tuple[str, ...]
    features: frozenset[str]

    @cached_property
    def nodes(self) -> tuple[Expr, ...]:
        """The nodes of the tree, level by level; it is frozen, so one walk is enough."""
        return tuple(self.tree.walk())

    def find_all(self, *kinds: type[E]) -> Iterator[E]:
        """The nodes of some types, in the order of ``tree.find_all``, without a walk of its own."""
        return (node for node in self.nodes if isinstance(node, kinds))


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
    ``source`` names the file of an answer that no query gave.
    """

    columns: tuple[str, ...]
    rows: list[Row]
    seconds: float = 0.0
    volatile: bool = False
    lasting: bool = True
    driver_rows: list[tuple[object, ...]] | None = None
    source: str = ""

    @property
    def values(self) -> Sequence[tuple[object, ...]]:
        """The rows as the driver gave them; our cells, where the two are the same."""
        return self.rows if self.driver_rows is None else self.driver_rows

    @property
    def title(self) -> str:
        """An answer that came as a file, in one line; an SQL comment, for it stands for a query."""
        digest = sha256(repr((self.columns, self.rows)).encode("utf-8", "backslashreplace"))
        shape = f"{len(self.rows)} x {len(self.columns)}"
        return f"-- result {self.source}: {shape}, sha256 {digest.hexdigest()[:12]}"

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


class LabelBasis(msgspec.Struct, frozen=True):
    """What the probability that an answer is right rests on: labels of answers like it.

    Attributes:
        low: The lower bound of the probability, at 95 %, for labels of other people.
        high: The upper bound.
        right: How many labels say right.
        labels: How many labels there are.
        sets: In how many label sets.
        own: Whether the user's own labels are counted (``agree --calibrate``).
    """

    low: float
    high: float
    right: int
    labels: int
    sets: int
    own: bool = False


class Judgement(msgspec.Struct, frozen=True):
    """A verdict, whose fault it is where there is none, and the reasons.

    ``situation`` names what the evidence amounts to. ``p_right`` is the probability that people
    would call the prediction right, and ``p_basis`` the labels that say so; ``None``: nobody
    labelled such predictions.
    """

    verdict: Verdict
    fault: Fault | None = None
    reasons: tuple[Reason, ...] = ()
    situation: str = ""
    p_right: float | None = None
    p_basis: LabelBasis | None = None


class Result(AskedQuestion, msgspec.Struct, frozen=True, weakref=True):
    """One line of the run log.

    ``database`` is the digest of the database that the case was examined on, ``inputs`` that of the
    case and the prediction. ``final`` is false
    where the result rests on something that may go away, such as a missing database, a judge
    that could not be asked, a limit in seconds or the clock: a resumed run does the case again.
    ``situation``, ``p_right`` and ``p_basis`` are those of the :class:`Judgement`. ``answers``
    is what both queries returned; ``None``: nothing was run. A line has
    ``usage`` where the prediction has it, and ``knowledge`` where the case has it; ``session``,
    ``turn`` and ``earlier`` where the case is a turn of a conversation.

    Examples:
        >>> cases = [{"id": 1, "gold": "SELECT 1", "prediction": "SELECT 2"}]
        >>> sv.evaluate(cases, db="shop.sqlite")["1"].scores
        {'ex': 0.0}
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
    scores: Mapping[str, float | None] = {}
    reasons: tuple[str, ...] = ()
    evidence: tuple[Evidence, ...] = ()
    timings: Mapping[str, float] = {}
    answerable: bool = True
    difficulty: str | None = None
    confidence: float | None = None
    message: str = ""
    tags: Mapping[str, str] = {}
    schema: int = RESULT_SCHEMA
    database: str = ""
    inputs: str = ""
    final: bool = True
    situation: str = ""
    p_right: float | None = None
    p_basis: LabelBasis | None = None
    answers: LoggedAnswers | None = None
    usage: PredictionUsage | None = None
    knowledge: str = ""
    session: str = ""
    turn: int | None = None
    earlier: tuple[str, ...] = ()
