"""What a text may be, what DuckDB's errors mean, and a clock that stands still.

The settings of a session close files, the network and extensions, and are locked then. What they
leave open is decided on DuckDB's own tree of the text (``tree``). Functions that no interrupt
reaches into run in a process that can be killed (``bounded``).

DuckDB looks for a function among the macros of the session first. So functions that read the clock
are replaced by macros, also where views and macros of the database call them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from itertools import pairwise
from typing import NamedTuple

import duckdb
from duckdb import DuckDBPyConnection

from sqlverdict.execute.attempt import damaged_file, out_of_memory, write_blocked
from sqlverdict.execute.engines.duckdb.names import is_plain, words_of
from sqlverdict.execute.engines.duckdb.tree import tree_refusal
from sqlverdict.parse.measure import MOST_LEVELS
from sqlverdict.parse.tokens import leading_keyword, word_set
from sqlverdict.records import Failure, Reason

_STATEMENT_WORDS = word_set(
    "ALTER ANALYZE ATTACH BEGIN CALL CHECKPOINT COMMENT COMMIT COPY CREATE DEALLOCATE DELETE "
    "DETACH DROP END EXECUTE EXPORT FORCE IMPORT INSERT INSTALL LOAD MERGE PRAGMA PREPARE "
    "REPLACE RESET ROLLBACK SET START TRUNCATE UPDATE USE VACUUM"
)
_DESCRIPTIONS = word_set("DESC DESCRIBE EXPLAIN SHOW SUMMARIZE")
CLOCK_FUNCTIONS = word_set(
    "age ago current_date current_localtime current_localtimestamp current_time current_timestamp "
    "get_current_time get_current_timestamp localtime localtimestamp now today "
    "transaction_timestamp"
)
_CHANCE_FUNCTIONS = word_set(
    "currval gen_random_uuid pg_conf_load_time pg_postmaster_start_time random sample setseed "
    "tablesample txid_current uuid uuidv4 uuidv7 "
    "current_connection_id current_query_id current_transaction_id "
    "current_catalog current_database current_query current_schema current_schemas "
    "in_search_path stats"
)
"""What gives another value each time, or tells a database of ours from the real one."""
_CATALOGUE = re.compile(
    r"\b(?:duckdb_[a-z_]+|pragma_[a-z_]+|information_schema|sqlite_(?:temp_)?(?:master|schema)"
    r"|pg_(?:catalog|am|attrdef|attribute|class|constraint|database|depend|description|enum|index"
    r"|indexes|namespace|proc|sequence|sequences|settings|tables|tablespace|type|views))\b"
)
"""What describes the database; a name in quotes may be that of a table too."""
_BARE = word_set(
    "current_catalog current_date current_schema current_time current_timestamp localtime "
    "localtimestamp sample tablesample"
)
"""Words that need no parentheses behind them."""

_NO_BRACKETS = re.compile(r"[^()\[\]{}]+")
_READ_ONLY = re.compile(r"read-only|configuration has been locked|disabled by configuration")

_OTHER = re.compile(r'does not exist because schema "|\bCatalog "[^"]*" does not exist')
_NOT_ATTACHED = (
    "If that is another DuckDB file, name it in the URL of the database, such as "
    "duckdb://FIRST.duckdb?attach=OTHER.duckdb"
)


def not_a_query(sql: str) -> Failure | None:
    """Why a text is not given to DuckDB's parser; ``None`` where it is."""
    word = leading_keyword(sql)
    if word in _STATEMENT_WORDS:
        return write_blocked(word)
    if word in _DESCRIPTIONS:
        return Failure(Reason.UNSUPPORTED_FEATURE, f"{word} gives a description, not an answer")
    if _is_too_deep(sql):
        # The parser's time grows with the square of what is not closed.
        return Failure(Reason.PARSE_ERROR, f"nested deeper than {MOST_LEVELS} levels")
    return None


def canonical(connection: DuckDBPyConnection, sql: str) -> str | Failure:
    """The text that the engine gets for a query: that which DuckDB's parser read, or none.

    See ``tree`` for why it is not written anew.
    """
    try:
        statements = connection.extract_statements(sql)
    except duckdb.Error as error:
        return failure_of(error, 0.0)
    if len(statements) != 1:
        return Failure(Reason.UNSUPPORTED_FEATURE, "exactly one statement is expected")
    refusal = not_a_query(sql) or tree_refusal(connection, sql)
    return str(statements[0].query) if refusal is None else refusal


def _is_too_deep(sql: str) -> bool:
    if sql.count("(") + sql.count("[") + sql.count("{") <= MOST_LEVELS:
        return False
    depth = 0
    for bracket in _NO_BRACKETS.sub("", sql):
        if bracket in "([{":
            depth += 1
            if depth > MOST_LEVELS:
                return True
        elif depth:
            depth -= 1
    return False


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


