"""What a query may do in DuckDB, what its errors mean, and a clock that stands still.

The settings of a session close files, the network and extensions, and are locked then. What they
leave open is told by name: table functions that read files, settings or other texts of SQL,
functions that sleep, write logs or change sequences. DuckDB itself cuts the text into tokens, so
that nothing hides in a string or a comment.

DuckDB looks for a function among the macros of the session first. So functions that read the clock
are replaced by macros, also where views and macros of the database call them; and functions that
make long texts are replaced by ones that keep to the memory limit, which DuckDB does not count
their texts against.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

import duckdb
from duckdb import DuckDBPyConnection

from sqlverdict.execute.engine import Limits
from sqlverdict.parse.measure import MOST_LEVELS
from sqlverdict.parse.tokens import leading_keyword, word_set
from sqlverdict.records import Failure, Fault, Reason

_STATEMENT_WORDS = word_set(
    "ALTER ANALYZE ATTACH BEGIN CALL CHECKPOINT COMMENT COMMIT COPY CREATE DEALLOCATE DELETE "
    "DETACH DROP END EXECUTE EXPORT FORCE IMPORT INSERT INSTALL LOAD MERGE PRAGMA PREPARE "
    "REPLACE RESET ROLLBACK SET START TRUNCATE UPDATE USE VACUUM"
)
_DESCRIPTIONS = word_set("DESC DESCRIBE EXPLAIN SHOW SUMMARIZE")
_TABLE_FUNCTIONS = word_set(
    "generate_series histogram histogram_values json_each json_tree range repeat repeat_row unnest"
)
"""Table functions that read nothing but their arguments, and the tables of the query."""
_CATALOGUE = word_set("duckdb_columns duckdb_constraints duckdb_indexes duckdb_tables duckdb_views")
_BLOCKED_FUNCTIONS = word_set(
    "current_setting getenv nextval pg_sleep setval sleep_ms write_log json_execute_serialized_sql"
)
CLOCK_FUNCTIONS = word_set(
    "age ago current_date current_localtime current_localtimestamp current_time current_timestamp "
    "get_current_time get_current_timestamp localtime localtimestamp now today "
    "transaction_timestamp"
)
_CHANCE_FUNCTIONS = word_set(
    "currval gen_random_uuid pg_conf_load_time pg_postmaster_start_time random sample setseed "
    "tablesample txid_current uuid uuidv4 uuidv7 "
    "current_connection_id current_query_id current_transaction_id"
)
_BARE = word_set(
    "current_date current_time current_timestamp localtime localtimestamp sample tablesample"
)
"""Words that need no parentheses behind them."""

_WRITES = {"delete": "from", "insert": "into or", "merge": "into"}
"""The words that follow where a statement writes; a table's name follows UPDATE."""

_FORMATS = word_set("format printf")
_WIDE = re.compile(r"%[-+ #0]*(?:\*|\d{6})|\{[^{}]*:[^{}]*\d{6}")
"""A width in a format that makes a long text of a short one."""

_WORDS = re.compile(r"\w+")
_BRACKETS = re.compile(r"[(\[{]|[)\]}]")
_VECTOR = 2_048
"""So many rows DuckDB works on at a time: texts for all of them must fit."""
_LIST_ELEMENT = 64
"""Bytes for an element of a list, with what is made of it."""
_TOO_LONG = "a text or list longer than the memory limit allows"
_READ_ONLY = re.compile(r"read-only|configuration has been locked|disabled by configuration")


def not_a_query(sql: str) -> Failure | None:
    """Why a text is not given to DuckDB's parser; ``None`` where it is."""
    word = leading_keyword(sql)
    if word in _STATEMENT_WORDS:
        return Failure(Reason.WRITE_BLOCKED, f"only reading is allowed; blocked: {word}")
    if word in _DESCRIPTIONS:
        return Failure(Reason.UNSUPPORTED_FEATURE, f"{word} gives a description, not an answer")
    if _depth(sql) > MOST_LEVELS:
        # The parser's time grows with the square of what is not closed.
        return Failure(Reason.PARSE_ERROR, f"nested deeper than {MOST_LEVELS} levels")
    return None


def _depth(sql: str) -> int:
    if sql.count("(") + sql.count("[") + sql.count("{") <= MOST_LEVELS:
        return 0
    depth = most = 0
    for match in _BRACKETS.finditer(sql):
        depth = depth + 1 if match[0] in "([{" else max(0, depth - 1)
        most = max(most, depth)
    return most


