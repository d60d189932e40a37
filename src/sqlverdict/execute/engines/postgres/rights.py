"""What a role could do more than read, and what makes a role that cannot."""

from __future__ import annotations

from contextlib import closing
from typing import Final

import psycopg

from sqlverdict.errors import DatabaseError
from sqlverdict.execute.engines.postgres.connection import (
    TEMPORARY_BYTES,
    Connection,
    connect,
    quoted,
    server_errors,
)
from sqlverdict.execute.servers.statements import rows_of
from sqlverdict.files.references import Reference

_SECONDS: Final = 60.0
_ROLES: Final = """
SELECT coalesce(bool_or(rolsuper), false), coalesce(bool_or(rolcreaterole), false),
  coalesce(bool_or(rolreplication), false), coalesce(bool_or(rolcreatedb), false)
FROM pg_catalog.pg_roles WHERE pg_catalog.pg_has_role(session_user, oid, 'member')
"""
_ATTRIBUTES: Final = (
    "is a superuser",
    "may create roles",
    "may replicate the server",
    "may create databases",
)
_GROUPS: Final = """
SELECT rolname FROM pg_catalog.pg_roles WHERE rolname IN ('pg_write_all_data',
  'pg_read_server_files', 'pg_write_server_files', 'pg_execute_server_program',
  'pg_signal_backend', 'pg_checkpoint', 'pg_maintain', 'pg_create_subscription', 'pg_monitor',
  'pg_read_all_settings', 'pg_read_all_stats', 'pg_stat_scan_tables')
AND pg_catalog.pg_has_role(session_user, oid, 'member') ORDER BY 1
"""
_OBJECTS: Final = """
WITH roles AS (
  SELECT oid FROM pg_catalog.pg_roles WHERE pg_catalog.pg_has_role(session_user, oid, 'member')
), schemas AS (
  SELECT oid, nspname FROM pg_catalog.pg_namespace
  WHERE nspname !~ '^pg_' AND nspname <> 'information_schema'
), relations AS (
  SELECT c.oid, c.relkind FROM pg_catalog.pg_class AS c JOIN schemas AS s ON s.oid = c.relnamespace
)
SELECT
  EXISTS (SELECT FROM roles WHERE has_database_privilege(oid, current_database(), 'CREATE'))
    AND NOT (%(beyond)s AND has_database_privilege('public', current_database(), 'CREATE')),
  ARRAY(SELECT s.nspname::text FROM schemas AS s
    WHERE EXISTS (SELECT FROM roles AS r WHERE has_schema_privilege(r.oid, s.oid, 'CREATE'))
    AND NOT (%(beyond)s AND has_schema_privilege('public', s.oid, 'CREATE')) ORDER BY 1),
  (SELECT count(*) FROM relations AS t WHERE t.relkind IN ('r', 'p', 'f', 'v', 'm')
    AND EXISTS (SELECT FROM roles AS r WHERE has_table_privilege(r.oid, t.oid, %(writes)s)
      OR has_any_column_privilege(r.oid, t.oid, 'INSERT, UPDATE'))
    AND NOT (%(beyond)s AND has_table_privilege('public', t.oid, %(writes)s))),
  (SELECT count(*) FROM relations AS t WHERE CASE WHEN t.relkind = 'S' THEN
    EXISTS (SELECT FROM roles AS r WHERE has_sequence_privilege(r.oid, t.oid, 'USAGE, UPDATE'))
    AND NOT (%(beyond)s AND has_sequence_privilege('public', t.oid, 'USAGE, UPDATE')) END)
"""
_WRITES: Final = "INSERT, UPDATE, DELETE, TRUNCATE"
_SCHEMAS: Final = """
SELECT nspname FROM pg_catalog.pg_namespace
WHERE nspname !~ '^pg_' AND nspname <> 'information_schema' ORDER BY 1
"""
_FILLS_DISK: Final = "may fill the disk with temporary files of sorts (no temp_file_limit)"
_HAS_NO_LIMIT: Final = "SELECT 1 WHERE current_setting('temp_file_limit') = '-1'"


