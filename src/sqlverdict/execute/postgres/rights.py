"""What a role could do more than read."""

from __future__ import annotations

from typing import Final

import psycopg

from sqlverdict.errors import DatabaseError
from sqlverdict.execute.postgres.connection import connect
from sqlverdict.files.references import Reference

_SECONDS: Final = 60.0
_ROLE: Final = """
SELECT rolsuper, rolcreatedb, rolcreaterole, rolreplication,
  pg_catalog.has_database_privilege(current_database(), 'CREATE')
FROM pg_catalog.pg_roles WHERE rolname = current_user
"""
_ATTRIBUTES: Final = (
    "is a superuser",
    "may create databases",
    "may create roles",
    "may replicate the server",
    "may create schemas in the database",
)
_GROUPS: Final = """
SELECT rolname FROM pg_catalog.pg_roles WHERE rolname IN ('pg_write_all_data',
  'pg_read_server_files', 'pg_write_server_files', 'pg_execute_server_program',
  'pg_signal_backend', 'pg_checkpoint', 'pg_maintain')
AND pg_catalog.pg_has_role(oid, 'member') ORDER BY 1
"""
_SCHEMAS: Final = """
SELECT nspname FROM pg_catalog.pg_namespace
WHERE nspname !~ '^pg_' AND nspname <> 'information_schema'
AND pg_catalog.has_schema_privilege(oid, 'CREATE') ORDER BY 1
"""
_TABLES: Final = """
SELECT count(*) FROM pg_catalog.pg_class AS c
JOIN pg_catalog.pg_namespace AS n ON n.oid = c.relnamespace
WHERE c.relkind IN ('r', 'p', 'f') AND n.nspname !~ '^pg_' AND n.nspname <> 'information_schema'
AND pg_catalog.has_table_privilege(c.oid, 'INSERT, UPDATE, DELETE, TRUNCATE')
"""


def excess_rights(database: Reference) -> tuple[str, ...]:
    """What the role of a URL could do more than read, each as the end of a sentence.

    Raises:
        DatabaseError: the server does not answer.
    """
    with connect(database, _SECONDS) as connection:
        try:
            role = connection.execute(_ROLE).fetchone()
            assert role is not None
            rights = [words for words, has in zip(_ATTRIBUTES, role, strict=True) if has]
            if role[0]:
                # The others follow from it.
                return tuple(rights[:1])
            groups = [name for (name,) in connection.execute(_GROUPS).fetchall()]
            schemas = [name for (name,) in connection.execute(_SCHEMAS).fetchall()]
            count = connection.execute(_TABLES).fetchone()
        except psycopg.Error as error:
            raise DatabaseError(f"the rights on {database} cannot be read: {error}") from error
    rights += [f"is a member of {name}" for name in groups]
    rights += [f"may create tables in the schema {name}" for name in schemas]
    if count is not None and count[0]:
        rights.append(f"may write to {count[0]} {'table' if count[0] == 1 else 'tables'}")
    return tuple(rights)
