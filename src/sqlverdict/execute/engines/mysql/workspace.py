"""A copy of a MySQL database on its server; statements may write to it, and it is dropped.

The server copies the tables with their rows, keys and views. A database with triggers, functions,
procedures or sequences of its own is not copied: they could do anything, and a copy without them
would fail where the database does not. Statements that name another database, the original
included, are refused, and so is all that outlives the copy: files, settings, users, other engines
of tables. The mode is strict, as it is by default on a server: what does not fit into a column is
an error.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing
from datetime import datetime
from typing import TYPE_CHECKING, Final

import pymysql

from sqlverdict.errors import DatabaseError, SchemaError
from sqlverdict.execute.engine import Limits
from sqlverdict.execute.engines.mysql.connection import (
    MODE,
    connect,
    quote_in_backticks,
    server_errors,
    server_message,
)
from sqlverdict.execute.engines.mysql.cursor import LimitedCursor
from sqlverdict.execute.engines.mysql.functions import BLOCKED_FUNCTIONS, FUNCTIONS, KEYWORDS, TYPES
from sqlverdict.execute.engines.mysql.own_database import OwnDatabase
from sqlverdict.execute.engines.mysql.reader import WRITE
from sqlverdict.execute.engines.mysql.sandbox import DIALECT, Reach, canonical
from sqlverdict.execute.engines.mysql.schema import read_schema
from sqlverdict.execute.engines.mysql.scratch_tables import make_views
from sqlverdict.execute.engines.mysql.session import epoch, other_databases, reach_of, view_texts
from sqlverdict.execute.engines.mysql.spelling import Spelling, spelling_of
from sqlverdict.execute.lexemes import Lex, Lexeme
from sqlverdict.execute.servers.refusals import QUERIES, change_blocked, change_refusal
from sqlverdict.execute.servers.session import ServerWorkspace
from sqlverdict.execute.servers.statements import database_errors, rows_of, undo_on_error
from sqlverdict.files.references import Reference
from sqlverdict.parse.schema import Table, is_view
from sqlverdict.parse.tokens import word_set
from sqlverdict.records import Answer, Failure, Outcome, Reason

if TYPE_CHECKING:
    from sqlverdict.execute.engines.mysql.connection import Connection

PREFIX: Final = "sqlverdict_copy_"
_LARGEST: Final = 256 * 2**20
"""A larger database is not copied."""
_UNCOPIED: Final = {
    "triggers": "SELECT count(*) FROM information_schema.triggers "
    "WHERE trigger_schema = database()",
    "functions or procedures": "SELECT count(*) FROM information_schema.routines "
    "WHERE routine_schema = database()",
    "sequences or tables with versions": "SELECT count(*) FROM information_schema.tables "
    "WHERE table_schema = database() AND table_type NOT IN ('BASE TABLE', 'VIEW')",
}
_TABLES: Final = (
    "SELECT table_name FROM information_schema.tables "
    "WHERE table_schema = database() AND table_type = 'BASE TABLE'"
)
_WRITERS: Final = word_set("insert update delete replace truncate")
_OBJECTS: Final = word_set("table view index")
_BEFORE_OBJECT: Final = word_set(
    "or replace temporary unique fulltext spatial algorithm undefined merge temptable sql security "
    "invoker ignore if exists not"
)
_ENGINES: Final = word_set("innodb myisam aria memory")
_OUTSIDE: Final = word_set("connection directory tablespace")
"""Options of tables that lead out of the database."""
_NAMES_FOLLOW: Final = word_set(
    "add check column constraint exists foreign fulltext ignore index insert into key references "
    "replace spatial table unique view"
)
"""Words behind which a table, an index or a column is named, and nothing is called."""
_DECLARATIONS: Final = word_set(
    "always as btree datetime engine generated hash partitions primary range list set time "
    "timestamp year values"
)
_SYSTEM: Final = word_set("information_schema mysql performance_schema sys")
_FILES: Final = word_set("outfile dumpfile")


class MysqlWorkspace(ServerWorkspace[Spelling]):
    """One copy. Not for several threads at once.

    Args:
        database: The URL of the original.
        limits: What one statement may spend.
        now: What the clock shows.

    Raises:
        DatabaseError: the database cannot be copied.
    """

    dialect = DIALECT

    def __init__(self, database: Reference, limits: Limits, now: datetime | None) -> None:
        super().__init__(limits, now)
        with closing(connect(database, limits)) as original:
            name, options, tables = _read(original, database)
        self._own = OwnDatabase.of_kind(database, limits, PREFIX, options)
        with undo_on_error(self._own.close):
            with server_errors(f"{database} cannot be copied"):
                _copy(self._own.connection, name, tables)
            self._cursor = self._open(database)

    def _open(self, database: Reference) -> LimitedCursor:
        reader = self._own.reader(WRITE)
        login = None if reader is None else reader.login
        connection = connect(database, self._limits, name=self._own.name, login=login)
        rows_of(connection, f"SET SESSION sql_mode = '{MODE},STRICT_TRANS_TABLES'")
        if self._now is not None:
            rows_of(connection, f"SET SESSION timestamp = {epoch(self._now)}")
        # The connection that made it sees more of them.
        self._others = other_databases(self._own.connection) | _SYSTEM
        self._reach = reach_of(connection)
        return LimitedCursor(
            connection,
            lambda: connect(database, self._limits, name="", login=login),
            self._limits,
            no_result=Answer((), []),
            views=view_texts(connection),
        )

    def _read(self, sql: str) -> Spelling | Failure:
        return _read_statement(sql, self._reach, self._others)

    def _run(self, statement: Spelling) -> Outcome:
        return self._cursor.run(statement.text)

    def tables(self) -> list[str]:
        """The names of its tables, sorted."""
        with server_errors("the tables cannot be listed"):
            return sorted(name for (name,) in rows_of(self._own.connection, _TABLES))

    def close(self) -> None:
        """Drop the copy."""
        self._cursor.close()
        self._own.close()


def _read(original: Connection, database: Reference) -> tuple[str, str, Sequence[Table]]:
    """The name of a database, its character set and collation, and its tables."""
    with database_errors(
        (pymysql.Error, SchemaError), server_message, f"{database} cannot be copied"
    ):
        for what, query in _UNCOPIED.items():
            if rows_of(original, query) != [(0,)]:
                raise DatabaseError(
                    f"{database} has {what}, and statements that write run on a copy without them. "
                    "Give a database without them",
                    reason="unsupported",
                )
        ((name, charset, collation, size),) = rows_of(
            original,
            "SELECT database(), @@character_set_database, @@collation_database, "
            "(SELECT coalesce(sum(data_length), 0) FROM information_schema.tables "
            "WHERE table_schema = database())",
        )
        tables = read_schema(original, str(name)).tables
    if int(str(size)) > _LARGEST:
        raise DatabaseError(
            f"{database} has more than {_LARGEST:,} bytes, and statements that write run on a "
            "copy. Give a smaller database",
            reason="unsupported",
        )
    return str(name), f" CHARACTER SET {charset} COLLATE {collation}", tables


def _copy(connection: Connection, original: str, tables: Sequence[Table]) -> None:
    """Copy tables, rows and views into the connection's database.

    Raises:
        pymysql.Error: the server does not take one of them.
    """
    rows_of(connection, f"SET SESSION sql_mode = '{MODE},NO_AUTO_VALUE_ON_ZERO'")
    rows_of(connection, "SET SESSION foreign_key_checks = 0")
    # At this level the rows of the original are read without locks.
    rows_of(connection, "SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED")
    for table in tables:
        if is_view(table):
            continue
        rows_of(connection, table.sql or "")
        own = [quote_in_backticks(c.name) for c in table.columns if c.generated is None]
        names, target = ", ".join(own), quote_in_backticks(table.name)
        rows_of(
            connection,
            f"INSERT INTO {target} ({names}) "  # noqa: S608 (quoted by us)
            f"SELECT {names} FROM {quote_in_backticks(original)}.{target}",
        )
    make_views(connection, [table for table in tables if is_view(table)])


def _read_statement(sql: str, reach: Reach, others: frozenset[str]) -> Spelling | Failure:
    """A statement that may write as it is sent, or why it is not.

    Args:
        sql: The untrusted text.
        reach: What a query may name.
        others: The names of the other databases on the server, in lower case.
    """
    spelling = spelling_of(sql)
    if isinstance(spelling, Failure):
        return spelling
    parts = spelling.parts
    words = [part.name for part in parts if part.kind is Lex.WORD]
    if words and words[0] in QUERIES and not _WRITERS.intersection(words):
        text = canonical(sql, reach)
        return text if isinstance(text, Failure) else spelling
    reply = change_refusal(parts, _WRITERS, _OBJECTS, _BEFORE_OBJECT)
    if reply is None:
        reply = _blocked_part(parts, words[0], others)
    return spelling if reply is None else reply


def _blocked_part(parts: Sequence[Lexeme], verb: str, others: frozenset[str]) -> Failure | None:
    texts = ["", *(part.text for part in parts), "", ""]
    for index, part in enumerate(parts):
        before, behind, second = texts[index], texts[index + 2], texts[index + 3]
        if part.kind not in (Lex.WORD, Lex.NAME):
            continue
        name = part.name.lower()
        if behind == "." and (name in others):
            return change_blocked(f"the database {name}")
        if behind == "(":
            reply = _call(part, name, before.lower(), verb)
            if reply is not None:
                return reply
        if part.kind is Lex.NAME:
            continue
        if before.lower() == "into" and name in _FILES:
            return change_blocked(f"INTO {name.upper()}")
        if verb in ("create", "alter"):
            engine = second if behind == "=" else behind
            if name in _OUTSIDE or (name == "engine" and engine.lower() not in _ENGINES):
                return change_blocked(f"{name.upper()} {engine[:40]}")
    return None


def _call(part: Lexeme, name: str, before: str, verb: str) -> Failure | None:
    """Why what stands before a parenthesis is refused."""
    if name in BLOCKED_FUNCTIONS:
        return change_blocked(f"{name}()")
    is_word = part.kind is Lex.WORD and name in KEYWORDS | TYPES | _NAMES_FOLLOW | _DECLARATIONS
    is_name = before in _NAMES_FOLLOW or before == "." or (before == "on" and verb == "create")
    if is_word or is_name or (part.text.isascii() and name in FUNCTIONS):
        return None
    return Failure(
        Reason.EXECUTION_ERROR, f"the function {name[:64]} does not exist, or may not be called"
    )
