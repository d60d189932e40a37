"""A role that may read one database and do nothing else: made, and dropped.

Members of ``pg_read_all_data`` read every table without a right on any: nothing of the database
changes. Before PostgreSQL 14, and for roles that may create roles and are no superusers, the right
to read is granted for each table, and taken back at the end.

The name of a role tells the machine and the process that made it, and when.
"""

from __future__ import annotations

import os
import re
from contextlib import closing, suppress
from dataclasses import dataclass, field
from hashlib import blake2b
from pathlib import Path
from secrets import token_hex
from socket import gethostname
from time import sleep, time
from typing import Final

import psycopg

from sqlverdict.errors import DatabaseError
from sqlverdict.execute.engines.postgres.connection import (
    OURS,
    TEMPORARY_BYTES,
    Connection,
    quoted,
    server_literal,
)
from sqlverdict.execute.servers.reader import PREFIX
from sqlverdict.execute.servers.statements import rows_of

_VALID_HOURS: Final = 24
_IDLE_SECONDS: Final = 3600
"""After so long a role of another machine that nobody is connected as is dropped."""
_LOGIN_SECONDS: Final = 0.2
"""How long a login may take to be seen."""
_CONNECTIONS: Final = 500
_NAME: Final = re.compile(rf"{PREFIX}[0-9a-f]{{8}}_[0-9a-f]+_[0-9a-f]+_[0-9a-f]{{8}}")
_STALE: Final = """
SELECT r.rolname::text, coalesce(r.rolvaliduntil < pg_catalog.now(), false)
FROM pg_catalog.pg_roles AS r
WHERE pg_catalog.starts_with(r.rolname, %s) AND r.oid <> ALL (
  SELECT usesysid FROM pg_catalog.pg_stat_activity WHERE usesysid IS NOT NULL)
"""
_DATABASES: Final = """
SELECT DISTINCT d.datname::text FROM pg_catalog.pg_shdepend AS s
JOIN pg_catalog.pg_database AS d ON d.oid = s.dbid
WHERE s.refclassid = 'pg_catalog.pg_authid'::regclass
AND s.refobjid = (SELECT oid FROM pg_catalog.pg_roles WHERE rolname = %s)
"""
"""Databases in which a role has rights."""
_SETTINGS: Final = """
SELECT DISTINCT s.name, current_setting(s.name) FROM pg_catalog.pg_settings AS s
WHERE s.context = 'user' AND s.name <> ALL (%s) AND (s.name = 'search_path' OR s.name IN (
  SELECT split_part(setting, '=', 1) FROM pg_catalog.pg_db_role_setting AS d, unnest(d.setconfig)
    AS setting
  WHERE d.setrole = (SELECT oid FROM pg_catalog.pg_roles WHERE rolname = session_user)
  AND d.setdatabase IN (0, (SELECT oid FROM pg_catalog.pg_database
    WHERE datname = current_database()))))
"""
"""What the role of the URL has set for itself."""
_UNGRANTABLE: Final = """
SELECT count(*) FROM pg_catalog.pg_class AS c
JOIN pg_catalog.pg_namespace AS n ON n.oid = c.relnamespace
WHERE c.relkind IN ('r', 'p', 'v', 'm') AND n.nspname !~ '^pg_'
AND n.nspname <> 'information_schema' AND pg_catalog.has_table_privilege(c.oid, 'SELECT')
AND NOT pg_catalog.has_table_privilege(c.oid, 'SELECT WITH GRANT OPTION')
"""
"""Tables that the role of the URL may read, and may not let others read."""
_GRANTABLE: Final = """
SELECT n.nspname::text, c.relname::text FROM pg_catalog.pg_class AS c
JOIN pg_catalog.pg_namespace AS n ON n.oid = c.relnamespace
WHERE c.relkind IN ('r', 'p', 'v', 'm', 'S') AND n.nspname !~ '^pg_'
AND n.nspname <> 'information_schema'
AND pg_catalog.has_table_privilege(c.oid, 'SELECT WITH GRANT OPTION')
"""
HIDES_ROWS: Final = "SELECT EXISTS (SELECT FROM pg_catalog.pg_class WHERE relrowsecurity)"


