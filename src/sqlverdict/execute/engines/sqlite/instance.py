"""An instance as a database in memory: from its rows, or from the statements of a file.

Tables are made by the schema's own declarations. Where the rows do not obey those (a search
under fewer facts may find such rows), the table is made of its columns and types alone.
"""

from __future__ import annotations

import math
import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress

from sqlverdict.errors import DatabaseError
from sqlverdict.execute.engine import Limits, Session
from sqlverdict.execute.engines.sqlite.declarations import (
    bare_declaration,
    insertion,
    own_declaration,
)
from sqlverdict.execute.engines.sqlite.sandbox import Guard, use_virtual_tables
from sqlverdict.execute.engines.sqlite.session import SqliteSession
from sqlverdict.execute.session import TableRows
from sqlverdict.files.sqlite import open_in_memory, quote_name, quote_text
from sqlverdict.parse.schema import Schema, Table, is_view
from sqlverdict.parse.tokens import fold, leading_keyword
from sqlverdict.records import Cell, Row

_GENERATED = (2, 3)
_STEPS = 5_000_000
"""Steps of the engine that the statements of one file may take."""
_TWO_62 = "CAST(4611686018427387904 AS REAL)"
_CATALOGUE = ("sqlite_master", "sqlite_schema", "sqlite_sequence")


class SqliteInstance:
    """An instance in memory; nothing guards it yet.

    Attributes:
        declared: The CREATE statement of each table, in order.
        columns: The columns of each table that take values; generated ones do not.
    """

    def __init__(
        self,
        connection: sqlite3.Connection,
        declared: Mapping[str, str],
        columns: Mapping[str, tuple[int, ...]],
    ) -> None:
        self._connection = connection
        self.declared = declared
        self.columns = columns

    def literal(self, cell: Cell) -> str:
        """A value as an expression that the engine reads back exactly."""
        return _literal(cell, self._connection)

    def add_notes(self, table: str, notes: Mapping[str, str]) -> None:
        """Make a table of names and values, which is none of the schema's."""
        self._connection.execute(f"CREATE TABLE {table} (name TEXT PRIMARY KEY, value TEXT)")
        self._connection.executemany(f"INSERT INTO {table} VALUES (?, ?)", notes.items())

    def file_bytes(self) -> bytes:
        """The database as the bytes of a file."""
        return self._connection.serialize()

    def session(self, limits: Limits) -> Session:
        """The database, ready for untrusted queries: from here on it is only read."""
        return _guarded(self._connection, limits)

    def close(self) -> None:
        """Close the database."""
        self._connection.close()


def _literal(cell: Cell, connection: sqlite3.Connection) -> str:
    """A value as a SQL expression that SQLite reads back exactly.

    Args:
        cell: The value.
        connection: Any database: it is asked whether it reads a float as it was meant.
    """
    if cell is None:
        return "NULL"
    if isinstance(cell, int):
        return str(int(cell))
    if isinstance(cell, float):
        return _float(cell, connection)
    if isinstance(cell, bytes):
        return f"x'{cell.hex()}'"
    if cell.isprintable():
        return quote_text(cell)
    # Line ends, NUL and marks of reading direction would not survive an editor or a terminal.
    return f"CAST(x'{cell.encode('utf-8', 'surrogatepass').hex()}' AS TEXT)"


def _float(value: float, connection: sqlite3.Connection) -> str:
    if math.isnan(value):
        return "NULL"
    if math.isinf(value):
        return "9e999" if value > 0 else "-9e999"
    text = repr(value)
    if connection.execute(f"SELECT {text}").fetchone()[0] == value:
        return text
    # SQLite's own reading of decimals is not always the nearest float; powers of two are.
    mantissa, exponent = math.frexp(value)
    exact = f"CAST({int(mantissa * 2**53)} AS REAL)"
    power = exponent - 53
    while abs(power) > 62:
        exact += f" {'*' if power > 0 else '/'} {_TWO_62}"
        power -= 62 if power > 0 else -62
    return f"({exact} {'*' if power > 0 else '/'} CAST({2 ** abs(power)} AS REAL))"


