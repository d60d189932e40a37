"""What became of each item: one of six cells, or unscored.

========================  =========  ==========================================
cell                      worth      when
========================  =========  ==========================================
correct                   +1         answerable, answered correctly
abstained_answerable      0          answerable, held back
wrong                     -c         answerable, answered wrongly
needs_review              0          answerable, answered; a person must decide (by ``verdict``)
answered_unanswerable     -c         no query answers it, and one was given
abstained_unanswerable    +1         no query answers it, held back
========================  =========  ==========================================

Three things are neither a right nor a plainly wrong answer: a query that fails, one that is
stopped at a limit, and text without SQL. Each is counted as such and enters a cell by policy:
harm (the user got something useless) or abstain (the failure is caught and shown as "no
answer"). A missing prediction is harm whatever the policy: it is never an abstention. Queries
for unanswerable questions are not run, so among these only text without SQL is told apart.

Unscored items (a gold that fails, a database that is missing or incomplete, a label that leaves
them open) are in no cell and in no denominator; they are counted apart.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from enum import StrEnum
from functools import cache
from typing import Literal

from sqlverdict.errors import UsageError
from sqlverdict.evidence import Failed, Proved, Refuted, Related
from sqlverdict.load.ehrsql import UNSCORABLE
from sqlverdict.load.replies.fenced import extract_sql
from sqlverdict.records import LIMIT_REASONS, Reason, Result, Verdict
from sqlverdict.score.deciding import counted_verdict

Treatment = Literal["harm", "abstain"]
PROVED = "proved"


class Cell(StrEnum):
    """The cells of the outcome table: TrustSQL's five, and what a person must decide."""

    CORRECT = "correct"
    ABSTAINED_ANSWERABLE = "abstained_answerable"
    WRONG = "wrong"
    NEEDS_REVIEW = "needs_review"
    ANSWERED_UNANSWERABLE = "answered_unanswerable"
    ABSTAINED_UNANSWERABLE = "abstained_unanswerable"


ANSWERED = frozenset({Cell.CORRECT, Cell.WRONG, Cell.ANSWERED_UNANSWERABLE})
"""The cells of answers that are right or wrong."""


class Mishap(StrEnum):
    """What else than a plain answer or abstention a prediction may be."""

    ERROR = "error"
    TIMEOUT = "timeout"
    NO_SQL = "no_sql"
    MISSING = "missing"


_MISHAPS: Mapping[str, Mishap] = {
    Reason.EXECUTION_ERROR: Mishap.ERROR,
    Reason.PARSE_ERROR: Mishap.ERROR,
    Reason.WRITE_BLOCKED: Mishap.ERROR,
    Reason.UNSUPPORTED_FEATURE: Mishap.ERROR,
    **dict.fromkeys(LIMIT_REASONS, Mishap.TIMEOUT),
    Reason.NO_SQL_PRODUCED: Mishap.NO_SQL,
    Reason.REFUSED_IN_WORDS: Mishap.NO_SQL,
}


@dataclass(frozen=True)
class FailurePolicy:
    """How mishaps count: errors, time-outs, replies without SQL.

    Attributes:
        error: A query that the engine refuses.
        timeout: A query stopped at a limit of time, steps, rows or memory.
        no_sql: A reply without SQL.
    """

    error: Treatment = "harm"
    timeout: Treatment = "harm"
    no_sql: Treatment = "harm"

    def __post_init__(self) -> None:
        for name, treatment in asdict(self).items():
            if treatment not in ("harm", "abstain"):
                raise UsageError(f"{name} is to count as {treatment!r}; expected harm or abstain")

    def abstains(self, mishap: Mishap) -> bool:
        """Whether a mishap counts as an abstention."""
        return mishap is not Mishap.MISSING and getattr(self, mishap.value) == "abstain"


@dataclass(frozen=True)
class ItemOutcome:
    """The outcome of one item: its cell (``None``: unscored), and the mishap if there was one."""

    cell: Cell | None
    mishap: Mishap | None = None


@dataclass(frozen=True)
class OutcomeTable:
    """How many items are in each cell, and what is beside the table.

    Attributes:
        correct: Answerable, answered correctly.
        abstained_answerable: Answerable, held back.
        wrong: Answerable, answered wrongly.
        answered_unanswerable: Unanswerable, answered.
        abstained_unanswerable: Unanswerable, held back.
        unscored: In no cell.
        mishaps: Errors, time-outs, replies without SQL and missing predictions among the above.
        needs_review: Answerable, answered, and undecided.
    """

    correct: int = 0
    abstained_answerable: int = 0
    wrong: int = 0
    answered_unanswerable: int = 0
    abstained_unanswerable: int = 0
    unscored: int = 0
    mishaps: Mapping[str, int] = field(default_factory=dict)
    needs_review: int = 0

    @property
    def answerable(self) -> int:
        """Scored items that have an answer."""
        return self.correct + self.abstained_answerable + self.wrong + self.needs_review

    @property
    def unanswerable(self) -> int:
        """Scored items that have none."""
        return self.answered_unanswerable + self.abstained_unanswerable

    @property
    def total(self) -> int:
        """All scored items."""
        return self.answerable + self.unanswerable

    @property
    def harm(self) -> int:
        """Items on which the system did harm."""
        return self.wrong + self.answered_unanswerable

    @property
    def answered(self) -> int:
        """Items that the system answered."""
        return self.correct + self.harm + self.needs_review

    def cells(self) -> dict[str, int]:
        """The cells by name."""
        return {cell.value: getattr(self, cell.value) for cell in Cell}


