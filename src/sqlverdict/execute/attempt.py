"""What is tried at all, and what becomes of an engine's exceptions."""

from __future__ import annotations

from typing import Protocol

from sqlverdict.execute.engine import Limits
from sqlverdict.records import Failure, Fault, Outcome, Reason


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


def run_safely(session: Runs, sql: str) -> Outcome:
    """What a query gives; an exception is a failure that the engine has to answer for."""
    try:
        return session.run(sql)
    except MemoryError:
        return Failure(Reason.MEMORY_LIMIT, "the answer does not fit into the memory limit")
    except Exception as error:  # noqa: BLE001 - the border: an engine of somebody else's
        message = f"the engine raised {type(error).__name__}: {error}"
        return Failure(Reason.DATABASE_UNAVAILABLE, message, Fault.ENGINE, repeatable=False)
