"""The databases of the runs' cases, which no run log names."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field

from sqlverdict.errors import SchemaError
from sqlverdict.execute.attempt import read_engine_schema
from sqlverdict.execute.query_runner import QueryRunner
from sqlverdict.files.references import is_at_hand
from sqlverdict.load.databases import Databases
from sqlverdict.load.descriptions import Descriptions, read_descriptions
from sqlverdict.load.people.votes import Side
from sqlverdict.parse.schema import Schema
from sqlverdict.records import Failure, Outcome, Reason, Result

NOT_AT_HAND = "not run: the database is not available. Name it (option databases or benchmark)"


@dataclass(frozen=True)
class CaseFacts:
    """What a benchmark says of a case beyond the run log.

    Attributes:
        knowledge: What comes with the question.
        database: Its database.
        gold_database: Where the golds run, if not there.
    """

    knowledge: str = ""
    database: str | None = None
    gold_database: str | None = None


@dataclass
class CaseDatabases:
    """Runs queries on the database of a case. One thread at a time.

    Attributes:
        runner: Runs queries under limits.
        facts: What is known of each case, by id; empty without a benchmark.
        folder: Where databases lie by name; ``None``: not known.
    """

    runner: QueryRunner
    facts: Mapping[str, CaseFacts] = field(default_factory=dict)
    folder: Databases | None = None

    def knowledge(self, result: Result) -> str:
        """What comes with the question."""
        return result.knowledge or self.facts.get(result.id, CaseFacts()).knowledge

    def run(self, result: Result, sql: str, side: Side = "prediction") -> Outcome:
        """Run a query of a case."""
        database = self.path(result, side)
        if database is None:
            return Failure(Reason.DATABASE_UNAVAILABLE, NOT_AT_HAND)
        return self.runner.run(database, sql)

    def path(self, result: Result, side: Side = "prediction") -> str | None:
        """The database of a case; ``None``: it is not at hand."""
        facts = self.facts.get(result.id, CaseFacts())
        database = facts.database
        if side == "gold" and facts.gold_database is not None:
            database = facts.gold_database
        if not is_at_hand(database) and self.folder is not None:
            database = self.folder.path(result.db_id)
        return database if is_at_hand(database) else None

    def dialect(self, result: Result, side: Side = "prediction") -> str:
        """The dialect of a case's queries."""
        database = self.path(result, side)
        engine = self.runner.engine if database is None else self.runner.engine_for(database)
        return engine.dialect

    def schema(self, result: Result) -> Schema | None:
        """The schema of a case's database; ``None``: it cannot be read."""
        database = self.path(result)
        if database is not None:
            with suppress(SchemaError, OSError):
                return read_engine_schema(self.runner.engine_for(database), database)
        return None

    def descriptions(self, result: Result, tables: list[str]) -> Descriptions:
        """What files beside the database say about its columns."""
        return read_descriptions(self.path(result), result.db_id, tables)