class _Piece(NamedTuple):
    """A token in lower case, without the quotes of a name."""

    name: str
    before: str
    """The token before it."""
    behind: str
    """The token behind it."""

    @property
    def opens(self) -> bool:
        """Whether it is called as a function is."""
        return self.behind == "("

    @property
    def writes(self) -> bool:
        """Whether a statement begins here that writes, in a common table expression."""
        if self.before != "(" or not self.behind[:1].isalpha():
            return False
        return self.name == "update" or self.behind in _WRITES.get(self.name, "").split()


_VIEWS = "SELECT lower(view_name), sql FROM duckdb_views() WHERE NOT internal"
_MACROS = (
    "SELECT lower(function_name), macro_definition FROM duckdb_functions() "
    "WHERE NOT internal AND macro_definition IS NOT NULL AND schema_name = 'main' "
    "AND database_name NOT IN ('temp', 'system')"
)


class NameGuard:
    """Which names a query calls that it must not, or that make its answer pass.

    Args:
        connection: An open database, with its views and macros.
        frozen: The clock stands still, so that only chance changes an answer.
        macros: Whether it may have macros; to list them takes as long as to open a database.
    """

    def __init__(
        self, connection: DuckDBPyConnection, *, frozen: bool, macros: bool = True
    ) -> None:
        self._blocked = _blocked_functions()
        self._suspicious = self._blocked | _FORMATS | {"update", *_WRITES}
        self._volatile = _CHANCE_FUNCTIONS if frozen else _CHANCE_FUNCTIONS | CLOCK_FUNCTIONS
        self._frozen = frozen
        self._sources = frozenset(self._volatile_sources(connection, macros))
        self._names = self._blocked | self._volatile | self._sources | CLOCK_FUNCTIONS

    def refusal(self, sql: str) -> Failure | None:
        """Why a query is not run: it writes, or calls a function that it must not."""
        if self._suspicious.isdisjoint(_words(sql)):
            return None
        for token in _tokens(sql):
            if token.opens and token.name in _FORMATS and _WIDE.search(sql):
                return Failure(Reason.MEMORY_LIMIT, _TOO_LONG)
            if token.writes or (token.opens and token.name in self._blocked):
                what = token.name.upper() if token.writes else f"function {token.name}()"
                return Failure(Reason.WRITE_BLOCKED, f"only reading is allowed; blocked: {what}")
        return None

    def is_volatile(self, sql: str) -> bool:
        """Whether the answer depends on the clock or on chance, as far as names tell."""
        if self._names.isdisjoint(_words(sql)):
            return False
        tokens = _tokens(sql)
        return any(self._is_volatile(tokens, index) for index in range(len(tokens)))

    def _is_volatile(self, tokens: list[_Piece], index: int) -> bool:
        token = tokens[index]
        name = token.name
        if name in self._sources:
            return True
        if not token.opens and name not in _BARE:
            return False
        if self._frozen and token.before == "." and name in CLOCK_FUNCTIONS:
            # system.main.now() is not replaced.
            return True
        if name == "age" and name in self._volatile:
            return not _has_two_arguments(tokens, index + 1)
        return name in self._volatile

    def _volatile_sources(self, connection: DuckDBPyConnection, macros: bool) -> Iterator[str]:
        """Views and macros of the database that are volatile, or read such."""
        listing = f"{_VIEWS} UNION ALL {_MACROS}" if macros else _VIEWS
        texts: dict[str, str] = dict(connection.execute(listing).fetchall())
        self._sources = frozenset()
        self._names = self._volatile | CLOCK_FUNCTIONS
        while True:
            more = {name for name, text in texts.items() if self.is_volatile(_body(text, name))}
            if not more:
                return
            yield from more
            self._sources |= more
            self._names |= more
            texts = {name: text for name, text in texts.items() if name not in more}


def _body(text: str, name: str) -> str:
    """A view's declaration without its own name in front."""
    return text[text.lower().find(name) + len(name) :] if text[:6].upper() == "CREATE" else text


def _words(sql: str) -> Iterable[str]:
    return _WORDS.findall(sql.lower())


def _tokens(sql: str) -> list[_Piece]:
    """The tokens of a text as DuckDB cuts it, without comments."""
    data = sql.encode()
    starts = duckdb.tokenize(sql)
    texts: list[str] = []
    for (start, kind), (end, _) in pairwise([*starts, (len(data), None)]):
        text = data[start:end].decode().strip().lower()
        if kind == duckdb.token_type.string_const:
            texts.append("''")
        elif kind != duckdb.token_type.comment:
            texts.append(text[1:-1] if text[:1] == '"' else text)
    around = zip(["", *texts], texts, [*texts[1:], ""], strict=False)
    return [_Piece(text, before, behind) for before, text, behind in around]