def from_counts(cells: Mapping[Cell | None, int], mishaps: Mapping[str, int]) -> OutcomeTable:
    """A table from counts by cell; ``None`` stands for unscored."""
    counts = {cell.value: cells.get(cell, 0) for cell in Cell}
    seen = {mishap.value: mishaps[mishap.value] for mishap in Mishap if mishaps.get(mishap.value)}
    return OutcomeTable(**counts, unscored=cells.get(None, 0), mishaps=seen)


Label = Callable[[Result], Verdict]
"""What an answerable item is: correct, wrong in some way, to review, or unscored."""


def label_by(source: str) -> Label:
    """Where "correct" comes from.

    Args:
        source: A metric's label (``ex[bird]``: right from the value 1 on); ``verdict``: the
            verdict of the run; ``proved``: right only with a proof, wrong where the answers
            differ or a witness stands against it, else open.
    """
    if source == PROVED:
        return lambda result: _BY_PROOF[is_proved(result)]
    return lambda result: counted_verdict(result, source)


_BY_PROOF = {True: Verdict.CORRECT, False: Verdict.INCORRECT, None: Verdict.UNSCORED}


def is_proved(result: Result) -> bool | None:
    """True with a proof, False where the answers differ or a witness stands against it."""
    proved = refuted = differ = False
    for piece in result.evidence:
        match piece:
            case Proved():
                proved = True
            case Refuted():
                refuted = True
            case Related() | Failed(query="prediction"):
                differ = True
    if result.verdict is Verdict.ABSTAINED_WRONG:
        return False
    if proved:
        # With a witness beside it the contradiction is ours to explain, and nothing is shown.
        return None if refuted else True
    return False if refuted or differ else None


def item_outcome(result: Result, label: Label, policy: FailurePolicy) -> ItemOutcome:
    """The outcome of one item."""
    return item_outcomes(result, (label,), policy)[0]


def item_outcomes(
    result: Result, labels: Sequence[Label], policy: FailurePolicy
) -> list[ItemOutcome]:
    """The outcome of one item by each of several labels; these matter for plain answers only."""
    if UNSCORABLE in result.tags:
        return [_shared_outcome(None)] * len(labels)
    if result.abstained:
        if not result.answerable:
            return [_shared_outcome(Cell.ABSTAINED_UNANSWERABLE)] * len(labels)
        # Where the gold fails no answer is scored, and neither is an abstention.
        open_ = [label(result) is Verdict.UNSCORED for label in labels]
        return [_shared_outcome(None if each else Cell.ABSTAINED_ANSWERABLE) for each in open_]
    mishap = _mishap(result)
    abstains = mishap is not None and policy.abstains(mishap)
    if not result.answerable:
        cell = Cell.ABSTAINED_UNANSWERABLE if abstains else Cell.ANSWERED_UNANSWERABLE
        return [_shared_outcome(cell, mishap)] * len(labels)
    outcomes = []
    for label in labels:
        verdict = label(result)
        if verdict is Verdict.CORRECT:
            # A preset may repair a query that does not run as it stands.
            outcomes.append(_shared_outcome(Cell.CORRECT))
        elif mishap is not None:
            outcomes.append(
                _shared_outcome(Cell.ABSTAINED_ANSWERABLE if abstains else Cell.WRONG, mishap)
            )
        else:
            outcomes.append(_shared_outcome(_UNDECIDED.get(verdict, Cell.WRONG)))
    return outcomes


_UNDECIDED = {Verdict.UNSCORED: None, Verdict.NEEDS_REVIEW: Cell.NEEDS_REVIEW}


@cache
def _shared_outcome(cell: Cell | None, mishap: Mishap | None = None) -> ItemOutcome:
    """One object for each kind of outcome: millions of items share some twenty."""
    return ItemOutcome(cell, mishap)


def _mishap(result: Result) -> Mishap | None:
    if result.verdict is not Verdict.INCORRECT:
        return None
    if not (result.prediction or "").strip():
        return Mishap.MISSING
    for reason in result.reasons:
        if reason in _MISHAPS:
            return _MISHAPS[reason]
    if not result.answerable and extract_sql(result.prediction or "") is None:
        return Mishap.NO_SQL
    return None
