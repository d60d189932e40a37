"""PostgreSQL 12 or newer, through psycopg 3.

A database is a URL, ``postgresql://host/name``. A session is one ``REPEATABLE READ READ ONLY``
transaction that sees one snapshot, in UTC, without parallel workers, so that the order of rows and
the last digits of sums do not depend on load. Every query in it is one SELECT, WITH, VALUES or
TABLE statement and is rolled back.

**What is sent.** PostgreSQL's own parser (libpg_query of version 18, through postgast) reads the
text, every node of the tree must be on a list, and the text that the parser writes of it is sent,
never the text that came. What the parser does not accept is ``PARSE_ERROR``, on a server of another
version too, as are chains of more than some 250 operators inside of one another; what the parser
writes is read back. Where that means something else, as it forgets the parentheses of ``(NOT a) IS
NULL``, the text is written from its tokens, if these are plain: no escapes, no strings in dollars.
Otherwise it is ``UNSUPPORTED_FEATURE``. Functions are refused by name in any spelling, and by the
server's catalogue: volatile functions of the server and those that read files, settings, roles or
other sessions, functions of extensions that write or run texts, functions that take or return
``cstring`` or ``internal`` (``array_in``), functions of your own that are ``SECURITY DEFINER``, run
texts (``EXECUTE``) or are in an untrusted language. So is what leads to a blocked function
(``catalogue.py``): operators, aggregates, explicit casts by the type that they make, ranges,
domains by their checks, and functions of your own whose text has the name of one of these as a
word. ``SECURITY.md`` says what is not seen. Refused are also foreign tables, and relations of the
server that do not describe tables.

**Who asks.** A role that may only read is used as it is. A superuser makes a role that is a member
of ``pg_read_all_data`` and nothing else (before PostgreSQL 14 it is granted SELECT on each table),
with a random password that is valid for a day, and for another one where a run is longer, logs in
as it, and drops it when the process ends; a process that was killed leaves its role to the next
one, which drops it (``reader.py``). A role that may create roles does the same, where it may pass
on all that it may read. Every other role that may do more than read, an owner of tables for
example, is refused: ``doctor`` prints the statements that make a role that only reads, and the
setting ``trust-role`` uses the role of the URL as it is. ``current_user`` differs from run to run
then, and such answers are volatile.

**What a text cannot change.** The time limit is the server's (``connection.py``), and a cancel from
outside of the session. Settings and locks of a query that ended are undone before the next one. A
function that looks for no cancel (``position`` of a long text) goes on in the server, with its lock
and its connection: the session waits for it, for three times the limit and 10 s at least, then goes
on without it. Where the server's process is seen under ``/proc`` of this machine, its memory is
looked at twenty times a second, and a query that takes more than the memory limit (768 MiB) is
cancelled: ``MEMORY_LIMIT``, not final. On another machine a query may take several times the
gigabyte that one value may have. A sort takes 256 MB of memory at most. Temporary files are limited
to 4 GB for the role that is made; only a superuser may set that limit, so for a role of your own it
is one of the statements that ``doctor`` prints. From version 14 on the server ends a query whose
client is gone, where it looks for that.

Values are compared by meaning (``execute/values/driver_values.py``); an interval has months of 30
days, as the server compares them. The digest is made of the declarations and of checksums over the
rows of each table (``session.py``). The setting ``now`` replaces clock words in the text of a
query; an answer that reads the clock through a view stays volatile. Constraints that were not
validated, and keys of tables with children by inheritance, are not facts.

Witnesses need no right but SELECT, not even TEMPORARY: their rows are written into the queries, and
``json_to_recordset`` reads them into columns of the tables' types (``scratch.py``). Types,
operators and functions of extensions are found; a query that names a function, an operator or a
further table of the database's own is not searched.

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
    rules_checked = True
    repeats_names = True
    limits_memory = "watched"

    def digest(self, database: Reference) -> str | None:
        """Digest of what the database contains now; without a role that may only read."""
        self._require_extra()
        from sqlverdict.execute.engines.postgres.session import reference_digest

        return reference_digest(database, Limits().seconds)

    def common_text(self, sql: str, arithmetic: bool, schema: Schema) -> str | None:
        """The query in common SQL; ``None`` where it has something that no call can stand for."""
        del schema
        self._require_extra()
        from sqlverdict.execute.engines.postgres.common.common_text import write_common_text

        return write_common_text(sql, arithmetic)

    def plain_text(self, sql: str) -> str | None:
        """The query as PostgreSQL's parser writes it, in one of several words for the same."""
        self._require_extra()
        from sqlverdict.execute.engines.postgres.common.common_text import write_plain_text

        return write_plain_text(sql)

    def syntax_error(self, sql: str) -> str | None:
        """What PostgreSQL's parser holds against a text."""
        self._require_extra()
        from sqlverdict.execute.engines.postgres.guard.parser import syntax_error

        return syntax_error(sql)

    def type_error(self, sql: str, schema: Schema) -> str | None:
        """Why a query always fails because of its types, by PostgreSQL's own catalogue."""
        self._require_extra()
        from sqlverdict.execute.engines.postgres.types.statement import statement_error

        return statement_error(sql, schema)

    def _require_extra(self) -> None:
        super()._require_extra()
        # An older install has the driver alone.
        if find_spec("postgast") is None:
            raise MissingExtra("PostgreSQL's parser (postgast)", "postgres")
