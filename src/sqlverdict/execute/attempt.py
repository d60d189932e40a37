"""What is tried at all, and what all engines say in the same words of what has no answer."""

from __future__ import annotations

from typing import Final, Protocol

from sqlverdict.errors import SchemaError, SqlverdictError
from sqlverdict.execute.engine import Engine, Limits
from sqlverdict.files.references import Reference
from sqlverdict.parse.measure import unfolds_beyond
from sqlverdict.parse.schema import Schema
from sqlverdict.records import Failure, Fault, Outcome, Reason

NO_SQL: Final = Failure(Reason.NO_SQL_PRODUCED, "the text holds no SQL")
SEVERAL: Final = Failure(Reason.UNSUPPORTED_FEATURE, "several statements; exactly one is expected")
SEVERAL_CHANGES: Final = Failure(Reason.UNSUPPORTED_FEATURE, "several statements in one")
"""The same of a text that may write."""
TOO_LARGE: Final = Failure(Reason.MEMORY_LIMIT, "the answer does not fit into the memory limit")
NO_RESULT: Final = Failure(Reason.UNSUPPORTED_FEATURE, "the statement returns no result")


class Runs(Protocol):
    """What runs queries: a session, or a workspace."""

    def run(self, sql: str) -> Outcome:
        """Run one untrusted query within the limits."""
        ...


def too_long(sql: str, limits: Limits) -> Failure | None:
    """Why a text is not tried at all: it is longer than the limit."""
    if len(sql) <= limits.sql_length:
        return None
    return Failure(
        Reason.PARSE_ERROR,
        f"the SQL text has {len(sql):,} characters; at most {limits.sql_length:,} are tried",
    )


def unfolding(sql: str) -> Failure | None:
    """Why a text is not tried: what it names once is worked out too often."""
    if not unfolds_beyond(sql):
        return None
    return Failure(Reason.MEMORY_LIMIT, "common table expressions that expand into too many copies")


def write_blocked(what: str) -> Failure:
    """A query that would do more than read."""
    return Failure(Reason.WRITE_BLOCKED, f"only reading is allowed; blocked: {what}")


def timed_out(limit: float, seconds: float) -> Failure:
    """A query that the clock ended."""
    return Failure(
        Reason.EXECUTION_TIMEOUT, f"stopped after {limit:g} s", seconds=seconds, repeatable=False
    )


def unavailable(message: str) -> Failure:
    """The engine is to blame, unless a probe shows that the query is."""
    return Failure(Reason.DATABASE_UNAVAILABLE, message, fault=Fault.ENGINE, repeatable=False)


def damaged_file(message: str) -> Failure:
    """A file is to blame, unless a probe shows that the query is."""
    return unavailable(f"the database cannot be read: {message}. Check or restore the file.")


def out_of_memory(message: str) -> Failure:
    """A query that took more of the engine's memory than it may."""
    return Failure(Reason.MEMORY_LIMIT, f"the engine's memory limit was reached: {message}")


def run_safely(session: Runs, sql: str) -> Outcome:
    """What a query gives; an exception is a failure that the engine has to answer for."""
    try:
        return session.run(sql)
    except MemoryError:
        return TOO_LARGE
    except Exception as error:  # noqa: BLE001 - the border: an engine of somebody else's
        return unavailable(f"the engine raised {type(error).__name__}: {error}")


def read_engine_schema(engine: Engine, database: Reference, db_id: str | None = None) -> Schema:
    """What :meth:`Engine.schema` gives; whatever else an engine raises is its own, by name.

    Raises:
        SchemaError: it cannot be read, or the engine raised what no engine should.
    """
    try:
        return engine.schema(database, db_id)
    except SqlverdictError:
        raise
    except Exception as error:
        raise SchemaError(
            f"the engine {engine.name} cannot read the schema of {database}: it raised "
            f"{type(error).__name__}: {error}",
            reason="failed",
        ) from error
