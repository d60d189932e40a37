"""What checks look at: the cases, each gold with its answers, schemas, a prediction file."""

from __future__ import annotations

import sqlite3
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from itertools import islice
from pathlib import Path
from time import monotonic

from sqlverdict.audit.recover_predictions import (
    RecoveredPredictions,
    recover_predictions,
    recover_rows,
)
from sqlverdict.compare.preset import DEFAULT_PRESET, PRESETS
from sqlverdict.dialects import DEFAULT_DIALECT
from sqlverdict.errors import DatabaseError, SchemaError
from sqlverdict.execute.attempt import read_engine_schema
from sqlverdict.execute.cache import AnswerCache, default_path
from sqlverdict.execute.engine import DEFAULT_ENGINE, Limits
from sqlverdict.execute.query_runner import QueryRunner
from sqlverdict.execute.reversed_copy import ReversedCopy
from sqlverdict.files.sqlite import open_read_only
from sqlverdict.files.text import bounded
from sqlverdict.load.benchmark import Benchmark, ChangedCases
from sqlverdict.load.tables.cases import TableCases
from sqlverdict.parse.query import parse
from sqlverdict.parse.schema import Schema
from sqlverdict.records import Answer, Case, Failure, Fault, Outcome, ParseFailure, Query

Progress = Callable[[str, int, int], None]
"""Called with what is examined, how many are done, and of how many."""


@dataclass(frozen=True)
class DoctorOptions:
    """How the data are examined.

    Attributes:
        limits: What one gold query may spend.
        engine: The engine that runs the golds.
        cache: The file of cached answers; ``None`` caches nothing.
        limit: Look at the first so many cases only.
        format: The prediction file's format; by default it is detected.
        columns: From names in the prediction file to our fields.
        copy_bytes: Databases up to this size are copied with their rows in reverse order, to
            see whether a gold's answer depends on that; 0 copies none.
        progress: Called with how far the examination is.
    """

    limits: Limits = field(default_factory=Limits)
    engine: str = DEFAULT_ENGINE
    cache: Path | None = field(default_factory=default_path)
    limit: int | None = None
    format: str | None = None
    columns: Mapping[str, str] = field(default_factory=dict)
    copy_bytes: int = 256 * 2**20
    progress: Progress | None = None


@dataclass(frozen=True)
class GoldQuery:
    """A gold query of a case, with its outcome on the case's database.

    ``run_reversed`` runs a query on the copy of the database with its rows in reverse order;
    ``None`` where there is no copy or the query gave no answer there. ``dialect`` is the engine's.
    """

    case: Case
    number: int
    sql: str
    outcome: Outcome
    run_reversed: Callable[[str], Answer | None]
    dialect: str = DEFAULT_DIALECT

    @property
    def subject(self) -> str:
        """How a finding names it."""
        several = len(self.case.golds) > 1
        return f"case {self.case.id}, gold {self.number}" if several else f"case {self.case.id}"

    @property
    def answer(self) -> Answer | None:
        """The answer, if there is one."""
        return self.outcome if isinstance(self.outcome, Answer) else None

    @property
    def unavailable(self) -> bool:
        """Whether the database is to blame, which is another check's finding."""
        return isinstance(self.outcome, Failure) and self.outcome.fault is Fault.ENGINE

    @property
    def query(self) -> Query | None:
        """The parsed gold, where our parser can read it."""
        query = self.parsed
        return query if isinstance(query, Query) else None

    @property
    def parsed(self) -> Query | ParseFailure:
        """The parsed gold, or why there is none."""
        return parse(self.sql, self.dialect)


