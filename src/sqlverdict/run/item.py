"""One case with its prediction: runs what it is asked for, once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from sqlverdict.compare.preset import PRESETS, Preset, QueryPair
from sqlverdict.evidence import Evidence, Relation
from sqlverdict.evidence_parts import GeneratedRelation
from sqlverdict.execute.clock import uses_chance
from sqlverdict.execute.engine import ENGINES
from sqlverdict.execute.query_runner import QueryRunner
from sqlverdict.files.references import is_server
from sqlverdict.load.databases import unknown_database
from sqlverdict.parse.schema import Schema
from sqlverdict.records import (
    LIMIT_REASONS,
    Answer,
    Case,
    Comparison,
    Failure,
    Fault,
    Judgement,
    Outcome,
    ParseFailure,
    ParseResult,
    Prediction,
    Query,
    Reason,
)
from sqlverdict.refute.witness import NotRefuted, Refutation, Witness
from sqlverdict.run.prove_stage import SOUND, prove_case
from sqlverdict.run.refute_stage import Refuter, witness_name

if TYPE_CHECKING:
    from sqlverdict.prove.proof import Derivation

T = TypeVar("T")
_PATIENCE = 600.0
"""Seconds that a proof or a search may run beyond a query's: both have a budget of work."""


class RunItem:
    """An :class:`~sqlverdict.score.metric.Item` whose answers come from a query runner.

    Args:
        case: The case.
        prediction: What was said.
        runner: Runs the queries.
        refuter: Knows the schemas, and searches for witnesses where the run does.
        witnesses: The folder where a witness is kept.
    """

    def __init__(
        self,
        case: Case,
        prediction: Prediction,
        runner: QueryRunner,
        refuter: Refuter,
        witnesses: Path | None = None,
    ) -> None:
        self.case = case
        self.prediction = prediction
        self.database = case.database or ""
        self.repeatable = True
        """False once a limit in seconds, or a process that died, had a part in what was found."""
        self.lasting = True
        """False once an answer had a part in it that changes by itself: a clock, or chance."""
        self.bars_search = False
        """Whether the prediction alone stands against a search for a witness."""
        self._runner = runner
        self._refuter = refuter
        self._refutation: Refutation | None = None
        self._outcomes: dict[tuple[str, str], Outcome] = {}
        self._golds: list[Outcome] | None = None
        self._compared: dict[tuple[str, str | None], Comparison] = {}
        self._witnesses = witnesses
        self._schema: Schema | None = None
        self._queries: dict[tuple[str, str], ParseResult] = {}
        self._derived: dict[str, Derivation] = {}
        self._conclusion: tuple[tuple[Evidence, ...], Judgement] | None = None

    def run(self, sql: str) -> Outcome:
        """What a query gives on the case's database."""
        return self._run(self.database, sql)

    def golds(self) -> Sequence[Outcome]:
        """What each gold query gave."""
        if self._golds is None:
            self._golds = [self._gold(self.database, gold) for gold in self.case.golds]
        return self._golds

    def _gold(self, database: str, sql: str) -> Outcome:
        """What a gold gave; one whose answer is drawn by lot has none to be compared with."""
        outcome = self._run(database, sql)
        volatile = isinstance(outcome, Answer) and outcome.volatile
        if volatile and uses_chance(sql, self._runner.engine_for(database).dialect):
            return Failure(Reason.GOLD_SUSPECT, "the gold's answer depends on chance: random()")
        return outcome

    @property
    def gold_texts(self) -> tuple[str, ...]:
        """The queries behind :meth:`golds`; the title of a result that no query gave."""
        return self.case.golds

    @property
    def prediction_text(self) -> str:
        """The predicted query; the title of a result that no query gave."""
        return self.prediction.sql or ""

    def answer(self) -> Outcome:
        """What the predicted query gave."""
        return self._run(self.database, self.prediction.sql or "")

    def _run(self, database: str, sql: str) -> Outcome:
        key = (database, sql)
        outcome = self._outcomes.get(key)
        if outcome is None:
            controls = self.case.golds if self.case.gold_database is None else ()
            ran = self._runner.run(database, sql, controls) if database else self._no_database()
            outcome = self._outcomes[key] = self._note(ran)
        return outcome

    def _note(self, outcome: Outcome) -> Outcome:
        """Note an outcome that another run may not have."""
        if isinstance(outcome, Failure):
            self.repeatable = self.repeatable and outcome.fault is None and not is_cut(outcome)
        elif outcome.volatile:
            self.lasting = False
        return outcome

    def _no_database(self) -> Failure:
        # A database id is a name and never a path: nothing is opened by it.
        message = unknown_database(self.case.db_id)
        return Failure(Reason.DATABASE_UNAVAILABLE, message, fault=Fault.ENGINE, repeatable=False)

    def _watched(self, what: str, work: Callable[[], T], more: float = 0.0) -> T | None:
        """As :meth:`QueryRunner.watched`; what had to be ended by the clock is noted."""
        result = self._runner.watched(self.database, what, work, more=more)
        self.repeatable = self.repeatable and result is not None
        return result

    def compare(self, preset: str, database: str | None = None) -> Comparison:
        """The prediction against the golds: equal if it equals any of them."""
        key = (preset, database)
        comparison = self._compared.get(key)
        if comparison is None:
            comparison = self._compared[key] = self._compare(preset, database or self.database)
        return comparison

    def _compare(self, preset: str, database: str) -> Comparison:
        best: Comparison | None = None
        for index in range(len(self.gold_texts)):
            comparison = self._compare_one(preset, database, index)
            if comparison.equal:
                return comparison
            if best is None or _rank(comparison) > _rank(best):
                best = comparison
        assert best is not None, "an answerable case has a gold"
        return best

    def _compare_one(self, name: str, database: str, index: int) -> Comparison:
        preset = PRESETS.get(name)
        gold_sql, prediction_sql = self._prepare(preset, index)
        gold = self._gold_outcome(database, gold_sql, index)
        if isinstance(gold, Failure):
            return _gold_failed(gold)
        if not self.prediction.responds:
            return Comparison(False, (Reason.NO_SQL_PRODUCED,))
        prediction = self._prediction_outcome(database, prediction_sql)
        if isinstance(prediction, Failure):
            equal = None if prediction.fault else False
            return Comparison(equal, (prediction.reason,), message=prediction.message)
        pair = self._pair(database, gold_sql, prediction_sql, index)
        try:
            return preset.compare(gold, prediction, pair)
        except Exception as error:  # noqa: BLE001 - the border: a bug of ours, or a text beyond us
            why = f"the answers could not be compared: {type(error).__name__}"
        try:
            preset.compare(gold, gold, self._pair(database, gold_sql, gold_sql, index))
        except Exception:  # noqa: BLE001 - the gold alone fails too: not the prediction's fault
            return Comparison(None, (Reason.TOOLKIT_ERROR,), message=f"{why}. Please report it.")
        return Comparison(False, (Reason.UNSUPPORTED_FEATURE,), message=why)

    def pair(self) -> QueryPair:
        """What relations may look at besides the answers."""
        return self._pair(self.database, self.case.golds[0], self.prediction.sql or "")

    def _prepare(self, preset: Preset, index: int) -> tuple[str, str]:
        return preset.prepare(self.case.golds[index], self.prediction.sql or "")

    def _gold_outcome(self, database: str, sql: str, index: int) -> Outcome:  # noqa: ARG002
        return self._gold(database, sql)

    def _prediction_outcome(self, database: str, sql: str) -> Outcome:
        return self._run(database, sql)

    def _pair(self, database: str, gold: str, prediction: str, index: int = 0) -> QueryPair:
        case, dialect = self.case, self._runner.engine_for(database).dialect
        return QueryPair(
            gold,
            prediction,
            dialect,
            case.contract,
            partial(self._run, database),
            case.question,
            case.tags.get("category", ""),
            index,
            case.golds,
        )

    def databases(self) -> Sequence[str]:
        """The case's database and the others in its folder: its test suite."""
        if is_server(self.database):
            return (self.database,)
        from sqlverdict.load.databases import suite_of

        suffixes = self._runner.engine_for(self.database).suffixes
        return suite_of(self.database, self.case.db_id, suffixes)

    def clock(self, rounds: int) -> tuple[list[float], list[float]]:
        """Seconds of the first gold that answers and of the prediction, interleaved."""
        for gold in self.case.golds:
            if isinstance(self._run(self.database, gold), Answer):
                queries = [gold, self.prediction.sql or ""]
                ours, theirs = self._runner.clock(self.database, queries, rounds)
                return ours, theirs
        return [], []

    def refute(self) -> Refutation:
        """A witness against every gold, or that none was found."""
        if self._refutation is None:
            if not self._refuter.plan.refutes:
                self._refutation = NotRefuted(0, message="this run does not search for witnesses")
            else:
                refuter, golds, prediction = self._refuter, self._gold_queries(), self._predicted()
                refutation = self._watched(
                    f"refute {prediction.sql}",
                    lambda: refuter.refute(self.case, golds, prediction),
                    more=_PATIENCE,
                )
                self._refutation = self._with_blame(refutation or _stopped())
                self._keep_witness(self._refutation)
        return self._refutation

    def refute_relation(self, relation: Relation) -> Refutation | None:
        """A database on which the relation does not hold; ``None`` where none is sought."""
        refuter = self._refuter
        if not refuter.plan.refutes:
            return None
        gold, prediction = self._gold_queries()[0], self._predicted()
        refutation = self._watched(
            f"refute {relation.kind} {prediction.sql}",
            lambda: refuter.refute_relation(self.case, gold, prediction, relation),
            more=_PATIENCE,
        )
        return None if refutation is None else self._with_blame(refutation)

    def relate(self) -> GeneratedRelation | None:
        """How the two queries relate on generated databases; ``None`` where it cannot be said."""
        from sqlverdict.parse.schemas.assumed import assumed_schema
        from sqlverdict.refute.related import relate_on_instances

        gold, prediction = self._gold_queries()[0], self._predicted()
        schema = self.schema()
        if schema is None:
            queries = [each for each in (gold, prediction) if isinstance(each, Query)]
            schema = assumed_schema(self.case.db_id, queries)
        known, search = schema, self._refuter.plan.search
        budget = search.budget if search is not None else None
        relation = self._watched(
            f"relate {prediction.sql}",
            lambda: relate_on_instances(gold, prediction, known, budget=budget),
            more=_PATIENCE,
        )
        if relation is None:
            return None
        parts = (relation.instances, relation.columns, relation.rows, relation.overlap)
        return GeneratedRelation(*parts, schema.source == "assumed", relation.missing)

    def _with_blame(self, refutation: Refutation) -> Refutation:
        self.bars_search |= isinstance(refutation, NotRefuted) and refutation.blame == "prediction"
        return refutation

    def witness_file(self) -> str | None:
        """The name of the file that holds the witness, where one was found and kept."""
        refutation = self._refutation
        if self._witnesses is None or refutation is None or not refutation.refuted:
            return None
        from sqlverdict.refute.witness_files import safe_name

        return f"{safe_name(witness_name(self.case, self.prediction.sql or ''))}.sql"

    def _keep_witness(self, refutation: Refutation) -> None:
        if self._witnesses is None or not isinstance(refutation, Witness):
            return
        name = witness_name(self.case, self.prediction.sql or "")
        if not ENGINES.get(refutation.engine).in_python:
            from sqlverdict.refute.target.script import write_script

            write_script(refutation, self._witnesses, name, contract=self.case.contract)
            return
        from sqlverdict.refute.witness_files import write

        write(refutation, self._witnesses, name, contract=self.case.contract)

    def query(self, sql: str) -> ParseResult:
        """The parsed query, in the engine's dialect."""
        return self._parse(sql, self._runner.engine_for(self.database).dialect)

    def _parse(self, sql: str, dialect: str) -> ParseResult:
        """What the parser makes of a text; some keep SQLite's own parser busy for ever."""
        from sqlverdict.parse.query import parse

        key = (sql, dialect)
        query = self._queries.get(key)
        if query is None:
            late = ParseFailure(
                sql, dialect, Reason.BUDGET_EXHAUSTED, "reading the text had to be stopped"
            )
            query = self._watched(f"parse {sql}", lambda: parse(sql, dialect)) or late
            self._queries[key] = query
        return query

    def _gold_queries(self) -> list[ParseResult]:
        """The golds, parsed for proofs and searches."""
        return [self.query(gold) for gold in self.case.golds]

    def _predicted(self) -> ParseResult:
        """The prediction, parsed likewise."""
        return self.query(self.prediction.sql or "")

    def schema(self) -> Schema | None:
        """The schema given to the run, else that of the case's database file.

        It is looked for once: a case is examined by one schema.
        """
        if self._schema is None:
            schema = self._refuter.schema(self.case)
            self._schema = None if isinstance(schema, NotRefuted) else schema
        return self._schema

    def prove(self, profile: str = SOUND) -> Derivation:
        """A proof that the prediction answers as a gold does, or that none was found."""
        derivation = self._derived.get(profile)
        if derivation is None:
            from sqlverdict.prove.proof import NotProved

            golds, prediction, schema = self._gold_queries(), self._predicted(), self.schema()
            derivation = self._watched(
                f"prove {profile} {prediction.sql}",
                lambda: prove_case(self.case, golds, prediction, schema, profile, self.run),
                more=_PATIENCE,
            ) or NotProved("it had to be stopped", Reason.BUDGET_EXHAUSTED)
            self._derived[profile] = derivation
        return derivation

    def settle(self, evidence: tuple[Evidence, ...], judgement: Judgement) -> None:
        """Note what was found out about the case, for metrics that look at all of it."""
        self._conclusion = (evidence, judgement)

    def evidence(self) -> Sequence[Evidence]:
        """All that was found out."""
        assert self._conclusion is not None, "evidence is asked for after it was gathered"
        return self._conclusion[0]

    def judgement(self) -> Judgement:
        """What the evidence amounts to."""
        assert self._conclusion is not None, "a judgement is asked for after it was made"
        return self._conclusion[1]