def _has_two_arguments(tokens: list[_Piece], start: int) -> bool:
    depth = 0
    for token in tokens[start:]:
        depth += (token.name in "([{") - (token.name in ")]}")
        if depth == 1 and token.name == ",":
            return True
        if depth <= 0:
            break
    return False


@lru_cache(maxsize=1)
def _blocked_functions() -> frozenset[str]:
    """Table functions that may read more than their arguments, and functions that do more."""
    connection = duckdb.connect()
    rows = connection.execute(
        "SELECT lower(function_name) FROM duckdb_functions() "
        "WHERE internal AND function_type IN ('table', 'table_macro')"
    ).fetchall()
    connection.close()
    tables = frozenset(name for (name,) in rows)
    return (tables - _TABLE_FUNCTIONS - _CATALOGUE) | _BLOCKED_FUNCTIONS


def macros(limits: Limits, now: datetime | None) -> Iterator[str]:
    """The statements that replace functions in a session."""
    most = limits.memory // _VECTOR
    for function, parameters, arguments, size in (
        ("repeat", "s, n", "s, {}", "n::DOUBLE * len(s::VARCHAR)"),
        ("lpad", "s, n, p", "s, {}, p", "n"),
        ("rpad", "s, n, p", "s, {}, p", "n"),
    ):
        count = f"CASE WHEN {size} > {most} THEN error('{_TOO_LONG}') ELSE n END"
        call = f"system.main.{function}({arguments.format(count)})"
        yield f"CREATE TEMP MACRO {function}({parameters}) AS {call}"
    for function in ("generate_series", "range"):
        yield f"CREATE TEMP MACRO {function}" + ", ".join(
            f"({', '.join(parameters)}) AS {_bounded_list(function, parameters, limits)}"
            for parameters in ("a", "ab", "abc")
        )
    if now is None:
        return
    moment = now.astimezone(UTC) if now.tzinfo is not None else now
    text = moment.strftime("%Y-%m-%d %H:%M:%S.%f")
    day, _, time = text.partition(" ")
    stamp = f"TIMESTAMPTZ '{text}+00'"
    for name in ("now", "get_current_timestamp", "transaction_timestamp"):
        yield f"CREATE TEMP MACRO {name}() AS {stamp}"
    for name in ("today", "current_date"):
        yield f"CREATE TEMP MACRO {name}() AS DATE '{day}'"
    yield f"CREATE TEMP MACRO get_current_time() AS TIMETZ '{time}+00'"
    yield f"CREATE TEMP MACRO current_localtime() AS TIME '{time}'"
    yield f"CREATE TEMP MACRO current_localtimestamp() AS TIMESTAMP '{text}'"
    yield f"CREATE TEMP MACRO ago(i) AS {stamp} - i"
    yield (
        f"CREATE TEMP MACRO age(t) AS system.main.age(TIMESTAMP '{day}', t), "
        "(t, u) AS system.main.age(t, u)"
    )


def _bounded_list(function: str, parameters: str, limits: Limits) -> str:
    """A call that makes a list of numbers, or fails where it is too long; one of times is free."""
    start, end = ("0", "a") if parameters == "a" else ("a", "b")
    step = "c" if "c" in parameters else "1"
    numbers = [f"TRY_CAST({each}::VARCHAR AS DOUBLE)" for each in (start, end, step)]
    length = f"({numbers[1]} - {numbers[0]}) / {numbers[2]}"
    most = limits.memory // _LIST_ELEMENT
    checked = f"CASE WHEN {length} > {most} THEN error('{_TOO_LONG}') ELSE {end} END"
    arguments = [checked if each == end else each for each in parameters]
    return f"system.main.{function}({', '.join(arguments)})"


def failure_of(error: Exception, seconds: float) -> Failure:
    """Name what DuckDB said."""
    text = str(error).partition("\n\nLINE ")[0]
    if isinstance(error, duckdb.ParserException | duckdb.SyntaxException):
        return Failure(Reason.PARSE_ERROR, text)
    if isinstance(error, duckdb.PermissionException) or _READ_ONLY.search(text):
        return Failure(Reason.WRITE_BLOCKED, f"only reading is allowed: {text}")
    if isinstance(error, duckdb.OutOfMemoryException | MemoryError) or _TOO_LONG in text:
        return Failure(Reason.MEMORY_LIMIT, f"the engine's memory limit was reached: {text}")
    if isinstance(error, duckdb.IOException):
        return Failure(
            Reason.DATABASE_UNAVAILABLE,
            f"the database cannot be read: {text}. Check or restore the file.",
            fault=Fault.ENGINE,
            repeatable=False,
        )
    return Failure(Reason.EXECUTION_ERROR, text, seconds=seconds)
