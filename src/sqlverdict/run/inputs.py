"""What the stages read of a case: its texts, parsed queries, answers and schema, each once.

Stages are functions of these inputs. What a stage gives is kept here under its key, so that it
is asked once, whoever needs it: another stage, a metric or a judge's brief.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import replace
from functools import lru_cache, partial
from pathlib import Path
from typing import Any, TypeVar

from sqlverdict.compare.preset import QueryPair
from sqlverdict.errors import DatabaseError, SchemaError
from sqlverdict.execute.engine import ENGINES, Engine, engine_for
from sqlverdict.execute.query_runner import QueryRunner
from sqlverdict.execute.servers.patience import is_passing, patiently
from sqlverdict.files.references import is_server
from sqlverdict.parse.schema import Schema
from sqlverdict.records import (
    Case,
    Outcome,
    ParseFailure,
    ParseResult,
    Prediction,
    Reason,
)
from sqlverdict.refute.witness import NotRefuted
from sqlverdict.run.answer_sources import open_source
from sqlverdict.run.plan import RunPlan

T = TypeVar("T")
PATIENCE = 600.0
"""Seconds that a proof or a search may run beyond a query's: both have a budget of work."""


class StageInputs:
    """A case with its prediction, as the stages see it.

    Args:
        case: The case.
        prediction: The prediction.
        runner: Runs the queries.
        plan: The plan of the run.
        witnesses: The folder where a witness is kept.
    """

    def __init__(
        self,
        case: Case,
        prediction: Prediction,
        runner: QueryRunner,
        plan: RunPlan,
        witnesses: Path | None = None,
    ) -> None:
        self.case = case
        self.prediction = prediction
        self.plan = plan
        self.witnesses = witnesses
        self.database = case.database or ""
        self.source = open_source(case, prediction, runner)
        self._results: dict[tuple[Hashable, ...], Any] = {}
        self._golds: Sequence[Outcome] | None = None

    def once(self, key: tuple[Hashable, ...], work: Callable[[], T]) -> T:
        """What work gives; it is done once for each key, which begins with the stage's name."""
        result: T | None = self._results.get(key)
        if result is None:
            result = self._results[key] = work()
        return result

    def results_of(self, stage: str) -> Iterator[Any]:
        """What a stage gave so far."""
        return (result for key, result in self._results.items() if key[0] == stage)

    @property
    def is_final(self) -> bool:
        """Whether another run would have the same answers, and no clock had a part in them."""
        return self.source.repeatable and self.source.lasting

    @property
    def gold_texts(self) -> tuple[str, ...]:
        """The gold queries; the titles of results that no query gave."""
        return tuple(answer.title for answer in self.case.gold_answers) or self.case.golds

    @property
    def prediction_text(self) -> str:
        """The predicted query; the title of a result that no query gave."""
        answer = self.prediction.answer
        return (self.prediction.sql or "") if answer is None else answer.title

    def gold_sql(self, index: int) -> str:
        """A gold query; empty: it is a result."""
        return "" if self.case.gold_answers else self.case.golds[index]

    @property
    def prediction_sql(self) -> str:
        """The predicted query; empty: it is a result."""
        return "" if self.prediction.answer is not None else self.prediction.sql or ""

    @property
    def has_queries(self) -> bool:
        """Whether both sides are queries, and none is a result alone."""
        return not self.case.gold_answers and self.prediction.answer is None

    def run(self, sql: str) -> Outcome:
        """What a query gives on the case's database."""
        return self.source.run(self.database, sql)

    def golds(self) -> Sequence[Outcome]:
        """What each gold gave."""
        if self._golds is None:
            self._golds = self.source.golds()
        return self._golds

    def answer(self) -> Outcome:
        """What the prediction gave."""
        return self.source.prediction()

    def pair(self) -> QueryPair:
        """What relations may look at besides the answers."""
        return self.source.pair(self.database, self.gold_sql(0), self.prediction_sql)

    def query(self, sql: str) -> ParseResult:
        """The parsed query, in the engine's dialect; some texts keep SQLite's parser busy."""
        # The parser is slow to load; runs that compare answers alone need not wait.
        from sqlverdict.parse.query import parse

        dialect = self.source.dialect(self.database)

        def read() -> ParseResult:
            return self.source.watched(f"parse {sql}", lambda: parse(sql, dialect)) or ParseFailure(
                sql, dialect, Reason.BUDGET_EXHAUSTED, "reading the text had to be stopped"
            )

        return self.once(("parse", sql), read)

    def gold_queries(self) -> list[ParseResult]:
        """The golds, parsed for proofs and searches."""
        return [self.query(gold) for gold in self.case.golds]

    def predicted_query(self) -> ParseResult:
        """The prediction, parsed likewise."""
        return self.query(self.prediction.sql or "")

    def schema(self) -> Schema | None:
        """The schema given to the run, else that of the case's database; ``None``: unknown.

        A case is examined by one schema.
        """
        schema = self.find_schema()
        return None if isinstance(schema, NotRefuted) else schema

    def find_schema(self) -> Schema | NotRefuted:
        """The same; where it is unknown, why no search is made."""
        return self.once(("schema",), partial(_find_schema, self.case, self.plan))


def engine_of_case(case: Case, plan: RunPlan) -> Engine:
    """The engine that opens the case's database; without one, that of the run."""
    return engine_for(ENGINES.get(plan.engine), case.database or "")


def _find_schema(case: Case, plan: RunPlan) -> Schema | NotRefuted:
    in_plan = plan.schemas.get(case.db_id)
    if in_plan is not None:
        return with_null_keys(in_plan) if plan.null_keys else in_plan
    if case.database is None:
        return NotRefuted(0, reason=Reason.DATABASE_UNAVAILABLE, message="no schema is known")
    try:
        engine, server = engine_of_case(case, plan), is_server(case.database)
        digest = "" if server else engine.digest(case.database) or ""
        reading = partial(_read_schema, engine.name, case.database, digest)
        declared = patiently(case.database, reading) if server else reading()
        return with_null_keys(declared) if plan.null_keys else declared
    except (SchemaError, DatabaseError, OSError) as error:
        return NotRefuted(
            0,
            reason=Reason.DATABASE_UNAVAILABLE,
            message=str(error),
            cut_by_time=is_passing(error),
        )


@lru_cache(maxsize=256)
def _read_schema(engine: str, database: str, digest: str) -> Schema:
    del digest  # A schema is that of the file as it is now, and not as it was.
    return ENGINES.get(engine).schema(database)


@lru_cache(maxsize=256)
def with_null_keys(schema: Schema) -> Schema:
    """The schema under SQLite's letter: a declared primary key may hold NULL."""
    return replace(schema, null_keys=True)
