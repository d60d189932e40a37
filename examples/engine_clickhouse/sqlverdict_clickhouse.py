"""ClickHouse inside a process (chdb). A database is a file of the statements that make its tables.

ClickHouse's own parser reads a query and writes it anew; what it may call and read is decided on
its tree. The session is read-only. Queries run in a process apart, which is killed where one
overruns its time or memory.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from datetime import datetime
from decimal import Decimal
from functools import partial
from importlib import metadata
from itertools import count
from pathlib import Path
from time import perf_counter
from typing import Any

from sqlverdict.errors import DatabaseError, SchemaError
from sqlverdict.execute.apart.remote import Remote
from sqlverdict.execute.apart.session import ApartSession
from sqlverdict.execute.engine import Engine, Limits, Session
from sqlverdict.execute.values.arriving_rows import collect_answer
from sqlverdict.files.digests import sha256_file
from sqlverdict.files.references import Reference, file_of
from sqlverdict.parse.schema import Column, Schema, Table
from sqlverdict.parse.tokens import leading_keyword, word_set
from sqlverdict.records import Failure, Outcome, Reason

_ROWS = "JSONCompactEachRowWithNamesAndTypes"
_STATEMENTS = word_set(
    "ALTER ATTACH BACKUP CREATE DELETE DETACH DROP EXCHANGE GRANT INSERT KILL OPTIMIZE RENAME "
    "REPLACE RESTORE REVOKE SET SYSTEM TRUNCATE UNDROP UPDATE USE"
)
_UNSAFE = """
'', 'Other', 'AI', 'Introspection', 'Internal', 'Dictionary', 'Embedded Dictionary',
'Machine Learning'"""
"""Kinds of functions that may read files, settings or other tables, or wait."""
_HARMLESS = word_set(
    "numbers zeros values null generate_series generateseries greatest least materialize isfinite "
    "isnan transform totypename"
)
_FUNCTIONS = f"""
SELECT lower(f.name), f.deterministic,
       if(f.alias_to = '', f.categories, k.categories) IN ({_UNSAFE}) AS unsafe
FROM system.functions AS f LEFT JOIN system.functions AS k ON f.alias_to = k.name
UNION ALL SELECT lower(name), 1, 1 FROM system.table_functions"""  # noqa: S608 - no text of others
_COLUMNS = """SELECT table, name, type FROM system.columns
WHERE database = currentDatabase() ORDER BY table, position"""
_NODE = re.compile(r"\s*(Function|TableIdentifier|Identifier) (\S+)")
_OTHERS = re.compile(r"(?:system|information_schema|default|sqlverdict_\d+)\.", re.IGNORECASE)
_NUMBERS = {"Float": float, "BFloat": float, "Decimal": Decimal}
_NUMBER = re.compile("|".join(_NUMBERS))
_WRAPPED = re.compile(r"(?:Nullable|LowCardinality)\((.*)\)")
_CODES = {62: Reason.PARSE_ERROR, 159: Reason.EXECUTION_TIMEOUT}
_CODES |= {164: Reason.WRITE_BLOCKED, 241: Reason.MEMORY_LIMIT}
_numbers = count()


class ClickHouse(Engine):
    """ClickHouse through chdb. Its record promises what was checked and no more."""

    name = "clickhouse"
    dialect = "clickhouse"
    suffixes = (".clickhouse",)
    enforces = frozenset({"types"})
    repeats_names = True
    limits_memory = "process"
    version = metadata.version("chdb-core")

    def open(
        self,
        database: Reference,
        limits: Limits,
        *,
        now: datetime | None = None,
        driver_values: bool = False,
    ) -> Session:
        """Run the file's statements in a process apart. The clock does not stand still."""
        del now
        file = _file(database)
        make = partial(Database, file, limits, driver_values)
        return ApartSession(make, limits, lambda: self.digest(file))

    def digest(self, database: Reference) -> str:
        """Digest of the file."""
        return sha256_file(_file(database))

    def schema(self, database: Reference, db_id: str | None = None) -> Schema:
        """The tables as ClickHouse describes them; its primary keys are not unique."""
        file, limits = _file(database), Limits()
        remote = Remote(partial(Database, file, limits, False), limits)
        columns = remote.call("columns", seconds=limits.seconds)
        remote.close()
        if isinstance(columns, Failure):
            raise SchemaError(f"{file}: {columns.message}", reason="failed")
        tables: dict[str, list[Column]] = {}
        for table, name, declared in columns:
            tables.setdefault(table, []).append(Column(name, declared))
        whole = tuple(Table(name, tuple(each)) for name, each in tables.items())
        return Schema(db_id or file.stem, whole, "catalogue")


