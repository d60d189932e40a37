"""MySQL and MariaDB, through PyMySQL.

A database is a URL, ``mysql://user@host/name``; ``mariadb://`` is the same. A session is one
read-only transaction with a consistent snapshot. One statement, and only queries.

The server gets what the guard read: a text is cut into tokens, and written anew from them in one
spelling, without comments (``spelling.py``). What is not clear is refused: control characters
outside of strings, ``/*! ... */``, character sets before strings (``_utf8'x'``), strings side by
side, variables, placeholders, ``{d '...'}``, numbers with a letter right behind. Refused are also
INTO, locks, tables of other databases, information_schema included, and every function that is not
on a list of harmless ones (``functions.py``). A function of the database may be called if it runs
with the rights of who calls it (SQL SECURITY INVOKER) and sets no variable and no setting of the
session (``routines.py``); others are ``WRITE_BLOCKED``, and so are views that call one which sets
something. A column without an alias is named after the text that was sent: the spaces in its name
may be fewer.

Queries run as somebody who may only read this database. Where the user of the URL may create users,
a short-lived one is made, ``sqlverdict_reader_...``, once a process and database, with SELECT and
SHOW VIEW on it and nothing else. It is dropped at the end; those of processes that died are dropped
by the next one. Where the user of the URL may not, and may do more than read this database, it is
refused with the statements that an administrator can run; the setting ``trust-role`` uses it all
the same.

The server ends a query at its time limit, and a second connection ends it there too. Temporary
tables are bounded by the memory limit, and on the disk of MariaDB by 1 GiB. Memory is not bounded:
the server does not count the buffers of texts (``REPEAT``). Give it a limit from outside, such as a
control group.

Every session has the time zone UTC, the character set utf8mb4 and the SQL mode (alone)
NO_ENGINE_SUBSTITUTION: a query may select columns that are not in its GROUP BY, as the published
benchmarks for MySQL expect. The setting ``now`` sets the session's clock, so that views see it too.
The digest is made of the declarations and of hashes over the rows of each table (``session.py``);
tables that keep no snapshots have none.

Statements that write run on a copy of the database, ``sqlverdict_copy_...``, on the same server, as
a user who may do nothing but that; both are dropped afterwards. The user of the URL needs the right
to create databases whose names begin with ``sqlverdict_``. A database with triggers, functions or
sequences of its own is not copied.

Witnesses need no right but SELECT: their rows are written into the queries, and JSON_TABLE (MariaDB
10.6, MySQL 8.0.4) reads them into columns of the tables' types. A LIMIT that cuts nothing keeps the
server from merging them into the query, which it does wrongly at times. ENUM, SET, UUID and
computed columns cannot be written, and a star over such rows leaves out no INVISIBLE column; for
queries on them, tables are made in a database of our own where the user may create it. A view needs
SHOW VIEW (``scratch.py``).

A FLOAT is the number that its four bytes are, and that the server computes with: 16777216 and
0.10000000149011612, where the server writes 16777200 and 0.1. A query that shows one is asked twice
(``float_columns.py``). The driver's values, which official scripts compare, stay as they are.

Needs the extra ``mysql``.
"""

from __future__ import annotations

from sqlverdict.execute.engine import ENGINES, Limits, Scratch
from sqlverdict.execute.engines.mysql.common.argument_counts import call_error
from sqlverdict.execute.engines.mysql.common.plain_text import plain_text
from sqlverdict.execute.engines.mysql.common_text import write_common_text
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
    rules_checked = True
    repeats_names = True

    def common_text(self, sql: str, arithmetic: bool, schema: Schema) -> str | None:
        """The query with calls of unknown functions for what MySQL alone can read."""
        return write_common_text(sql, arithmetic, schema)

    def plain_text(self, sql: str) -> str | None:
        """The query without one around it that passes all its rows and columns on."""
        return plain_text(sql)

    def syntax_error(self, sql: str) -> str | None:
        """What is wrong with a call or a LIMIT, as far as it is known without a parser."""
        return call_error(sql)

    def type_error(self, sql: str, schema: Schema) -> str | None:
        """No type is an error: every value becomes what is wanted."""
        del sql, schema
        return None

    def scratch(self, schema: Schema, limits: Limits, near: Reference | None = None) -> Scratch:
        """Rows in the text of each query; tables of our own for types that need them."""
        scratch: Scratch = self._part("scratch_tables").open_scratch(schema, limits, near)
        return scratch