@dataclass
class ReaderRole:
    """A role of ours.

    Attributes:
        name: Its name.
        password: Its password.
        database: A database of the server, by the URL's role.
        process: The process that made it, and drops it.
        settings: For each database that it may read, what the URL's role has set for itself.
        renewed: When it was last given its time, in seconds.
    """

    name: str
    password: str
    database: str
    process: int
    settings: dict[str, dict[str, str]] = field(default_factory=dict)
    renewed: float = field(default_factory=time)

    @property
    def is_old(self) -> bool:
        """Whether half of its time is over."""
        return time() - self.renewed > _VALID_HOURS * 1800


def make(admin: Connection, database: str, *, is_superuser: bool) -> ReaderRole:
    """Make a role that may log in, and nothing else but read."""
    name = f"{PREFIX}{_host()}_{os.getpid():x}_{int(time()):x}_{token_hex(4)}"
    password = token_hex(24)
    secret = admin.pgconn.encrypt_password(password.encode(), name.encode(), _encryption(admin))
    reader = ReaderRole(name, password, database, os.getpid())
    rows_of(
        admin,
        f"CREATE ROLE {quoted(name)} LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE NOREPLICATION"
        f" INHERIT CONNECTION LIMIT {_CONNECTIONS} PASSWORD {server_literal(secret.decode())}"
        f" VALID UNTIL {server_literal(_valid_until(admin))}",
    )
    if is_superuser:
        limit = f"{TEMPORARY_BYTES // 1024}kB"
        rows_of(admin, f"ALTER ROLE {quoted(name)} SET temp_file_limit = '{limit}'")
    return reader


def _encryption(admin: Connection) -> bytes:
    ((method,),) = rows_of(admin, "SELECT current_setting('password_encryption')")
    return b"md5" if method == "md5" else b"scram-sha-256"


def _valid_until(admin: Connection) -> str:
    valid = "SELECT (now() + make_interval(hours => %s))::text"
    ((moment,),) = rows_of(admin, valid, _VALID_HOURS)
    return str(moment)


def renew(admin: Connection, reader: ReaderRole) -> None:
    """Give a role its time again: a run may be longer.

    Raises:
        psycopg.Error: there is no such role any more.
    """
    until = server_literal(_valid_until(admin))
    rows_of(admin, f"ALTER ROLE {quoted(reader.name)} VALID UNTIL {until}")
    reader.renewed = time()


def let_read(
    admin: Connection,
    reader: ReaderRole,
    database: str,
    *,
    is_superuser: bool,
    reads_all: bool,
    hides_rows: bool,
) -> bool:
    """Let a role read the database of a connection; whether it may read all that we may.

    Args:
        admin: The connection, as the role of the URL.
        reader: The role.
        database: The URL.
        is_superuser: The role of the URL may do everything.
        reads_all: The role of the URL may read every table of the server.
        hides_rows: The database has policies that hide rows.

    Raises:
        psycopg.Error: a right cannot be given.
    """
    role, name = quoted(reader.name), quoted(admin.info.dbname)
    ((connects,),) = rows_of(
        admin,
        "SELECT has_database_privilege(r.oid, current_database(), 'CONNECT')"
        " FROM pg_catalog.pg_roles AS r WHERE r.rolname = %s",
        reader.name,
    )
    if not connects:
        rows_of(admin, f"GRANT CONNECT ON DATABASE {name} TO {role}")
    if hides_rows and is_superuser:
        rows_of(admin, f"ALTER ROLE {role} BYPASSRLS")
    if reads_all:
        if not reader.settings:
            rows_of(admin, f"GRANT pg_read_all_data TO {role}")
    else:
        if rows_of(admin, _UNGRANTABLE) != [(0,)] and not is_superuser:
            return False
        tables = rows_of(admin, _GRANTABLE)
        for schema in sorted({schema for schema, _ in tables}):
            rows_of(admin, f"GRANT USAGE ON SCHEMA {quoted(schema)} TO {role}")
        for schema, table in tables:
            rows_of(admin, f"GRANT SELECT ON {quoted(schema, table)} TO {role}")
    reader.settings[database] = _settings(admin)
    return True


