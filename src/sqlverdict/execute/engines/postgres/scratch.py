"""Temporary tables for instances of a few rows.

The tables are made once, in a transaction that is never committed. Rows are loaded behind a
savepoint; then the transaction is made read-only, and the search path holds the temporary tables
alone. The session is one of a role that reads (``reader.py``). A query that names a schema
explicitly is refused, except the one whose tables these are: its name is left out.

A table that the server cannot make, because a type of it is not there, is left out with the tables
that point to it: only queries that read them are lost.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

import psycopg

from sqlverdict.errors import DatabaseError
from sqlverdict.execute.engine import Limits
from sqlverdict.execute.engines.postgres.catalogue import Catalogue, read_catalogue
from sqlverdict.execute.engines.postgres.connection import Connection
from sqlverdict.execute.engines.postgres.cursor import SAVEPOINT, GuardedCursor
from sqlverdict.execute.engines.postgres.reader import connect_reader
from sqlverdict.execute.engines.postgres.sandbox import DIALECT, Reading, read
from sqlverdict.execute.lexemes import Lex, Lexeme, lexemes
from sqlverdict.execute.servers.session import ServerLost, unavailable
from sqlverdict.files.references import Reference
from sqlverdict.parse.schema import Column, ForeignKey, Schema, Table
from sqlverdict.parse.schemas.create_table import (
    foreign_key_part,
    name_list,
    primary_key_part,
    unique_part,
)
from sqlverdict.records import Cell, Failure, Outcome, Reason, Row

_VIEW: Final = re.compile(r"\s*CREATE VIEW .*? AS ", re.DOTALL | re.IGNORECASE)
_INDEX: Final = re.compile(r"CREATE UNIQUE INDEX .*? (USING .*)", re.DOTALL)
_TEXTS: Final = 64
"""How many texts are looked at once only: those of one pair run on several instances."""


class PostgresScratch:
    """The tables of a schema as temporary tables. Not for several threads at once.

    Args:
        schema: The tables.
        limits: What one query may spend.
        near: A database on the server where they are made.

    Raises:
        DatabaseError: the server does not answer, or the role may make no temporary tables.
    """

    def __init__(self, schema: Schema, limits: Limits, near: Reference | None) -> None:
        if near is None:
            raise DatabaseError(
                "PostgreSQL makes temporary tables on a server. Name a database on it, "
                "postgresql://HOST/DATABASE"
            )
        self._near = near
        self._connection = connect_reader(near, limits)
        try:
            self._home, self._others = self._begin()
            self._tables = {table.name: table for table in self._make(schema)}
            self._connection.execute("SAVEPOINT made")
            catalogue = _catalogue_of(near, self._connection)
        except psycopg.Error as error:
            self._connection.close()
            raise DatabaseError(
                f"no temporary tables can be made in {near}: {error}. Grant the role TEMPORARY "
                "on the database"
            ) from error
        self._cursor = GuardedCursor(self._connection, catalogue, limits, own_tables=True)
        self._texts: dict[str, Reading | Failure] = {}
        self.load({})

    def _begin(self) -> tuple[str, frozenset[str]]:
        """Begin the transaction; the schema of the database, and all others."""
        connection = self._connection
        connection.execute("BEGIN ISOLATION LEVEL REPEATABLE READ READ WRITE")
        names = connection.execute("SELECT nspname FROM pg_catalog.pg_namespace").fetchall()
        row = connection.execute("SELECT coalesce(current_schema(), 'public')").fetchone()
        assert row is not None
        others = frozenset(name for (name,) in names) - {row[0], "pg_catalog"}
        return row[0], others

    def _make(self, schema: Schema) -> list[Table]:
        """Make what can be made; returns the tables that are there and take rows."""
        tables = [table for table in schema.tables if not _VIEW.match(table.sql or "")]
        names = {table.name for table in tables}
        self._connection.execute("SAVEPOINT nothing")
        while (failing := self._make_tables(tables, names)) is not None:
            # Whatever points to it fails next time.
            self._connection.execute("ROLLBACK TO SAVEPOINT nothing")
            tables.remove(failing)
        self._connection.execute("SET LOCAL search_path = pg_temp")
        for table in schema.tables:
            match = _VIEW.match(table.sql or "")
            reading = read((table.sql or "")[match.end() :]) if match else None
            body = self._unqualified(reading.text) if isinstance(reading, Reading) else None
            if isinstance(body, str):
                self._tries(f"CREATE TEMP VIEW {_quoted(table.name)} AS {body}")
        return tables

    def _make_tables(self, tables: list[Table], names: set[str]) -> Table | None:
        """Make all tables; the first that cannot be made, if there is one."""
        steps = [(table, [_declaration(table), *_indexes(table)]) for table in tables]
        for table in tables:
            keys = [key for key in table.foreign_keys if key.parent_columns and key.parent in names]
            steps.append((table, [_foreign_key(table, key) for key in keys]))
        # One round trip, where nothing stands in the way.
        if self._tries(*(statement for _, part in steps for statement in part)):
            return None
        return next((table for table, part in steps if not self._tries(*part)), None)

    def _tries(self, *statements: str) -> bool:
        """Whether the server accepts statements; what it does not accept leaves nothing."""
        text = ";\n".join(["SAVEPOINT attempt", *statements, "RELEASE SAVEPOINT attempt"])
        try:
            self._connection.execute(text.encode())
        except psycopg.Error:
            self._connection.execute("ROLLBACK TO SAVEPOINT attempt")
            return False
        return True

    def load(self, rows: Mapping[str, Sequence[Row]]) -> bool:
        """Make these rows the content of the tables.

        Raises:
            DatabaseError: the connection is lost.
        """
        if any(name not in self._tables and content for name, content in rows.items()):
            return False
        inserts = [_insert(self._tables[n], content) for n, content in rows.items() if content]
        is_legal = self._loads(inserts)
        if not is_legal:
            self._loads([])
        return is_legal

    def _loads(self, inserts: list[str]) -> bool:
        statements = ["ROLLBACK TO SAVEPOINT made", *inserts]
        statements += ["SET CONSTRAINTS ALL IMMEDIATE", "SET TRANSACTION READ ONLY"]
        try:
            text = ";".join([*statements, SAVEPOINT]).encode()
            self._connection.execute(text)
        except (psycopg.OperationalError, psycopg.InterfaceError) as error:
            if self._connection.closed:
                raise DatabaseError(f"the connection to {self._near} was lost: {error}") from error
            return False
        except (psycopg.Error, UnicodeEncodeError):
            return False
        return True

    def run(self, sql: str) -> Outcome:
        """Run one untrusted query on the content."""
        text = self._texts.get(sql)
        if text is None:
            if len(self._texts) >= _TEXTS:
                self._texts.clear()
            text = self._texts[sql] = self._runnable(sql.lstrip("\ufeff"))
        if isinstance(text, Failure):
            return text
        try:
            return self._cursor.run(text)
        except ServerLost as error:
            return unavailable(f"the connection to {self._near} was lost: {error}")

    def _runnable(self, sql: str) -> Reading | Failure:
        """The text as it can be run here, or why it is refused."""
        reading = self._cursor.read(sql)
        if isinstance(reading, Failure):
            return reading
        text = self._unqualified(reading.text)
        # Without its schema a name may be one of the server's.
        return text if isinstance(text, Failure) else self._cursor.read(text)

    def close(self) -> None:
        """Roll back, which removes the tables, and disconnect."""
        self._cursor.close()

    def _unqualified(self, sql: str) -> str | Failure:
        """The text, which the parser wrote, without the name of the schema of these tables."""
        parts = lexemes(sql, DIALECT)
        solid = [at for at, part in enumerate(parts) if part.kind is not Lex.GAP]
        dropped: set[int] = set()
        for index, at in enumerate(solid[:-1]):
            after = solid[index + 1]
            if parts[after].text != "." or not _is_name(parts[at]):
                continue
            if index and parts[solid[index - 1]].text == ".":
                continue
            if parts[at].name in self._others:
                return Failure(
                    Reason.UNSUPPORTED_FEATURE,
                    f"the query names the schema {parts[at].text}, which a scratch database "
                    "does not have",
                )
            behind = solid[index + 2] if index + 2 < len(solid) else at
            if parts[at].name == self._home and _is_name(parts[behind]):
                dropped |= {at, after}
        return "".join(part.text for at, part in enumerate(parts) if at not in dropped)


_catalogues: dict[str, Catalogue] = {}


def _catalogue_of(near: Reference, connection: Connection) -> Catalogue:
    """The catalogue of a database, read once: its own functions cannot be called from here."""
    name = str(near)
    if name not in _catalogues:
        _catalogues[name] = read_catalogue(connection)
    return _catalogues[name]


def _is_name(part: Lexeme) -> bool:
    return part.kind in (Lex.WORD, Lex.NAME)


def _declaration(table: Table) -> str:
    parts = [_column(column) for column in table.columns]
    if table.primary_key:
        parts.append(primary_key_part(table.primary_key, _quoted))
    parts += [unique_part(columns, _quoted) for columns in table.uniques]
    parts += [f"CHECK ({check})" for check in table.checks]
    return f"CREATE TEMP TABLE {_quoted(table.name)} ({', '.join(parts)})"


def _column(column: Column) -> str:
    words = [_quoted(column.name), column.type or "text"]
    if column.generated:
        words.append(f"GENERATED ALWAYS AS ({column.generated}) STORED")
    if column.not_null:
        words.append("NOT NULL")
    return " ".join(words)


def _indexes(table: Table) -> Iterator[str]:
    for text in table.indexes:
        match = _INDEX.match(text)
        body = match[1] if match else text
        yield f"CREATE UNIQUE INDEX ON pg_temp.{_quoted(table.name)} {body}"


def _foreign_key(table: Table, key: ForeignKey) -> str:
    part = foreign_key_part(key, _quoted)
    return f"ALTER TABLE pg_temp.{_quoted(table.name)} ADD {part} DEFERRABLE INITIALLY DEFERRED"


def _insert(table: Table, rows: Sequence[Row]) -> str:
    places = [at for at, column in enumerate(table.columns) if column.generated is None]
    names = name_list((table.columns[at].name for at in places), _quoted)
    values = ", ".join(f"({', '.join(_literal(row[at]) for at in places)})" for row in rows)
    target = f"pg_temp.{_quoted(table.name)} ({names})"
    return f"INSERT INTO {target} VALUES {values}"  # noqa: S608 (quoted by us)


def _literal(cell: Cell) -> str:
    """A text without a type, which the server reads as the column's type asks."""
    if cell is None:
        return "NULL"
    if isinstance(cell, bytes):
        return f"'\\x{cell.hex()}'"
    text = repr(cell) if isinstance(cell, float) else str(cell)
    return "'" + text.replace("'", "''") + "'"


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'