class Database:
    """The tables of a file, in the process where queries run."""

    def __init__(self, file: Path, limits: Limits, driver_values: bool) -> None:
        # Here and not above: chdb must not be loaded twice, and takes a second.
        import chdb

        self._limits, self._driver_values = limits, driver_values
        self._name = f"sqlverdict_{next(_numbers)}"
        self._connection = chdb.connect(":memory:")
        try:
            statements = file.read_text(encoding="utf-8")
            for sql in (f"CREATE DATABASE {self._name}", f"USE {self._name}", statements):
                self._connection.query(sql, "Null")
            if not self.columns():
                raise ValueError("it makes no table")
            functions = self._table(_FUNCTIONS)
            self._blocked = {name for name, _, unsafe in functions if unsafe} - _HARMLESS
            self._volatile = {name for name, fixed, _ in functions if not fixed}
            for name, value in self._settings():
                self._connection.query(f"SET {name} = {value}", "Null")
        except (RuntimeError, OSError, ValueError) as error:
            self.close()
            raise DatabaseError(
                f"{file} is no file of ClickHouse statements: {error}", reason="not_a_database"
            ) from error

    def _settings(self) -> Iterator[tuple[str, object]]:
        yield "max_threads", 1
        yield "max_execution_time", self._limits.seconds
        yield "max_memory_usage", self._limits.memory
        yield "max_query_size", 16 * self._limits.sql_length
        yield "implicit_select", 0
        yield "output_format_json_quote_64bit_integers", 0
        yield "output_format_json_quote_decimals", 1
        yield "output_format_json_quote_denormals", 1
        # The last one: nothing can be set afterwards.
        yield "readonly", 1

    def columns(self) -> list[list[Any]]:
        """The columns of all tables: table, name, type."""
        return self._table(_COLUMNS)

    def run(self, sql: str) -> Outcome:
        """Run one untrusted query."""
        began = perf_counter()
        word = leading_keyword(sql)
        if word in _STATEMENTS:
            return Failure(Reason.WRITE_BLOCKED, f"only reading is allowed; blocked: {word}")
        try:
            (text,) = self._table(f"SELECT formatQuerySingleLine(unhex('{sql.encode().hex()}'))")[0]
            checked = self._check(text)
            if isinstance(checked, Failure):
                return checked
            names, types, *lines = self._query(text).splitlines()
            reads = [_reader(declared) for declared in json.loads(types)]
            rows = [[f(cell) for f, cell in zip(reads, _json(line), strict=True)] for line in lines]
            return collect_answer(
                _json(names),
                [rows],
                self._limits,
                volatile=checked,
                driver_values=self._driver_values,
            )
        except UnicodeError as error:
            return Failure(Reason.PARSE_ERROR, f"the text cannot be sent: {error}")
        except RuntimeError as error:
            return _failure(str(error), perf_counter() - began)

    def _check(self, text: str) -> bool | Failure:
        """Why a query is not run; where it is, whether its answer may be another one next time."""
        if not text.startswith(("SELECT", "WITH", "(")):
            return Failure(Reason.UNSUPPORTED_FEATURE, "only queries are answered")
        tree = [str(line) for (line,) in self._table(f"EXPLAIN AST {text}")]
        if tree[0] != "SelectWithUnionQuery (children 1)":
            return Failure(Reason.WRITE_BLOCKED, "INTO OUTFILE, FORMAT and SETTINGS are blocked")
        volatile = False
        for kind, name in (node.groups() for node in map(_NODE.match, tree) if node):
            if kind == "Function" and name.lower() in self._blocked:
                return Failure(Reason.UNSUPPORTED_FEATURE, f"the function {name} is blocked")
            if kind != "Function" and _OTHERS.match(name):
                return Failure(Reason.UNSUPPORTED_FEATURE, f"{name} is no table of this database")
            volatile |= kind == "Function" and name.lower() in self._volatile
        return volatile

    def _table(self, sql: str) -> list[list[Any]]:
        return [_json(line) for line in self._query(sql).splitlines()[2:]]

    def _query(self, sql: str) -> bytes:
        sql.encode()
        try:
            return bytes(self._connection.query(sql, _ROWS).bytes())
        except RuntimeError:
            # What a query wrote before it failed would stand in front of the next answer.
            while self._connection.query("SELECT 1", "Null").bytes():
                pass
            raise

    def close(self) -> None:
        """Drop the tables."""
        import chdb

        self._connection.close()
        other = chdb.connect(":memory:")
        other.query(f"DROP DATABASE IF EXISTS {self._name}", "Null")
        other.close()


def _json(line: bytes) -> Any:
    """A line of a result; bytes that are no UTF-8 stay, as half surrogates."""
    return json.loads(line.decode("utf-8", "surrogateescape"))


def _reader(declared: str) -> Callable[[Any], object]:
    """What a value of a column's type means."""
    while wrapped := _WRAPPED.fullmatch(declared):
        declared = wrapped[1]
    number = _NUMBER.match(declared)
    read = _text if number is None else _NUMBERS[number[0]]
    return lambda value: None if value is None else read(value)


def _text(value: object) -> object:
    """A String holds any bytes: what is no UTF-8 is a blob."""
    odd = isinstance(value, str) and any("\udc80" <= each <= "\udcff" for each in value)
    return str(value).encode("utf-8", "surrogateescape") if odd else value


def _failure(text: str, seconds: float) -> Failure:
    code = re.match(r"Code: (\d+)", text)
    reason = _CODES.get(int(code[1]) if code else 0, Reason.EXECUTION_ERROR)
    if "Empty query" in text:
        reason = Reason.NO_SQL_PRODUCED
    elif "Multi-statements" in text:
        reason = Reason.UNSUPPORTED_FEATURE
    late = reason is Reason.EXECUTION_TIMEOUT
    return Failure(reason, text or "ClickHouse says nothing", seconds=seconds, repeatable=not late)


def _file(database: Reference) -> Path:
    file = file_of(database)
    if file is None or not file.is_file():
        raise DatabaseError(f"{database} is no file of ClickHouse statements", reason="missing")
    return file
