"""PostgreSQL 12 or newer, through psycopg 3.

A database is a URL, ``postgresql://host/name``. A session is one read-only transaction that sees
one snapshot; every query in it is one SELECT, WITH, VALUES or TABLE statement and is rolled back.

Three walls hold a query. (1) PostgreSQL's own parser (libpg_query, of version 18) reads the text,
every node of the tree must be on a list, and the text that the parser writes of it is sent, never
the text that came. What the parser does not accept is PARSE_ERROR, on a server of another version
too. Functions that read files or settings, talk to the network, wait, lock, notify, set options,
run texts or administrate are refused by name and by the server's catalogue; so are operators,
casts, domains and functions of the database that lead to a blocked one
(``catalogue.py``), foreign tables, and relations of the server that do not
describe tables. (2) The session logs in as a role that may only read: that of the URL, if it may do
no more; else one that lives as long as the process and is a member of ``pg_read_all_data``
(``reader.py``). A URL whose role may do more and may not create roles is refused,
unless it is trusted (setting ``trust-role``). (3) The clock limits a query: the server ends it by
its own limit (``connection.py``), and a cancel from outside the session does, and also
where our process is gone. A function that looks for no cancel goes on in the server. What a query
set or locked is undone before the next one. A sort takes 256 MB at most; where the server's process
runs on this machine (Linux), the memory limit holds for all that a query takes there. Temporary
files are limited to 4 GB for the role that is made, and for others by what ``doctor`` prints.

A lost connection is an engine fault: the query is tried once more on a new connection that shows
the same content.

Values are compared by meaning (``execute/driver_values.py``); an interval has months of 30 days,
as the server compares them. The digest is made of the declarations and of checksums over the rows
of each table (``digest.py``). The setting ``now`` replaces clock words in the text of a
query; an answer that reads the clock through a view stays volatile.

Statements that write run in a transaction that is rolled back, as the role of the URL: only the
owner of a table may alter it. Give a role that owns the tables; one that may administrate the
server is refused, unless it is trusted.

Needs the extra ``postgres``.
"""

from __future__ import annotations

from importlib.util import find_spec

from sqlverdict.errors import MissingExtra
from sqlverdict.execute.engine import ENGINES, Limits
from sqlverdict.execute.servers.member import ServerMember
from sqlverdict.files.references import Reference


@ENGINES.member
class Postgres(ServerMember):
    """PostgreSQL through psycopg."""

    name = "postgres"
    dialect = "postgres"
    driver = "psycopg"
    schemes = ("postgresql", "postgres")
    # Foreign keys are not, where they were declared NOT VALID.
    enforces = frozenset({"types", "keys"})

    def digest(self, database: Reference) -> str | None:
        """Digest of what the database contains now; without a role that may only read."""
        self._require_extra()
        from sqlverdict.execute.engines.postgres.digest import reference_digest

        return reference_digest(database, Limits().seconds)

    def _require_extra(self) -> None:
        super()._require_extra()
        # An older install has the driver alone.
        if find_spec("postgast") is None:
            raise MissingExtra("PostgreSQL's parser (postgast)", "postgres")
