"""DataFusion over folders of Parquet files: each file is a table.

DataFusion itself refuses everything but queries, and sees no other table than those of the folder.
Queries run in a process apart, which is killed where one overruns its time or memory.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import datetime
from functools import partial
from hashlib import sha256
from importlib import metadata
from pathlib import Path
from time import perf_counter
from typing import Any

import pyarrow.parquet
from datafusion import RuntimeEnvBuilder, SessionConfig, SessionContext, SQLOptions

from sqlverdict.errors import DatabaseError, SchemaError
from sqlverdict.execute.apart.session import ApartSession
from sqlverdict.execute.engine import Engine, Limits, Session
from sqlverdict.execute.frozen_text import clock_use
from sqlverdict.execute.values.arriving_rows import BATCH, collect_answer
from sqlverdict.files.digests import sha256_file
from sqlverdict.files.references import Reference, file_of
from sqlverdict.parse.schema import Column, Schema, Table
from sqlverdict.records import Failure, Outcome, Reason

QUERIES = SQLOptions().with_allow_ddl(False).with_allow_dml(False).with_allow_statements(False)
_REASONS = (
    (re.compile(r"No SQL statements"), Reason.NO_SQL_PRODUCED),
    (re.compile(r"only supports a single SQL statement"), Reason.UNSUPPORTED_FEATURE),
    (re.compile(r"(?:DDL|DML|Statement) not supported"), Reason.WRITE_BLOCKED),
    (re.compile(r"SQL error|ParserError|TokenizerError"), Reason.PARSE_ERROR),
    (re.compile(r"Resources exhausted"), Reason.MEMORY_LIMIT),
)
_CHANCE = re.compile(r"\b(?:random|uuid)\s*\(", re.IGNORECASE)
_DESCRIBES = re.compile(r"\s*(?:EXPLAIN|DESCRIBE|DESC|SHOW)\b", re.IGNORECASE)


class DataFusion(Engine):
    """DataFusion through its Python package. Its record promises what was checked and no more."""

    name = "datafusion"
    # The nearest one that sqlglot reads. The rules of PostgreSQL were never checked here, and
    # rules_checked is not set: nothing is proved by them.
    dialect = "postgres"
    suffixes = (".parquet",)
    folders = True
    enforces = frozenset({"types"})
    limits_memory = "process"
    version = metadata.version("datafusion")

    def open(
        self,
        database: Reference,
        limits: Limits,
        *,
        now: datetime | None = None,
        driver_values: bool = False,
    ) -> Session:
        """Register the files as tables, in a process apart. The clock does not stand still."""
        del now
        folder = _folder(database)
        make = partial(Folder, folder, limits, driver_values)
        return ApartSession(make, limits, lambda: self.digest(folder))

    def digest(self, database: Reference) -> str:
        """Digest of the names and bytes of all files."""
        parts = [f"{file.name} {sha256_file(file)}" for file in _files(_folder(database))]
        return sha256("\n".join(parts).encode()).hexdigest()

    def schema(self, database: Reference, db_id: str | None = None) -> Schema:
        """The columns of the files; Parquet declares no keys."""
        folder = _folder(database)
        tables = []
        try:
            for file in _files(folder):
                fields = pyarrow.parquet.read_schema(file)
                columns = [Column(each.name, _declared(each.type)) for each in fields]
                tables.append(Table(file.stem, tuple(columns)))
        except (OSError, ValueError) as error:
            raise SchemaError(f"{folder}: {error}", reason="unreadable") from error
        return Schema(db_id or folder.stem, tuple(tables), "catalogue")


class Folder:
    """The tables of a folder, in the process where queries run."""

    def __init__(self, folder: Path, limits: Limits, driver_values: bool) -> None:
        self._limits, self._driver_values = limits, driver_values
        runtime = RuntimeEnvBuilder().with_disk_manager_disabled()
        runtime = runtime.with_greedy_memory_pool(limits.memory)
        # One partition: the order of rows is the same every time.
        config = SessionConfig().with_target_partitions(1).with_batch_size(BATCH)
        self._context = SessionContext(config, runtime)
        try:
            for file in _files(folder):
                self._context.register_parquet(file.stem, str(file))
        except Exception as error:
            raise DatabaseError(f"{folder} cannot be read: {error}", reason="unreadable") from error

    def run(self, sql: str) -> Outcome:
        """Run one untrusted query."""
        began = perf_counter()
        if _DESCRIBES.match(sql):
            return Failure(Reason.UNSUPPORTED_FEATURE, "a description is no answer")
        use = clock_use(sql, DataFusion.dialect)
        volatile = use.may_read or use.chance or bool(_CHANCE.search(sql))
        try:
            frame = self._context.sql_with_options(sql, QUERIES)
            return collect_answer(
                frame.schema().names,
                _batches(frame),
                self._limits,
                volatile=volatile,
                driver_values=self._driver_values,
            )
        except UnicodeError as error:
            return Failure(Reason.PARSE_ERROR, f"the text cannot be sent: {error}")
        except (KeyboardInterrupt, SystemExit, MemoryError):
            raise
        except BaseException as error:  # noqa: BLE001 - a panic of Rust is no Exception
            return _failure(str(error), perf_counter() - began)

    def close(self) -> None:
        """Nothing is open between queries."""


def _batches(frame: Any) -> Iterator[list[tuple[object, ...]]]:
    for batch in frame.execute_stream():
        columns = [column.to_pylist() for column in batch.to_pyarrow().columns]
        yield list(zip(*columns, strict=True))


def _failure(text: str, seconds: float) -> Failure:
    for pattern, reason in _REASONS:
        if pattern.search(text):
            return Failure(reason, text)
    return Failure(Reason.EXECUTION_ERROR, text or "DataFusion says nothing", seconds=seconds)


_TYPES = (("int", "BIGINT"), ("uint", "BIGINT"), ("string", "TEXT"), ("large_string", "TEXT"))


def _declared(arrow: object) -> str:
    """The type of a column in the words of its dialect."""
    text = str(arrow)
    words = {"double": "DOUBLE PRECISION", "bool": "BOOLEAN", "binary": "BYTEA"}
    plain = next((declared for begin, declared in _TYPES if text.startswith(begin)), None)
    return plain or words.get(text, text.upper())


def _folder(database: Reference) -> Path:
    folder = file_of(database)
    if folder is None or not folder.is_dir() or not _files(folder):
        raise DatabaseError(f"{database} is no folder of Parquet files", reason="missing")
    return folder


def _files(folder: Path) -> list[Path]:
    return sorted(folder.glob("*.parquet"))
