"""A digest of the content that a snapshot shows.

It holds the server's version, the encoding and collation, every table's and view's declaration,
functions, enums, and of each table the number of its rows and two sums of hashes over them. A sum
does not depend on the order of rows. The server computes it; up to a gigabyte of tables it takes
seconds. There is no digest of a larger database, of one with foreign tables, or of one with a
table that the role may not read: name its content by the setting ``database-version`` then.
"""

from __future__ import annotations

from contextlib import closing
from hashlib import sha256
from typing import Final

import psycopg
from psycopg import sql

from sqlverdict.errors import DatabaseError
from sqlverdict.execute.engines.postgres.connection import Connection, connect
from sqlverdict.files.references import Reference

MOST_BYTES: Final = 2**30
"""Tables of more bytes together have no digest."""
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
_CHECKSUM: Final = sql.SQL(
    # With a star: a column may have the name of the table.
    "SELECT count(*), sum(pg_catalog.hashtextextended((r.*)::text, 0)::numeric),"
    " sum(pg_catalog.hashtextextended((r.*)::text, 1)::numeric) FROM ONLY {} AS r"
)
_SEQUENCE: Final = sql.SQL("SELECT last_value, is_called FROM {}")


def reference_digest(database: Reference, seconds: float) -> str | None:
    """The digest of a database as it is now; the statements are ours, and run as the URL's role.

    Raises:
        DatabaseError: it cannot be opened.
    """
    with closing(connect(database, seconds)) as connection:
        try:
            connection.execute("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
            return read_digest(connection)
        except psycopg.Error as error:
            raise DatabaseError(f"{database} cannot be read: {error}") from error


def read_digest(connection: Connection) -> str | None:
    """The digest of what the connection's snapshot shows; ``None`` where it cannot be told.

    The transaction is unusable after an error: go back to a savepoint then.
    """
    try:
        relations = connection.execute(_RELATIONS).fetchall()
        if any(kind == "f" for _, _, kind, _ in relations):
            return None
        if sum(size for *_, size in relations) > MOST_BYTES:
            return None
        digest = sha256()
        for query in _DECLARATIONS:
            digest.update(repr(connection.execute(query).fetchall()).encode())
        for schema, name, kind, _ in relations:
            if kind in ("r", "m", "S"):
                text = _SEQUENCE if kind == "S" else _CHECKSUM
                row = connection.execute(text.format(sql.Identifier(schema, name))).fetchone()
                digest.update(repr((schema, name, row)).encode())
    except psycopg.errors.InsufficientPrivilege:
        return None
    except psycopg.errors.QueryCanceled:
        return None
    return f"postgresql-{digest.hexdigest()}"