class AuditData:
    """Everything that is examined, read once.

    Args:
        benchmark: The benchmark.
        predictions: The prediction file, if one is examined.
        options: How to examine.
    """

    def __init__(self, benchmark: Benchmark, predictions: Path | None, options: DoctorOptions):
        self.benchmark = benchmark
        self.predictions = predictions
        self.options = options
        self.cases: list[Case] = list(islice(benchmark.cases, bounded(options.limit)))
        self.figures: Counter[str] = Counter()
        cache = AnswerCache(options.cache) if options.cache is not None else None
        self.runner = QueryRunner(options.engine, options.limits, cache)
        self._schemas: dict[str, Schema | None] = {}

    def close(self) -> None:
        """Let go of databases and cache."""
        self.runner.close()

    @cached_property
    def presets(self) -> tuple[str, ...]:
        """Our default preset and the benchmark's own, if it has one."""
        own = self.benchmark.name
        return (DEFAULT_PRESET, own) if own in PRESETS.names() else (DEFAULT_PRESET,)

    @cached_property
    def databases(self) -> dict[str, list[Case]]:
        """The database files that the cases name, each with its cases."""
        by_file: dict[str, list[Case]] = {}
        for case in self.cases:
            if case.database is not None:
                by_file.setdefault(case.database, []).append(case)
        return by_file

    @cached_property
    def recovered(self) -> RecoveredPredictions | None:
        """The prediction file, read past its errors, or the answers in a table without ids."""
        if self.predictions is None:
            table = numbered_table(self.benchmark.cases)
            if table is None or not table.carries_predictions:
                return None
            ids = [case.id for case in self.cases]
            return recover_rows(table.path, ids, islice(table.pairs(), len(ids)))
        how = (self.options.format, self.options.columns)
        recovered = recover_predictions(self.predictions, self.cases, *how)
        if self.options.limit is not None:
            # The rest of the file belongs to cases that are not looked at.
            known = {case.id for case in self.cases}
            recovered.entries = [entry for entry in recovered.entries if entry.case_id in known]
            recovered.records = None
        return recovered

    def schema(self, database: str) -> Schema | None:
        """The schema of a database file; ``None`` where it cannot be read."""
        if database not in self._schemas:
            try:
                self._schemas[database] = read_engine_schema(
                    self.runner.engine_for(database), database
                )
            except (SchemaError, DatabaseError):
                self._schemas[database] = None
        return self._schemas[database]

    def golds(self) -> Iterator[GoldQuery]:
        """Every gold with its outcome, database by database."""
        for database, cases in self.databases.items():
            dialect = self.runner.engine_for(database).dialect
            with ReversedCopy(Path(database), self.options.copy_bytes) as copy:
                for case in cases:
                    for number, sql in enumerate(case.golds, 1):
                        outcome = self.runner.run(database, sql)
                        yield GoldQuery(case, number, sql, outcome, copy.run, dialect)
                    self.runner.flush()

    def tell(self, what: str, done: int, total: int) -> None:
        """Report progress."""
        if self.options.progress is not None:
            self.options.progress(what, done, total)


def numbered_table(cases: Iterable[Case]) -> TableCases | None:
    """The table of cases without ids, which are the numbers of its rows; ``None``: it is another.

    A file of predictions has ids, so the answers in such a table are read with its cases.
    """
    own = cases.cases if isinstance(cases, ChangedCases) else cases
    return own if isinstance(own, TableCases) and "id" not in own.fields else None


def wording_key(text: str) -> str:
    """One spelling for texts that differ in case, spaces or the mark at their end."""
    words = unicodedata.normalize("NFKC", text).casefold().split()
    return " ".join(words).rstrip(" .?!")


_STEP = 100_000


@dataclass
class TimeLeft:
    """What is left of the time; ``spent`` once it has run out."""

    deadline: float
    spent: bool = False

    def tick(self) -> int:
        """For SQLite's progress handler: 1 stops the statement."""
        self.spent = monotonic() > self.deadline
        return int(self.spent)


@contextmanager
def open_for_audit(path: Path, seconds: float) -> Iterator[tuple[sqlite3.Connection, TimeLeft]]:
    """The database, read-only, with so many seconds for all that is asked of it.

    Raises:
        DatabaseError: it cannot be opened, or is not whole.
    """
    budget = TimeLeft(monotonic() + seconds)
    with closing(open_read_only(path)) as connection:
        connection.set_progress_handler(budget.tick, _STEP)
        yield connection, budget


def lenient(raw: bytes) -> str:
    """Text that may hold bytes that are no UTF-8."""
    return raw.decode("utf-8", "backslashreplace")


def table_names(connection: sqlite3.Connection) -> list[str]:
    """The ordinary tables, in the order of their declaration."""
    rows = connection.execute(
        "SELECT name FROM sqlite_master WHERE type = 'table' "
        "AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY rowid"
    )
    return [row[0] for row in rows]
