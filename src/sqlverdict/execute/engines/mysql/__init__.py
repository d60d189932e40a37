"""MySQL and MariaDB, through PyMySQL.

A database is a URL, ``mysql://user@host/name``; ``mariadb://`` is the same. A session is one
read-only transaction with a consistent snapshot. One statement, and only queries.

The server gets what the guard read: a text is cut into tokens, and written anew from them in one
spelling, without comments (``spelling.py``). What is not clear is refused: control
characters outside of strings, ``/*! ... */``, character sets before strings (``_utf8'x'``),
strings side by side, variables, placeholders, ``{d '...'}``, numbers with a letter right behind.
Refused are also INTO, locks, tables of other databases, information_schema included, and every
function that is not on a list of harmless ones (``functions.py``). A function of the
database may be called if it runs with the rights of who calls it (SQL SECURITY INVOKER) and sets no
variable and no setting of the session (``routines.py``). A column without an alias is
named after the text that was sent: the spaces in its name may be fewer.

Queries run as somebody who may only read this database. Where the user of the URL may create users,
a short-lived one is made, ``sqlverdict_reader_...``, once a process and database, with SELECT and
SHOW VIEW on it and nothing else. It is dropped at the end; those of processes that died are dropped
by the next one. Where the user of the URL may not, and may do more than read this database, it is
refused with the statements that an administrator can run; ``--trust-role`` uses it all the same.

The server ends a query at its time limit, and a second connection ends it there too. Temporary
tables have limits. Memory has none: the server does not count the buffers of texts. A lost
connection is an engine fault: the query is tried once more on a new connection that shows the same
content.

Every session has the time zone UTC, the character set utf8mb4 and the SQL mode (alone)
NO_ENGINE_SUBSTITUTION: a query may select columns that are not in its GROUP BY, as the
published benchmarks for MySQL expect. ``--now`` sets the session's clock, so that views see it too.
The digest is made of the declarations and of hashes over the rows of each table
(``digest.py``); tables that keep no snapshots have none.

Statements that write run on a copy of the database, ``sqlverdict_copy_...``, on the same server, as
a user who may do nothing but that; both are dropped afterwards. The user of the URL needs the right
to create databases whose names begin with ``sqlverdict_``, for that and for witnesses. A database
with triggers, functions or sequences of its own is not copied.

Needs the extra ``mysql``.

``connection``  connects, and sets what must be the same for every session
``sandbox``     what a text may not contain, and what the server's errors mean
``spelling``    the one spelling in which a text is sent
``functions``   what a query may call
``cursor``      untrusted queries on one connection, with limits and a cancel on the server
``session``     one snapshot of a database
``digest``      a digest of the content that a snapshot shows
``schema``      tables, columns, keys and constraints
``scratch``     tables for instances of a few rows
``own_database``  a database of our own on the server
``workspace``   a copy of a database that may be written
``reader``      as whom untrusted queries log in
``routines``    the functions of a database, and which of them set variables
``rights``      what a user could do more than read
``values``      the driver's values as cells
"""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import AbstractContextManager
from datetime import datetime
from urllib.parse import unquote, urlsplit

from sqlverdict.errors import DatabaseError, SchemaError
from sqlverdict.execute.engine import ENGINES, Limits, Scratch, Session, Workspace
from sqlverdict.execute.servers.member import ServerMember
from sqlverdict.files.references import Reference
from sqlverdict.parse.schema import Schema


@ENGINES.member
class Mysql(ServerMember):
    """MySQL and MariaDB through PyMySQL."""

    name = "mysql"
    dialect = "mysql"
    driver = "PyMySQL"
    schemes = ("mysql", "mariadb")
    # Foreign keys are not, in tables of some storage engines and where a session switched them off.
    enforces = frozenset({"types", "keys"})

    def open(
        self,
        database: Reference,
        limits: Limits,
        *,
        now: datetime | None = None,
        driver_values: bool = False,
    ) -> Session:
        """Open a snapshot of a database."""
        self._require_extra()
        from sqlverdict.execute.engines.mysql.session import MysqlSession

        return MysqlSession(database, limits, now, driver_values=driver_values)

    def workspace(
        self, database: Reference, limits: Limits, *, now: datetime | None = None
    ) -> Workspace:
        """A copy of a database on its server, which may be written."""
        self._require_extra()
        from sqlverdict.execute.engines.mysql.workspace import MysqlWorkspace

        return MysqlWorkspace(database, limits, now)

    def schema(self, database: Reference, db_id: str | None = None) -> Schema:
        """The schema as the catalogue describes it."""
        self._require_extra()
        from sqlverdict.execute.engines.mysql.connection import connect
        from sqlverdict.execute.engines.mysql.schema import read_schema

        try:
            connection = connect(database, Limits())
        except DatabaseError as error:
            raise SchemaError(str(error)) from error
        with connection:
            return read_schema(connection, db_id or _name(database))

    def scratch(self, schema: Schema, limits: Limits, near: Reference | None = None) -> Scratch:
        """A database of our own on the server."""
        self._require_extra()
        from sqlverdict.execute.engines.mysql.scratch import MysqlScratch

        return MysqlScratch(schema, limits, near)

    def own_database(
        self, server: Reference, name: str, statements: Iterable[str]
    ) -> AbstractContextManager[str]:
        """A new database on a server, which is dropped at the end."""
        self._require_extra()
        from sqlverdict.execute.engines.mysql.own_database import own_database

        return own_database(server, name, statements)

    def drop_leftovers(self, server: Reference, prefix: str) -> tuple[str, ...]:
        """Drop databases of our own whose process was killed."""
        self._require_extra()
        from sqlverdict.execute.engines.mysql.own_database import drop_leftovers

        return drop_leftovers(server, prefix)

    def excess_rights(self, database: Reference) -> tuple[str, ...]:
        """What the user of the URL could do more than read."""
        self._require_extra()
        from sqlverdict.execute.engines.mysql.rights import excess_rights

        return excess_rights(database)

    def reader_statements(self, database: Reference) -> tuple[str, ...]:
        """What makes a user who may only read the database of a URL."""
        self._require_extra()
        from sqlverdict.execute.engines.mysql.rights import reader_statements

        return reader_statements(database)


def _name(database: Reference) -> str:
    return unquote(urlsplit(str(database)).path.strip("/"))