def _settings(admin: Connection) -> dict[str, str]:
    settings: dict[str, str] = dict(rows_of(admin, _SETTINGS, list(OURS)))
    ((has_own_schema, user),) = rows_of(
        admin,
        "SELECT EXISTS (SELECT FROM pg_catalog.pg_namespace WHERE nspname = current_user),"
        " quote_ident(current_user)",
    )
    if has_own_schema:
        settings["search_path"] = settings["search_path"].replace('"$user"', user)
    return settings


def sweep(admin: Connection) -> None:
    """Drop roles of processes that are gone; what the role may not drop is left."""
    for name, has_expired in rows_of(admin, _STALE, PREFIX):
        if not _NAME.fullmatch(name) or not (has_expired or _is_gone(name)):
            continue
        with suppress(psycopg.Error, DatabaseError):
            # Who logs in now is seen, or cannot.
            rows_of(admin, f"ALTER ROLE {quoted(name)} NOLOGIN")
            sleep(_LOGIN_SECONDS)
            if (name,) in [row[:1] for row in rows_of(admin, _STALE, PREFIX)]:
                drop(admin, name)
            else:
                rows_of(admin, f"ALTER ROLE {quoted(name)} LOGIN")


def drop(admin: Connection, name: str) -> None:
    """Drop a role, what it may do, and who is connected as it.

    Raises:
        psycopg.Error: it stays.
    """
    role = quoted(name)
    with suppress(psycopg.Error):
        if rows_of(admin, "SELECT current_setting('is_superuser')") != [("on",)]:
            rows_of(admin, f"GRANT {role} TO CURRENT_USER")
    rows_of(
        admin,
        "SELECT pg_catalog.pg_terminate_backend(pid) FROM pg_catalog.pg_stat_activity"
        " WHERE usename = %s",
        name,
    )
    # Rights in this database, and on databases.
    rows_of(admin, f"DROP OWNED BY {role}")
    for (database,) in rows_of(admin, _DATABASES, name):
        if database != admin.info.dbname:
            with closing(_neighbour(admin, database)) as other:
                rows_of(other, f"DROP OWNED BY {role}")
    rows_of(admin, f"DROP ROLE IF EXISTS {role}")


def _neighbour(admin: Connection, name: str) -> Connection:
    """A connection to another database of the server, as the same role."""
    options = {**admin.info.get_parameters(), "dbname": name, "password": admin.info.password}
    return psycopg.connect(**options, autocommit=True)  # type: ignore[arg-type]


def _is_gone(name: str) -> bool:
    """Whether the process that made a role has ended, as far as its name tells."""
    host, process, moment, _ = name.removeprefix(PREFIX).split("_")
    # Windows takes the signal 0 for Ctrl-C.
    if host != _host() or os.name == "nt":
        return time() - int(moment, 16) > _IDLE_SECONDS
    try:
        os.kill(int(process, 16), 0)
    except ProcessLookupError:
        return True
    except OSError:
        return False
    return False


def _host() -> str:
    """This machine, as far as its processes can see one another."""
    parts = [gethostname()]
    with suppress(OSError):
        parts.append(Path("/proc/sys/kernel/random/boot_id").read_text())
        parts.append(str(Path("/proc/self/ns/pid").stat().st_ino))
    return blake2b("\n".join(parts).encode(), digest_size=4).hexdigest()
