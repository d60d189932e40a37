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
from sqlverdict.execute.servers.patience import is_passing
from sqlverdict.files.references import is_at_hand
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
from sqlverdict.run.memory import ResultMemory
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
        memory: What the process remembers of pairs of queries, by :meth:`once_a_pair`.
        digest: That of the case's database; without it nothing is remembered of pairs.
    """

    def __init__(
        self,
        case: Case,
        prediction: Prediction,
        runner: QueryRunner,
        plan: RunPlan,
        witnesses: Path | None = None,
        memory: ResultMemory | None = None,
        digest: str = "",
    ) -> None:
        self.case = case
        self.prediction = prediction
        self.plan = plan
        self.witnesses = witnesses
        self.database = case.database or ""
        self.runner = runner
        self.source = open_source(case, prediction, runner)
        self._results: dict[tuple[Hashable, ...], Any] = {}
        self._golds: Sequence[Outcome] | None = None
        self._memory, self._digest = memory, digest

    def once(self, key: tuple[Hashable, ...], work: Callable[[], T]) -> T:
        """What work gives; it is done once for each key, which begins with the stage's name."""
        result: T | None = self._results.get(key)
        if result is None:
            result = self._results[key] = work()
        return result

    def once_a_pair(
        self, key: tuple[Hashable, ...], work: Callable[[], T], lasts: Callable[[T], bool]
    ) -> T:
        """What work gives that rests on the two queries and the database, and on nothing else.

        :mod:`sqlverdict.run.memory` says which pairs that is done for, and why it is never stale.

        Args:
            key: Names the work, with what else it rests on.
            work: Does it.
            lasts: Whether the same work would give the same again: no clock had a part in it.
        """
        case, prediction, memory = self.case, self.prediction, self._memory
        if memory is None:
            return work()
        engine, limits = self.runner.engine_for(self.database), self.plan.limits
        full_key = memory.keys.of_work(
            key, case, prediction, self._digest, engine, self.schema(), limits
        )
        size = sum(map(len, (*case.golds, prediction.sql or "")))
        return memory.once(full_key, work, lasts, size)

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

    def plain_query(self, sql: str) -> ParseResult:
        """The parsed query under the schema's own names of tables, for who looks them up there."""
        from sqlverdict.parse.qualified import with_plain_names

        query, schema = self.query(sql), self.schema()
        return query if schema is None else with_plain_names(query, schema)

    def gold_queries(self) -> list[ParseResult]:
        """The golds, parsed for proofs and searches."""
        return [self.query(gold) for gold in self.case.golds]

    def predicted_query(self) -> ParseResult:
        """The prediction, parsed likewise."""
        return self.query(self.prediction.sql or "")

    def schema(self) -> Schema | None:
        """The schema of the case's database, else the one given to the run; ``None``: unknown.

        A case is examined by one schema. A database knows its own keys and types best; a schema
        that is given stands for a database that is not at hand.
        """
        schema = self.find_schema()
        return None if isinstance(schema, NotRefuted) else schema

    def find_schema(self) -> Schema | NotRefuted:
        """The same; where it is unknown, why no search is made."""
        return self.once(("schema",), self._find_schema)

    def _find_schema(self) -> Schema | NotRefuted:
        schema = self.plan.schemas.get(self.case.db_id)
        if schema is None or is_at_hand(self.case.database):
            own = self._own_schema()
            if not isinstance(own, NotRefuted):
                schema = own
            elif schema is None or own.cut_by_time:
                return own
        return with_null_keys(schema) if self.plan.null_keys else schema

    def _own_schema(self) -> Schema | NotRefuted:
        """The schema that the case's database has."""
        if self.case.database is None:
            message = "no schema is known"
            return NotRefuted(0, reason=Reason.DATABASE_UNAVAILABLE, message=message)
        work = partial(_read_schema, self.runner, self.case.database)
        own = self.source.watched("read the schema", work, more=PATIENCE)
        if own is None:
            message = "the schema was read for too long, and the process was ended"
            return NotRefuted(0, 0, Reason.BUDGET_EXHAUSTED, message, cut_by_time=True)
        return own


def engine_of_case(case: Case, plan: RunPlan) -> Engine:
    """The engine that opens the case's database; without one, that of the run."""
    return engine_for(ENGINES.get(plan.engine), case.database or "")


def _read_schema(runner: QueryRunner, database: str) -> Schema | NotRefuted:
    try:
        return runner.schema(database)
    except (SchemaError, DatabaseError, OSError) as error:
        return NotRefuted(
            0,
            reason=Reason.DATABASE_UNAVAILABLE,
            message=str(error),
            cut_by_time=is_passing(error),
        )


@lru_cache(maxsize=256)
def with_null_keys(schema: Schema) -> Schema:
    """The schema under SQLite's letter: a declared primary key may hold NULL."""
    return replace(schema, null_keys=True)
