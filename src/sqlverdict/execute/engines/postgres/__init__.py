"""PostgreSQL 12 or newer, through psycopg 3.

A database is a URL, ``postgresql://host/name``. A session is one read-only transaction that sees
one snapshot; every query in it is one SELECT, WITH, VALUES or TABLE statement and is rolled back.

Three walls hold a query. (1) PostgreSQL's own parser (libpg_query, of version 18) reads the text,
every node of the tree must be on a list, and the text that the parser writes of it is sent, never
the text that came. What the parser does not accept is PARSE_ERROR, on a server of another version
too. Functions that read files or settings, talk to the network, wait, lock, notify, set options,
run texts or administrate are refused by name and by the server's catalogue; so are operators,
casts, domains and functions of the database that lead to a blocked one
(``own_objects.py``), foreign tables, and relations of the server that do not
describe tables. (2) The session logs in as a role that may only read: that of the URL, if it may do
no more; else one that lives as long as the process and is a member of ``pg_read_all_data``
(``reader.py``). A URL whose role may do more and may not create roles is refused,
unless it is trusted (``--trust-role``). (3) The clock limits a query: the server ends it by its own
limit (``connection.py``), and a cancel from outside the session does, and also
where our process is gone. A function that looks for no cancel goes on in the server. What a query
set or locked is undone before the next one. A sort takes 256 MB at most; where the server's process
runs on this machine (Linux), the memory limit holds for all that a query takes there. Temporary
files are limited to 4 GB for the role that is made, and for others by what ``doctor`` prints.

A lost connection is an engine fault: the query is tried once more on a new connection that shows
the same content.

Values are compared by meaning (``execute/driver_values.py``); an interval has months of 30 days,
as the server compares them. The digest is made of the declarations and of checksums over the rows
of each table (``digest.py``). ``--now`` replaces clock words in the text of a
query; an answer that reads the clock through a view stays volatile.

Statements that write run in a transaction that is rolled back, as the role of the URL: only the
owner of a table may alter it. Give a role that owns the tables; one that may administrate the
server is refused, unless it is trusted.

Needs the extra ``postgres``.

``connection``  connects, and sets what must be the same for every session
``exchange``    statements in one round trip, with a deadline and a cancel on the server
``backend``     the memory of the server's process, where it runs on this machine
``cursor``      untrusted queries in one transaction, under all limits
``session``     one snapshot of a database
``sandbox``     the text that is sent for a query, and what the server's errors mean
``guard/``      what a text says, and what it may say
``catalogue``   what the database itself says about functions and views
``own_objects``  operators, casts, checks and functions that lead to a blocked function
``values``      the server's values as cells, and as psycopg2 gives them
``digest``      a digest of the content that a snapshot shows
``schema``      tables, columns, keys and constraints
``scratch``     temporary tables for instances of a few rows
``workspace``   a transaction that may write, and is rolled back
``sequences``   numbers that come back with the transaction
``own_database``  a database of our own on the server
``rights``      what the role could do more than read
``reader``      as whom untrusted queries log in
``reader_roles``  a role that may only read: made, and dropped
"""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import AbstractContextManager
from datetime import datetime
from importlib.util import find_spec

from sqlverdict.errors import DatabaseError, MissingExtra, SchemaError
from sqlverdict.execute.engine import ENGINES, Limits, Scratch, Session, Workspace
from sqlverdict.execute.servers.member import ServerMember
from sqlverdict.files.references import Reference
from sqlverdict.parse.schema import Schema


@ENGINES.member
class Postgres(ServerMember):
    """PostgreSQL through psycopg."""

    name = "postgres"
    dialect = "postgres"
    driver = "psycopg"
    schemes = ("postgresql", "postgres")
    # Foreign keys are not, where they were declared NOT VALID.
    enforces = frozenset({"types", "keys"})

    def _require_extra(self) -> None:
        super()._require_extra()
        # An older install has the driver alone.
        if find_spec("postgast") is None:
            raise MissingExtra("PostgreSQL's parser (postgast)", "postgres")

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
        from sqlverdict.execute.engines.postgres.session import PostgresSession

        return PostgresSession(database, limits, now, driver_values=driver_values)

    def digest(self, database: Reference) -> str | None:
        """Digest of what the database contains now."""
        self._require_extra()
        from sqlverdict.execute.engines.postgres.digest import database_digest

        return database_digest(database, Limits().seconds)

    def workspace(
        self, database: Reference, limits: Limits, *, now: datetime | None = None
    ) -> Workspace:
        """A transaction that may write, and is rolled back."""
        self._require_extra()
        from sqlverdict.execute.engines.postgres.workspace import PostgresWorkspace

        return PostgresWorkspace(database, limits, now)

    def schema(self, database: Reference, db_id: str | None = None) -> Schema:
        """The schema as the catalogue describes it; ``public`` unless the search path differs."""
        self._require_extra()
        from sqlverdict.execute.engines.postgres.connection import connect
        from sqlverdict.execute.engines.postgres.schema import read_schema

        try:
            connection = connect(database, Limits().seconds)
        except DatabaseError as error:
            raise SchemaError(str(error)) from error
        with connection:
            return read_schema(connection, db_id or connection.info.dbname)

    def scratch(self, schema: Schema, limits: Limits, near: Reference | None = None) -> Scratch:
        """Temporary tables in a transaction that is never committed."""
        self._require_extra()
        from sqlverdict.execute.engines.postgres.scratch import PostgresScratch

        return PostgresScratch(schema, limits, near)

    def own_database(
        self, server: Reference, name: str, statements: Iterable[str]
    ) -> AbstractContextManager[str]:
        """A new database on a server, which is dropped at the end."""
        self._require_extra()
        from sqlverdict.execute.engines.postgres.own_database import own_database

        return own_database(server, name, statements)

    def drop_leftovers(self, server: Reference, prefix: str) -> tuple[str, ...]:
        """Drop databases of our own whose process was killed."""
        self._require_extra()
        from sqlverdict.execute.engines.postgres.own_database import drop_leftovers

        return drop_leftovers(server, prefix)

    def excess_rights(self, database: Reference) -> tuple[str, ...]:
        """What the role of the URL could do more than read."""
        self._require_extra()
        from sqlverdict.execute.engines.postgres.rights import excess_rights

        return excess_rights(database)

    def reader_statements(self, database: Reference) -> tuple[str, ...]:
        """What an administrator can run to make a role that may only read this database."""
        self._require_extra()
        from sqlverdict.execute.engines.postgres.rights import reader_statements

        return reader_statements(database)
