"""One snapshot of a PostgreSQL database: its digest, and untrusted queries on it.

A session is one read-only transaction at the level REPEATABLE READ, so that all its queries see
the same content, whoever writes meanwhile. A lost connection is made again, if it shows the same
content.

The digest holds the server's version, the encoding and collation, every table's and view's
declaration, functions, enums, and of each table the number of its rows and two sums of hashes over
them. A sum does not depend on the order of rows. The server computes it; up to a gigabyte of tables
it takes seconds. There is no digest of a larger database, of one with foreign tables, or of one
with a table that the role may not read: name its content by the setting ``database-version`` then.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from typing import Final

import psycopg

from sqlverdict.execute.engines.postgres.catalogue import read_catalogue
from sqlverdict.execute.engines.postgres.connection import (
    Connection,
    connect,
    quoted,
    server_errors,
)
from sqlverdict.execute.engines.postgres.cursor import ROLL_BACK, SAVEPOINT, GuardedCursor
from sqlverdict.execute.engines.postgres.reader import connect_reader
from sqlverdict.execute.engines.postgres.sandbox import DIALECT
from sqlverdict.execute.servers.session import (
    ServerLost,
    ServerSession,
    read_frozen,
    snapshot_digest,
)
from sqlverdict.execute.servers.statements import rows_of, undo_on_error
from sqlverdict.files.references import Reference
from sqlverdict.records import Failure, Outcome

BEGIN = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"
_RELATIONS: Final = """
SELECT n.nspname, c.relname, c.relkind::text,
  CASE WHEN c.relkind IN ('r', 'm') THEN pg_catalog.pg_table_size(c.oid) ELSE 0 END
