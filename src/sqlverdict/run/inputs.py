"""What the stages read of a case: its texts, parsed queries, answers and schema, each once.

Stages are functions of these inputs. Each keeps here what it gives, under its key, so that it
works once, whoever asks: another stage, a metric or a judge's brief.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
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
from sqlverdict.run.memory import Key, ResultMemory
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
        memory: What the process remembers of pairs of queries.
        digest: That of the case's database; without it nothing is remembered of pairs.

    Attributes:
        results: What the stages gave so far, under keys that begin with the stage's name.
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
        self.results: dict[tuple[Hashable, ...], Any] = {}
        self._golds: Sequence[Outcome] | None = None
        self._memory, self._digest = memory, digest

    def recall(self, what: tuple[Hashable, ...]) -> Any:
        """What was found out about the two queries in another case; else ``None``.

        :mod:`sqlverdict.run.memory` says which pairs that is done for, and why it is never stale.

        Args:
            what: Names the work, with what else it rests on.
        """
        key = self._key(what)
        return None if key is None or self._memory is None else self._memory.get(key)

    def remember(self, what: tuple[Hashable, ...], result: object) -> None:
        """Remember it for other cases: the same work would give the same again."""
        key = self._key(what)
        if key is not None and self._memory is not None:
            size = sum(map(len, (*self.case.golds, self.prediction.sql or "")))
            self._memory.put(key, result, size)

    def _key(self, what: tuple[Hashable, ...]) -> Key | None:
        if self._memory is None:
            return None
        engine, limits = self.runner.engine_for(self.database), self.plan.limits
        pair = self.case, self.prediction, self._digest
        return self._memory.keys.of_work(what, *pair, engine, self.schema(), limits)

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

        result: ParseResult | None = self.results.get(("parse", sql))
        if result is None:
            result = self.source.watched(f"parse {sql}", lambda: parse(sql, dialect))
            if result is None:
                why = "reading the text had to be stopped"
                result = ParseFailure(sql, dialect, Reason.BUDGET_EXHAUSTED, why)
            self.results["parse", sql] = result
        return result

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
        schema: Schema | NotRefuted | None = self.results.get(("schema",))
        if schema is None:
            schema = self.results["schema",] = self._find_schema()
        return schema

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
