"""The real rows of a database in a SQLite file: what grades a witness, and gives it real values.

Tables are copied once a process. A table with more rows than are copied is left out; a witness
that touches such a table is not graded.
"""

from __future__ import annotations

import sqlite3
import tempfile
from contextlib import closing, suppress
from functools import partial
from pathlib import Path

from sqlverdict.errors import DatabaseError
from sqlverdict.execute.engine import Engine, Limits, Session
from sqlverdict.execute.servers.patience import patiently
from sqlverdict.files.references import is_server
from sqlverdict.files.sqlite import quote_name
from sqlverdict.parse.schema import Schema, Table, is_view
from sqlverdict.parse.schemas.create_table import column_part, create_table
from sqlverdict.records import Answer
from sqlverdict.refute.target.lite import lite_schema

_MOST_ROWS = 20_000
"""How many rows of a table are copied at most: enough for what most benchmarks have."""


class Mirror:
    """The small tables of one database, copied.

    Args:
        engine: The engine of the database.
        database: Its reference.
        schema: Its tables.
        trust_role: On a server, read as the role of the reference, whatever it may do.
    """

    def __init__(
        self, engine: Engine, database: str, schema: Schema, *, trust_role: bool = False
    ) -> None:
        self._engine, self._database, self._trust_role = engine, database, trust_role
        self._schema = lite_schema(schema, engine.dialect)
        self._copied: frozenset[str] | None = None
        self._folder: tempfile.TemporaryDirectory[str] | None = None

    def file_with(self, part: Schema) -> Path | None:
        """The file, if it holds every table of a part of the schema; ``None`` otherwise."""
        if self._copied is None:
            self._copied = self._copy()
        needed = {table.name for table in part.tables if not is_view(table)}
        return self._file if needed <= self._copied else None

    def close(self) -> None:
        """Remove the copy."""
        self._copied = None
        if self._folder is not None:
            self._folder.cleanup()
            self._folder = None

    @property
    def _file(self) -> Path | None:
        return Path(self._folder.name) / "mirror.sqlite" if self._folder is not None else None

    def _copy(self) -> frozenset[str]:
        limits = Limits(rows=_MOST_ROWS, trust_role=self._trust_role)
        try:
            opening = partial(self._engine.open, self._database, limits)
            server = is_server(self._database)
            session = patiently(self._database, opening) if server else opening()
        except (DatabaseError, OSError):
            return frozenset()
        self._folder = tempfile.TemporaryDirectory(prefix="sqlverdict-mirror-")
        assert self._file is not None
        with closing(session), closing(sqlite3.connect(self._file)) as connection, connection:
            return frozenset(
                table.name
                for table in self._schema.tables
                if not is_view(table) and self._copy_table(session, connection, table)
            )

    def _copy_table(self, session: Session, connection: sqlite3.Connection, table: Table) -> bool:
        from sqlglot import exp

        dialect = self._engine.dialect
        columns = [exp.column(column.name, quoted=True) for column in table.columns]
        text = exp.select(*columns).from_(exp.to_identifier(table.name, quoted=True))
        outcome = session.run(text.sql(dialect=dialect))
        if not isinstance(outcome, Answer):
            return False
        parts = [column_part(column.name, column.type) for column in table.columns]
        marks = ", ".join("?" for _ in table.columns)
        with suppress(sqlite3.Error, OverflowError, UnicodeEncodeError):
            connection.execute(create_table(table.name, parts))
            connection.executemany(
                f"INSERT INTO {quote_name(table.name)} VALUES ({marks})", outcome.rows
            )
            return True
        return False