FROM pg_catalog.pg_class AS c JOIN pg_catalog.pg_namespace AS n ON n.oid = c.relnamespace
WHERE c.relkind IN ('r', 'm', 'p', 'v', 'f', 'S') AND c.relpersistence <> 't'
AND n.nspname <> 'information_schema' AND n.nspname !~ '^pg_'
ORDER BY 1, 2
"""
_DECLARATIONS: Final = (
    "SELECT current_setting('server_version'), current_setting('server_encoding'),"
    " current_schemas(false)::text[], d.datcollate, d.datctype"
    " FROM pg_catalog.pg_database AS d WHERE d.datname = current_database()",
    "SELECT n.nspname, c.relname, a.attnum, a.attname,"
    " pg_catalog.format_type(a.atttypid, a.atttypmod), a.attnotnull, a.attgenerated::text,"
    " a.attcollation::regcollation::text, pg_catalog.pg_get_expr(f.adbin, f.adrelid)"
    " FROM pg_catalog.pg_attribute AS a JOIN pg_catalog.pg_class AS c ON c.oid = a.attrelid"
    " JOIN pg_catalog.pg_namespace AS n ON n.oid = c.relnamespace"
    " LEFT JOIN pg_catalog.pg_attrdef AS f ON f.adrelid = c.oid AND f.adnum = a.attnum"
    " WHERE a.attnum > 0 AND NOT a.attisdropped AND c.relkind IN ('r', 'm', 'p', 'v', 'f')"
    " AND n.nspname <> 'information_schema' AND n.nspname !~ '^pg_' ORDER BY 1, 2, 3",
    "SELECT c.oid::regclass::text, pg_catalog.pg_get_viewdef(c.oid) FROM pg_catalog.pg_class AS c"
    " JOIN pg_catalog.pg_namespace AS n ON n.oid = c.relnamespace WHERE c.relkind IN ('v', 'm')"
    " AND n.nspname <> 'information_schema' AND n.nspname !~ '^pg_' ORDER BY 1",
    "SELECT k.conrelid::regclass::text, k.conname, pg_catalog.pg_get_constraintdef(k.oid)"
    " FROM pg_catalog.pg_constraint AS k JOIN pg_catalog.pg_namespace AS n ON n.oid ="
    " k.connamespace WHERE n.nspname <> 'information_schema' AND n.nspname !~ '^pg_'"
    " ORDER BY 1, 2, 3",
    "SELECT p.oid::regprocedure::text, p.provolatile::text, p.prosrc"
    " FROM pg_catalog.pg_proc AS p JOIN pg_catalog.pg_namespace AS n ON n.oid = p.pronamespace"
    " WHERE n.nspname <> 'information_schema' AND n.nspname !~ '^pg_' ORDER BY 1, 3",
    "SELECT e.enumtypid::regtype::text, e.enumlabel FROM pg_catalog.pg_enum AS e"
    " ORDER BY 1, e.enumsortorder",
    "SELECT extname, extversion FROM pg_catalog.pg_extension ORDER BY 1",
)
_CHECKSUM: Final = (
    # With a star: a column may have the name of the table.
    "SELECT count(*), sum(pg_catalog.hashtextextended((r.*)::text, 0)::numeric),"
    " sum(pg_catalog.hashtextextended((r.*)::text, 1)::numeric) FROM ONLY {} AS r"
)
_SEQUENCE: Final = "SELECT last_value, is_called FROM {}"


class PostgresSession(ServerSession):
    """A snapshot of one database. Not for several threads at once."""

    def _open(self) -> None:
        connection = connect_reader(self._database, self._limits)
        with undo_on_error(connection.close), server_errors(f"{self._database} cannot be read"):
            connection.execute(BEGIN)
            catalogue = read_catalogue(connection)
            connection.execute(SAVEPOINT)
        self._connection: Connection = connection
        self._cursor = GuardedCursor(
            connection,
            catalogue,
            self._limits,
            frozen=self._now is not None,
            driver_values=self._driver_values,
        )

    def _content_digest(self) -> str | None:
        try:
            self._connection.execute(ROLL_BACK)
            digest = _read_digest(self._connection)
            self._connection.execute(ROLL_BACK)
        except psycopg.Error as error:
            if self._connection.closed:
                raise ServerLost(str(error)) from error
            return None
        return digest

    def run(self, sql: str) -> Outcome:
        """Run one untrusted query within the limits."""
        reading = read_frozen(sql.lstrip("\ufeff"), self._cursor.read, self._now, DIALECT)
        if isinstance(reading, Failure):
            return reading
        return self._with_retry(lambda: self._cursor.run(reading))

    def close(self) -> None:
        """Roll back and disconnect."""
        self._cursor.close()


def reference_digest(database: Reference, seconds: float) -> str | None:
    """The digest of a database as it is now; the statements are ours, and run as the URL's role.

    Raises:
        DatabaseError: it cannot be opened.
    """
    with (
        closing(connect(database, seconds)) as connection,
        server_errors(f"{database} cannot be read"),
    ):
        connection.execute(BEGIN)
        return _read_digest(connection)


def _read_digest(connection: Connection) -> str | None:
    """The digest of what the connection's snapshot shows; ``None`` where it is not known.

    The transaction is unusable after an error: go back to a savepoint then.
    """
    try:
        relations = rows_of(connection, _RELATIONS)
        if any(kind == "f" for _, _, kind, _ in relations):
            return None
        sizes = [size for *_, size in relations]
        return snapshot_digest("postgresql", sizes, _content(connection, relations))
    except (psycopg.errors.InsufficientPrivilege, psycopg.errors.QueryCanceled):
        return None


def _content(
    connection: Connection, relations: list[tuple[str, str, str, int]]
) -> Iterator[object]:
    """What a digest is made of."""
    for query in _DECLARATIONS:
        yield rows_of(connection, query)
    for schema, name, kind, _ in relations:
        if kind in ("r", "m", "S"):
            text = _SEQUENCE if kind == "S" else _CHECKSUM
            yield schema, name, rows_of(connection, text.format(quoted(schema, name)))