def _stopped() -> NotRefuted:
    message = "it ran for too long, and its process was ended"
    return NotRefuted(0, 0, Reason.BUDGET_EXHAUSTED, message, cut_by_time=True)


def is_cut(outcome: Outcome) -> bool:
    """Whether a limit in seconds, or a process that died, ended a query: not what it asks for."""
    failed = isinstance(outcome, Failure) and outcome.reason in LIMIT_REASONS
    return failed and not getattr(outcome, "repeatable", True)


def _rank(comparison: Comparison) -> int:
    """Among golds none of which is equal: open beats different beats failed."""
    if comparison.equal is False:
        return 2
    failed = {Reason.GOLD_EXECUTION_ERROR, Reason.GOLD_EXECUTION_TIMEOUT, Reason.GOLD_SUSPECT}
    return 0 if failed.intersection(comparison.reasons) else 3


def _gold_failed(gold: Failure) -> Comparison:
    if gold.fault is not None or gold.reason is Reason.GOLD_SUSPECT:
        return Comparison(None, (gold.reason,), message=gold.message)
    late = gold.reason in LIMIT_REASONS
    reason = Reason.GOLD_EXECUTION_TIMEOUT if late else Reason.GOLD_EXECUTION_ERROR
    return Comparison(None, (reason,), message=f"{gold.reason}: {gold.message}")
