"""A database of our own on a PostgreSQL server, with its content, which is dropped at the end.

One connection to it stays open for as long as it lives, and a comment says that it is ours. A
process that is killed leaves it behind, with the comment and without a connection; the server drops
no database that somebody is connected to, so whoever comes next can drop it safely.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import closing, contextmanager
from typing import Final

import psycopg

from sqlverdict.errors import DatabaseError
from sqlverdict.execute.engines.postgres.connection import (
    Connection,
    connect,
    quoted,
    server_errors,
    server_literal,
)
from sqlverdict.execute.servers.statements import rows_of, undo_on_error
from sqlverdict.files.references import Reference, with_database

_SECONDS: Final = 60.0
_COMMENT: Final = "made by sqlverdict; it may be dropped when nobody is connected to it"
_TRIES: Final = 6
"""Each time the server waits five seconds for connections to end; a busy one needs longer."""
_FORCE: Final = 130000
"""The first version that drops a database in spite of its connections."""


@contextmanager
def own_database(server: Reference, name: str, statements: Iterable[str]) -> Iterator[str]:
    """Make a database, fill it, and drop it at the end.

    Raises:
        DatabaseError: it cannot be made, or does not take the content.
    """
    problem = f"no database can be made on the server of {server}"
    with (
        closing(connect(server, _SECONDS)) as connection,
        server_errors(problem, ". Give a role with the right CREATEDB"),
    ):
        rows_of(connection, f"CREATE DATABASE {quoted(name)} TEMPLATE template0 ENCODING 'UTF8'")
    try:
        url = with_database(str(server), name)
        with closing(_filled(url, name, statements)):
            yield url
    finally:
        with closing(connect(server, _SECONDS)) as connection:
            _drop(connection, name)


def _drop(connection: Connection, name: str) -> None:
    """Drop a database, and end who is connected to it.

    Raises:
        DatabaseError: it stays.
    """
    force = " WITH (FORCE)" if connection.info.server_version >= _FORCE else ""
    for left in reversed(range(_TRIES)):
        with server_errors(f"{name} cannot be dropped", ". Drop it by hand"):
            try:
                rows_of(connection, f"DROP DATABASE {quoted(name)}{force}")
            except psycopg.errors.ObjectInUse:
                if left:
                    continue
                raise
            return


def _filled(url: str, name: str, statements: Iterable[str]) -> Connection:
    """A connection to a database that has its content now."""
    connection = connect(url, _SECONDS)
    problem = f"PostgreSQL does not accept the content of {name}"
    with undo_on_error(connection.close), server_errors(problem):
        if connection.info.dbname != name:
            raise DatabaseError(
                f"{url} leads to the database {connection.info.dbname!r}", reason="changed"
            )
        # Not before there is a connection: without one it would look like a leftover.
        rows_of(connection, f"COMMENT ON DATABASE {quoted(name)} IS {server_literal(_COMMENT)}")
        with connection.transaction():
            for statement in statements:
                rows_of(connection, statement)
    return connection


def drop_leftovers(server: Reference, prefix: str) -> tuple[str, ...]:
    """Drop databases of ours that nobody is connected to.

    Raises:
        DatabaseError: the server does not answer.
    """
    with closing(connect(server, _SECONDS)) as connection:
        # To ask who is connected saves time: for five seconds the server waits for them to leave.
        rows = rows_of(
            connection,
            "SELECT datname FROM pg_catalog.pg_database AS d"
            " WHERE starts_with(datname::text, %s)"
            " AND pg_catalog.shobj_description(d.oid, 'pg_database') = %s"
            " AND NOT EXISTS (SELECT FROM pg_catalog.pg_stat_activity WHERE datid = d.oid)"
            " ORDER BY datname",
            prefix,
            _COMMENT,
        )
        return tuple(name for (name,) in rows if _drops(connection, name))


def _drops(connection: Connection, name: str) -> bool:
    try:
        rows_of(connection, f"DROP DATABASE {quoted(name)}")
    except psycopg.Error:
        # Somebody uses it after all, it is another role's, or another process was quicker.
        return False
    return True