def _guarded(connection: sqlite3.Connection, limits: Limits) -> Session:
    connection.setlimit(sqlite3.SQLITE_LIMIT_ATTACHED, 0)
    use_virtual_tables(connection)
    return SqliteSession(connection, limits)


def instance_of_rows(
    schema: Schema, tables: Sequence[Table], rows: TableRows, *, bare: bool
) -> SqliteInstance:
    """Make the tables, views last, and insert the rows; see ``execute/in_memory.py``."""
    connection = open_in_memory(cached_statements=16)
    declared: dict[str, str] = {}
    columns: dict[str, tuple[int, ...]] = {}
    for table in tables:
        if is_view(table):
            with suppress(sqlite3.Error):  # a view over something that is gone
                connection.execute(own_declaration(table, schema))
                declared[table.name] = own_declaration(table, schema)
            continue
        choices = [bare_declaration(table)]
        if not bare:
            choices.insert(0, own_declaration(table, schema))
        for sql in choices:
            try:
                columns[table.name] = _fill(connection, table, sql, rows.get(table.name, ()))
            except sqlite3.Error:
                connection.execute(f"DROP TABLE IF EXISTS {quote_name(table.name)}")
                if sql == choices[-1]:
                    raise
                continue
            declared[table.name] = sql
            break
    return SqliteInstance(connection, declared, columns)


def _fill(
    connection: sqlite3.Connection, table: Table, sql: str, rows: Sequence[Row]
) -> tuple[int, ...]:
    connection.execute(sql)
    info = connection.execute(f"PRAGMA table_xinfo({quote_name(table.name)})").fetchall()
    computed = {fold(row[1]) for row in info if row[6] in _GENERATED}
    indexes = tuple(i for i, c in enumerate(table.columns) if fold(c.name) not in computed)
    strict = sql != bare_declaration(table)
    for row in rows:
        if strict and any(row[i] is None and table.columns[i].not_null for i in indexes):
            # An INTEGER PRIMARY KEY would put a number there and say nothing.
            raise sqlite3.IntegrityError(f"NULL in a column of {table.name} that is never NULL")
    connection.executemany(
        insertion(table, indexes), [tuple(row[i] for i in indexes) for row in rows]
    )
    return indexes


class _Builder(Guard):
    """Allows to make tables and views in memory and to fill them, and nothing else."""

    _MAKES = frozenset(
        (
            sqlite3.SQLITE_CREATE_INDEX,
            sqlite3.SQLITE_CREATE_TABLE,
            sqlite3.SQLITE_CREATE_VIEW,
            sqlite3.SQLITE_INSERT,
            sqlite3.SQLITE_REINDEX,
        )
    )

    def __call__(
        self, action: int, first: str | None, second: str | None, db: str | None, by: str | None
    ) -> int:
        if action in self._MAKES or (action == sqlite3.SQLITE_UPDATE and first in _CATALOGUE):
            return 0
        return super().__call__(action, first, second, db, by)


def session_of_script(statements: Iterable[str], limits: Limits) -> Session:
    """A database in memory that untrusted statements make; see ``execute/in_memory.py``."""
    connection = open_in_memory()
    connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, limits.cell)
    connection.setlimit(sqlite3.SQLITE_LIMIT_ATTACHED, 0)
    guard = _Builder()
    connection.set_authorizer(guard)
    connection.set_progress_handler(lambda: 1, _STEPS)
    try:
        for sql in statements:
            word = leading_keyword(sql)
            if word not in ("CREATE", "INSERT"):
                raise DatabaseError(
                    f"holds a {word or 'text'} where only CREATE and INSERT are",
                    reason="unsupported",
                )
            connection.execute(sql)
    except (sqlite3.Error, sqlite3.Warning, ValueError, MemoryError) as error:
        connection.close()
        why = f"blocked: {guard.denied}" if guard.denied else str(error) or "too large"
        raise DatabaseError(f"cannot be rebuilt: {why}", reason="failed") from error
    except DatabaseError:
        connection.close()
        raise
    connection.set_authorizer(None)
    return _guarded(connection, limits)
