"""A database of our own on a PostgreSQL server, with its content, which is dropped at the end."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import closing, contextmanager
from typing import Final

import psycopg
from psycopg import sql

from sqlverdict.errors import DatabaseError
from sqlverdict.execute.postgres.connection import connect
from sqlverdict.files.references import Reference, with_database

_SECONDS: Final = 60.0
_FORCE: Final = 130000
"""The first version that drops a database in spite of its connections."""


@contextmanager
def own_database(server: Reference, name: str, statements: Iterable[str]) -> Iterator[str]:
    """Make a database, fill it, and drop it at the end.

    Raises:
        DatabaseError: it cannot be made, or does not take the content.
    """
    identifier = sql.Identifier(name)
    with closing(connect(server, _SECONDS)) as connection:
        try:
            create = sql.SQL("CREATE DATABASE {} TEMPLATE template0 ENCODING 'UTF8'")
            connection.execute(create.format(identifier))
        except psycopg.Error as error:
            raise DatabaseError(
                f"no database can be made on the server of {server}: {error}. Give a role with "
                "the right CREATEDB"
            ) from error
    try:
        url = with_database(str(server), name)
        _fill(url, name, statements)
        yield url
    finally:
        with closing(connect(server, _SECONDS)) as connection:
            force = " WITH (FORCE)" if connection.info.server_version >= _FORCE else ""
            try:
                connection.execute(sql.SQL("DROP DATABASE {}" + force).format(identifier))
            except psycopg.Error as error:
                raise DatabaseError(
                    f"{name} cannot be dropped: {error}. Drop it by hand"
                ) from error


def _fill(url: str, name: str, statements: Iterable[str]) -> None:
    with closing(connect(url, _SECONDS)) as connection:
        if connection.info.dbname != name:
            raise DatabaseError(f"{url} leads to the database {connection.info.dbname!r}")
        try:
            with connection.transaction():
                for statement in statements:
                    connection.execute(statement.encode())
        except psycopg.Error as error:
            raise DatabaseError(
                f"PostgreSQL does not take the content of {name}: {error}"
            ) from error
