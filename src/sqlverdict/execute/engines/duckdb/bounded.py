"""Sessions and scratch databases that keep their limits whatever a query calls.

A plain query runs in this process, where it takes no longer than with DuckDB alone. Every other one
runs in a warm process with the same guards, which is killed where the query overruns its time, and
whose memory is limited by the operating system.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from functools import partial
from pathlib import Path

from duckdb import DuckDBPyConnection

from sqlverdict.execute.apart.remote import Remote
from sqlverdict.execute.engine import Limits, Scratch
from sqlverdict.execute.engines.duckdb.connect import open_file, set_guards
from sqlverdict.execute.engines.duckdb.scratch import DuckdbScratch
from sqlverdict.execute.engines.duckdb.session import DuckdbSession
from sqlverdict.execute.session import TableRows
from sqlverdict.parse.schema import Schema
from sqlverdict.records import Failure, Outcome


def open_session(
    file: Path,
    attached: Mapping[str, Path],
    limits: Limits,
    now: datetime | None,
    driver_values: bool,
) -> DuckdbSession:
    """A file and what is attached to it, read-only, with every guard set, in this process."""

    def connect() -> DuckDBPyConnection:
        connection = open_file(file, limits, attached=attached)
        set_guards(connection, now)
        return connection

    return DuckdbSession(
        connect,
        limits,
        files=(file, *attached.values()),
        frozen=now is not None,
        driver_values=driver_values,
    )


class BoundedSession:
    """One open DuckDB file. Not for several threads at once.

    Args:
        file: The file.
        attached: Further files by the names of their databases.
        limits: What one query may spend.
        now: What the clock shows to queries.
        driver_values: Answers also hold the values as the driver gives them.
        digest: Tells the digest of what is read.

    Raises:
        DatabaseError: it cannot be opened.
    """

    def __init__(
        self,
        file: Path,
        attached: Mapping[str, Path],
        limits: Limits,
        now: datetime | None,
        driver_values: bool,
        digest: Callable[[], str | None],
    ) -> None:
        make = partial(open_session, file, attached, limits, now, driver_values)
        self._here = make()
        self._apart = Remote(make, limits)
        self._limits = limits
        self._digest = digest

    def digest(self) -> str | None:
        """Digest of the files as they are now."""
        return self._digest()

    def run(self, sql: str) -> Outcome:
        """Run one untrusted query within the limits."""
        refusal = self._here.refusal(sql)
        if refusal is not None:
            return refusal
        if self._here.is_plain(sql):
            return self._here.run_text(sql)
        outcome: Outcome = self._apart.call("run_text", sql, seconds=self._limits.seconds)
        return outcome

    def clock(self, queries: Sequence[str], rounds: int) -> list[list[float]]:
        """Seconds of each query, interleaved, after one warm-up each."""
        if all(map(self._here.is_plain, queries)):
            return self._here.clock(queries, rounds)
        most = self._limits.seconds * (rounds + 1) * len(queries)
        seconds = self._apart.call("clock", queries, rounds, seconds=most)
        return [[] for _ in queries] if isinstance(seconds, Failure) else seconds

    def close(self) -> None:
        """Close the files."""
        self._here.close()
        self._apart.close()


class BoundedScratch(Scratch):
    """A schema's tables in memory. Not for several threads at once.

    Args:
        schema: The tables, with types that DuckDB knows.
        limits: What one query may spend.

    Raises:
        DatabaseError: a table or view cannot be made.
    """

    def __init__(self, schema: Schema, limits: Limits) -> None:
        self._here = DuckdbScratch(schema, limits)
        self._apart = Remote(partial(DuckdbScratch, schema, limits), limits)
        self._limits = limits
        self._rows: TableRows = {}

    def load(self, rows: TableRows) -> bool:
        """Make these rows the content; false where one breaks a type or a constraint."""
        self._rows = rows
        return self._here.load(rows)

    def run(self, sql: str) -> Outcome:
        """Run one untrusted query on the content."""
        if self._here.refusal(sql) is not None or self._here.is_plain(sql):
            return self._here.run(sql)
        outcome: Outcome = self._apart.call("run_on", self._rows, sql, seconds=self._limits.seconds)
        return outcome

    def close(self) -> None:
        """Close the database."""
        self._here.close()
        self._apart.close()
