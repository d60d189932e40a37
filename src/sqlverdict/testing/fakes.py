"""Small stand-ins for the seams, so that a part can be tested without a database."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from sqlverdict.evidence import Evidence, Failed, Judged, Related, Tested, Undecided
from sqlverdict.judge.judge import JUDGES
from sqlverdict.parse.query import parse
from sqlverdict.parse.schema import Column, Schema, Table
from sqlverdict.prove.proof import Derivation, NotProved, Proof
from sqlverdict.records import (
    Answer,
    Case,
    Comparison,
    Failure,
    Fault,
    Judgement,
    Outcome,
    ParseFailure,
    Prediction,
    Query,
    Reason,
    Row,
)
from sqlverdict.refute.witness import NotRefuted, Refutation
from sqlverdict.verdicts import INTENT, decide

GOLD_SQL = "SELECT name, age FROM person"
OTHER_SQL = "SELECT p.name, p.age FROM person AS p"
DATABASE = "person.sqlite"


@dataclass(frozen=True)
class FakeItem:
    """A case whose queries have already been run: nothing is executed.

    Every preset compares bags of rows here; what presets do is not the fake's business.

    Attributes:
        case: The case.
        prediction: The prediction.
        gold_outcomes: What each gold gave.
        outcome: What the prediction gave.
        suite: Further databases with the gold's and the prediction's outcome on each.
        seconds: Of one run of the gold and of the prediction; every round takes the same.
        refutation: What a search for a witness found; by default nothing on 10 databases.
        opinion: What a judge said; by default that equal rows are right and others wrong.
    """

    case: Case
    prediction: Prediction
    gold_outcomes: tuple[Outcome, ...]
    outcome: Outcome
    suite: Mapping[str, tuple[Outcome, Outcome]] = field(default_factory=dict)
    seconds: tuple[float, float] = (0.002, 0.002)
    refutation: Refutation = field(default_factory=lambda: NotRefuted(10))
    opinion: Judged | None = None

    @classmethod
    def of(
        cls,
        golds: Sequence[Sequence[Row] | Failure],
        outcome: Sequence[Row] | Failure,
        *,
        sql: str = OTHER_SQL,
        suite: Mapping[str, tuple[Sequence[Row], Sequence[Row]]] | None = None,
        seconds: tuple[float, float] = (0.002, 0.002),
        refutation: Refutation | None = None,
    ) -> FakeItem:
        """An item from bare rows, one list of rows or one failure a gold."""
        case = Case("1", "person", "Who?", (GOLD_SQL,) * len(golds), database=DATABASE)
        others = {name: (_outcome(g), _outcome(p)) for name, (g, p) in (suite or {}).items()}
        return cls(
            case,
            Prediction("1", sql),
            tuple(_outcome(gold) for gold in golds),
            _outcome(outcome),
            others,
            seconds,
            NotRefuted(10) if refutation is None else refutation,
        )

    def golds(self) -> Sequence[Outcome]:
        """What each gold gave."""
        return self.gold_outcomes

    def answer(self) -> Outcome:
        """What the prediction gave."""
        return self.outcome

    def compare(self, preset: str, database: str | None = None) -> Comparison:  # noqa: ARG002
        """Equal bags of rows are equal under any preset; failures as the seam demands."""
        golds, outcome = self.gold_outcomes, self.outcome
        if database is not None and database != self.case.database:
            gold, outcome = self.suite[database]
            golds = (gold,)
        answered = [gold for gold in golds if isinstance(gold, Answer)]
        if not answered:
            reasons = {gold.reason for gold in golds if isinstance(gold, Failure)}
            return Comparison(None, tuple(_gold_reason(r) for r in sorted(reasons)))
        if isinstance(outcome, Failure):
            return Comparison(None if outcome.fault else False, (outcome.reason,))
        if any(Counter(gold.rows) == Counter(outcome.rows) for gold in answered):
            return Comparison(True)
        return Comparison(False, (Reason.VALUE_MISMATCH,))

    def databases(self) -> Sequence[str]:
        """The case's database, then the others."""
        return (DATABASE, *self.suite)

    def clock(self, rounds: int) -> tuple[list[float], list[float]]:
        """The same seconds every round."""
        return [self.seconds[0]] * rounds, [self.seconds[1]] * rounds

    def query(self, sql: str) -> Query | ParseFailure:
        """The query, truly parsed."""
        return parse(sql)

    def schema(self) -> Schema | None:
        """The schema of the one table that the queries read."""
        columns = (Column("name", "TEXT"), Column("age", "INTEGER"))
        return Schema("person", (Table("person", columns),), "ddl")

    def refute(self) -> Refutation:
        """What the search found."""
        return self.refutation

    def prove(self, profile: str = "sound") -> Derivation:
        """A proof where the prediction is a gold's own text, and none otherwise."""
        sql = self.prediction.sql or ""
        if sql in self.case.golds:
            return Proof(sql, sql, profile, form=sql)
        return NotProved("the fake proves nothing but the same text")

    def evidence(self) -> Sequence[Evidence]:
        """What the comparison shows, and a judge's opinion of any pair that ran."""
        compared = self.compare("strict")
        if compared.equal is None:
            missing = Reason.DATABASE_UNAVAILABLE in compared.reasons
            if missing:
                return (Undecided("compare", compared.reasons, fault=Fault.ENGINE),)
            return (Failed("compare", compared.reasons, query="gold"),)
        if isinstance(self.outcome, Failure):
            return (Failed("execute", compared.reasons, self.outcome.message, query="prediction"),)
        labels = (f"judge[{name}]" for name in JUDGES.names())
        opinion = self.opinion or Judged(
            "fake", correct=compared.equal, metrics=("flex", "verdict", *labels), calls=1
        )
        if compared.equal:
            return (Tested("compare", compared.reasons), opinion)
        return (Related("compare", compared.reasons), opinion)

    def judgement(self) -> Judgement:
        """What the evidence amounts to without a language model."""
        return decide(self.case, self.prediction, self.evidence(), INTENT)


def _outcome(rows_or_failure: Sequence[Row] | Failure) -> Outcome:
    if isinstance(rows_or_failure, Failure):
        return rows_or_failure
    width = len(rows_or_failure[0]) if rows_or_failure else 2
    return Answer(tuple(f"c{i}" for i in range(width)), list(rows_or_failure), seconds=0.002)


def _gold_reason(reason: Reason) -> Reason:
    renamed = {
        Reason.EXECUTION_ERROR: Reason.GOLD_EXECUTION_ERROR,
        Reason.EXECUTION_TIMEOUT: Reason.GOLD_EXECUTION_TIMEOUT,
    }
    return renamed.get(reason, reason)