_VIEWS = (
    "SELECT lower(view_name), string_agg(sql, ' ') FROM duckdb_views() "
    "WHERE NOT internal GROUP BY 1"
)
"""Several schemas may have views of one name: whatever one of them does, the name may do."""
_MACROS = (
    "SELECT lower(function_name), string_agg(macro_definition, ' ') FROM duckdb_functions() "
    "WHERE NOT internal AND macro_definition IS NOT NULL "
    "AND database_name NOT IN ('temp', 'system') GROUP BY 1"
)


_NESTED = (
    "SELECT 1 FROM duckdb_columns() WHERE NOT internal AND "
    "(data_type LIKE '%[%' OR data_type IN ('BIGNUM', 'BIT', 'JSON', 'VARIANT')) LIMIT 1"
)
"""Whether there are values that ``+`` makes longer."""


class NameGuard:
    """Which names of a database make an answer pass, or a query slow.

    Args:
        connection: An open database, with its views and macros.
        frozen: The clock stands still, so that only chance changes an answer.
        macros: Whether it may have macros; to list them takes as long as to open a database.
    """

    def __init__(
        self, connection: DuckDBPyConnection, *, frozen: bool, macros: bool = True
    ) -> None:
        self._volatile = _CHANCE_FUNCTIONS if frozen else _CHANCE_FUNCTIONS | CLOCK_FUNCTIONS
        self._frozen = frozen
        views: dict[str, str] = dict(connection.execute(_VIEWS).fetchall())
        calls: dict[str, str] = dict(connection.execute(_MACROS).fetchall()) if macros else {}
        self._slow = _slow_words(views, calls)
        self._grows = bool(connection.execute(_NESTED).fetchone())
        self._sources = frozenset(self._volatile_sources({**views, **calls}))
        self._names = self._volatile | self._sources | CLOCK_FUNCTIONS

    def is_plain(self, sql: str) -> bool:
        """Whether a query is sure to stop when it is told to, with the database's own views."""
        if not is_plain(sql) or (self._grows and "+" in sql):
            return False
        return not self._slow or self._slow.isdisjoint(words_of(sql))

    def is_volatile(self, sql: str) -> bool:
        """Whether the answer depends on the clock, on chance or on the session, as names tell."""
        if "_" in sql and _CATALOGUE.search(sql.lower()) is not None:
            return True
        if self._names.isdisjoint(words_of(sql)):
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

    def _volatile_sources(self, texts: dict[str, str]) -> Iterator[str]:
        """Views and macros of the database that are volatile, or read such."""
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


def _slow_words(views: Mapping[str, str], macros: Mapping[str, str]) -> frozenset[str]:
    """The words of names behind which more than a quick function may stand.

    A macro is one always: what it does depends on what it is called with.
    """
    slow = frozenset[str]().union(*map(words_of, macros))
    while True:
        more = [
            words_of(name)
            for name, text in views.items()
            if not (is_plain(_body(text, name)) and slow.isdisjoint(words_of(text)))
        ]
        wider = slow.union(*more)
        if wider == slow:
            return slow
        slow = wider


def _body(text: str, name: str) -> str:
    """A view's declaration without its own name in front."""
    return text[text.lower().find(name) + len(name) :] if text[:6].upper() == "CREATE" else text


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


def clock_macros(now: datetime | None) -> Iterator[str]:
    """The statements that make the clock of a session stand still."""
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


_OF_DATA = (
    duckdb.IOException,
    duckdb.FatalException,
    duckdb.InternalException,
    duckdb.SerializationException,
)
"""Errors that a damaged file raises; some can be raised by a text, too."""


def failure_of(error: Exception, seconds: float) -> Failure:
    """The failure for an error of DuckDB: its reason and message."""
    text = str(error).partition("\n\nLINE ")[0]
    if isinstance(error, duckdb.ParserException | duckdb.SyntaxException):
        return Failure(Reason.PARSE_ERROR, text)
    if isinstance(error, duckdb.PermissionException) or _READ_ONLY.search(text):
        return Failure(Reason.WRITE_BLOCKED, f"only reading is allowed: {text}")
    if isinstance(error, duckdb.OutOfMemoryException | MemoryError):
        return out_of_memory(text)
    if isinstance(error, _OF_DATA) or type(error) is duckdb.Error:
        # A damaged block is no more than an Error. Whose fault it is, a probe decides.
        return damaged_file(text)
    if isinstance(error, duckdb.CatalogException | duckdb.BinderException) and _OTHER.search(text):
        text = f"{text.rstrip('.! ')}. {_NOT_ATTACHED}"
    return Failure(Reason.EXECUTION_ERROR, text, seconds=seconds)
