"""As whom untrusted queries log in on PostgreSQL.

The role of a URL that may only read is used as it is. One that may do more makes a role that may
only read, if it may make roles (``reader_roles.py``): one for a process and a server, with a random
password, which is dropped when the process ends. A session that logged in as that role cannot
become another one. Where no such role can be made, nothing is run, unless the role of the URL is
trusted.

Whoever makes or drops a role drops those of processes that are gone, too; a process that has lost
its role makes a new one. Processes that were forked use the role of their parent. A role may log in
for a day; whoever logs in when half of that is over gives it another day.
"""

from __future__ import annotations

import os
from contextlib import closing, suppress
from threading import RLock
from typing import Final

import psycopg
from psycopg.conninfo import conninfo_to_dict

from sqlverdict.errors import DatabaseError
from sqlverdict.execute.engine import Limits
from sqlverdict.execute.engines.postgres.connection import Connection, connect, server_errors
from sqlverdict.execute.engines.postgres.reader_roles import (
    HIDES_ROWS,
    ReaderRole,
    drop,
    let_read,
    make,
    renew,
    sweep,
)
from sqlverdict.execute.engines.postgres.rights import (
    object_rights,
    reader_statements,
    role_rights,
    writer_statements,
)
from sqlverdict.execute.servers.patience import is_passing
from sqlverdict.execute.servers.reader import PREFIX, call_at_end, excess_refusal
from sqlverdict.execute.servers.statements import rows_of, undo_on_error
from sqlverdict.files.references import Reference, with_database

_SECONDS: Final = 60.0
_WHO: Final = """
SELECT bool_or(rolsuper), bool_or(rolname = session_user AND rolcreaterole),
  bool_or(rolname = 'pg_read_all_data')
FROM pg_catalog.pg_roles WHERE pg_catalog.pg_has_role(session_user, oid, 'member')
"""
_readers: Final[dict[str, ReaderRole]] = {}
"""By server and role."""
_limited: Final[set[str]] = set()
"""URLs whose role may only read."""
_lock: Final = RLock()


def connect_reader(database: Reference, limits: Limits) -> Connection:
    """A connection for untrusted queries, whose session cannot do more than read.

    Raises:
        DatabaseError: the server does not answer, or the role may do more and may not be used.
    """
    if limits.trust_role or str(database) in _limited:
        return connect(database, limits.seconds)
    with _lock:
        reader = _readers.get(_server(database))
        if reader is not None and str(database) in reader.settings:
            try:
                return _log_in(database, limits, reader)
            except DatabaseError as error:
                if is_passing(error):
                    # A server that is full or starts: the role may be in use.
                    raise
                # It may have been dropped meanwhile, unless the server is gone.
                connect(database, limits.seconds).close()
                _discard(database)
        connection = _decide(database, limits)
        if connection is not None:
            return connection
        try:
            return _log_in(database, limits, _readers[_server(database)])
        except DatabaseError as error:
            if is_passing(error):
                raise
            _discard(database)
            raise DatabaseError(
                f"{error}. {database}: its role may do more than read, and the role that was made "
                "to read cannot log in: let pg_hba.conf allow passwords for roles named "
                f"{PREFIX}..., give the URL of a role that may only read (`sqlverdict doctor` "
                "prints the statements that make one), or use the setting trust_role",
                reason=error.reason,
            ) from error


def connect_writer(database: Reference, limits: Limits) -> Connection:
    """A connection for statements that write and are rolled back: as the role of the URL.

    Raises:
        DatabaseError: the server does not answer, or the role may do more than own tables.
    """
    connection = connect(database, limits.seconds)
    if limits.trust_role:
        return connection
    with undo_on_error(connection.close), server_errors(f"the rights on {database} cannot be read"):
        rights = [each for each in role_rights(connection) if each != "may create databases"]
        if rights:
            raise DatabaseError(
                f"{database}: statements that write run as the role of the URL, and this one "
                f"{', '.join(rights)}. Give the URL of a role that owns the tables and nothing "
                "else, which an administrator makes by: "
                f"{' '.join(writer_statements(database))} If predictions may act with these "
                "rights, use --set trust-role=true (from Python: Limits(trust_role=True))",
                reason="refused",
            )
    return connection


def _server(database: Reference) -> str:
    """What the databases of a server and a role have in common."""
    options = conninfo_to_dict(str(database))
    return repr(sorted((name, str(value)) for name, value in options.items() if name != "dbname"))


def _decide(database: Reference, limits: Limits) -> Connection | None:
    """Make a role that reads this database; a connection where the URL's role only reads.

    Raises:
        DatabaseError: neither is possible.
    """
    admin = connect(database, limits.seconds)
    problem = f"no role that reads {database} can be made"
    with undo_on_error(admin.close), server_errors(problem):
        rights = role_rights(admin) or object_rights(admin, beyond_public=True)
        if not rights:
            _limited.add(str(database))
            return admin
        if not _makes(admin, database):
            _discard(database)
            raise excess_refusal(database, rights, reader_statements(database))
    admin.close()
    return None


def _makes(admin: Connection, database: Reference) -> bool:
    """Whether there is a role of ours that may read this database now."""
    ((is_superuser, creates, reads_all),) = rows_of(admin, _WHO)
    ((hides_rows,),) = rows_of(admin, HIDES_ROWS)
    # Policies would show another role other rows.
    if not is_superuser and (not creates or hides_rows):
        return False
    try:
        reader = _readers.get(_server(database))
        if reader is None:
            sweep(admin)
            call_at_end(drop_readers)
            reader = make(admin, str(database), is_superuser=is_superuser)
            _readers[_server(database)] = reader
        return let_read(
            admin,
            reader,
            str(database),
            is_superuser=is_superuser,
            reads_all=reads_all,
            hides_rows=hides_rows,
        )
    except (psycopg.errors.InsufficientPrivilege, psycopg.errors.ReadOnlySqlTransaction):
        # It may not after all, or the server is a replica.
        return False


def _log_in(database: Reference, limits: Limits, reader: ReaderRole) -> Connection:
    if reader.is_old:
        with closing(connect(database, limits.seconds)) as admin, suppress(psycopg.Error):
            renew(admin, reader)
    login = {"user": reader.name, "password": reader.password}
    return connect(database, limits.seconds, login, reader.settings[str(database)])


def drop_readers() -> None:
    """Drop the roles that this process made, and those of processes that are gone."""
    with _lock:
        for reader in list(_readers.values()):
            _discard(reader.database)


def _discard(database: Reference) -> None:
    """Forget the role of a server; drop it, if it is ours."""
    reader = _readers.pop(_server(database), None)
    if reader is None or reader.process != os.getpid():
        return
    # The database may be gone that it was made for.
    others = [with_database(reader.database, name) for name in ("postgres", "template1")]
    for url in (reader.database, *others):
        with suppress(DatabaseError), closing(connect(url, _SECONDS)) as admin:
            with suppress(psycopg.Error, DatabaseError):
                drop(admin, reader.name)
                sweep(admin)
            return