def role_rights(connection: Connection) -> tuple[str, ...]:
    """What the role that logged in, or one that it could become, may do on the whole server."""
    (row,) = rows_of(connection, _ROLES)
    if row[0]:
        # The others follow from it.
        return _ATTRIBUTES[:1]
    groups = [name for (name,) in rows_of(connection, _GROUPS)]
    rights = [words for words, has in zip(_ATTRIBUTES, row, strict=True) if has]
    return (*rights, *(f"is a member of {name}" for name in groups))


def object_rights(connection: Connection, *, beyond_public: bool) -> tuple[str, ...]:
    """What it may do in this database more than read.

    Args:
        connection: A connection to the database.
        beyond_public: Leave out what every role may do.
    """
    values = {"beyond": beyond_public, "writes": _WRITES}
    ((creates, schemas, tables, sequences),) = connection.execute(_OBJECTS, values).fetchall()
    rights = ["may create schemas in the database"] if creates else []
    rights += [f"may create tables in the schema {name}" for name in schemas]
    if tables:
        rights.append(f"may write to {tables} {'table' if tables == 1 else 'tables'}")
    if sequences:
        rights.append(f"may move {sequences} {'sequence' if sequences == 1 else 'sequences'}")
    return tuple(rights)


def excess_rights(database: Reference) -> tuple[str, ...]:
    """What the role of a URL could do more than read, each as the end of a sentence.

    Raises:
        DatabaseError: the server does not answer.
    """
    with (
        closing(connect(database, _SECONDS)) as connection,
        server_errors(f"the rights on {database} cannot be read"),
    ):
        rights = role_rights(connection)
        if rights[:1] == _ATTRIBUTES[:1]:
            return rights
        rights = (*rights, *object_rights(connection, beyond_public=False))
        has_no_limit = rows_of(connection, _HAS_NO_LIMIT)
        return (*rights, _FILLS_DISK) if has_no_limit else rights


def reader_statements(database: Reference) -> tuple[str, ...]:
    """What an administrator can run, in the database, to make a role that may only read it.

    A role that lacks nothing but a limit for its temporary files gets that alone.
    """
    schemas, name = ["public"], ""
    limit = f"SET temp_file_limit = '{TEMPORARY_BYTES // 2**30}GB';"
    try:
        with closing(connect(database, _SECONDS)) as connection:
            name = connection.info.dbname
            schemas = [each for (each,) in rows_of(connection, _SCHEMAS)]
            if not role_rights(connection) and not object_rights(connection, beyond_public=False):
                return (f"ALTER ROLE {quoted(connection.info.user)} {limit}",)
    except (DatabaseError, psycopg.Error):
        # The statements are for who can open it.
        name = name or str(database).partition("?")[0].rpartition("/")[2]
    statements = [
        "CREATE ROLE \"reads_only\" LOGIN PASSWORD 'choose one';",
        f'GRANT CONNECT ON DATABASE {quoted(name)} TO "reads_only";',
    ]
    for schema in map(quoted, schemas):
        statements += [
            f'GRANT USAGE ON SCHEMA {schema} TO "reads_only";',
            f'GRANT SELECT ON ALL TABLES IN SCHEMA {schema} TO "reads_only";',
            f'GRANT SELECT ON ALL SEQUENCES IN SCHEMA {schema} TO "reads_only";',
        ]
    statements.append(f'ALTER ROLE "reads_only" {limit}')
    return tuple(statements)


def writer_statements(database: Reference) -> tuple[str, ...]:
    """What makes a role for statements that write: it owns the database, and is no superuser."""
    name = str(database).partition("?")[0].rpartition("/")[2]
    return (
        "CREATE ROLE \"owns_one_database\" LOGIN PASSWORD 'choose one';",
        f'ALTER DATABASE {quoted(name)} OWNER TO "owns_one_database";',
        "and ALTER TABLE ... OWNER TO it for every table.",
    )
