"""Whose fault a failure is: the query's, unless a probe shows that the engine is at fault.

An engine names its errors by their numbers, and a text can raise most of them at will. What an
engine calls its own fault would take a prediction out of the score. So it is asked again:

1. The same session gets a query of ours and the golds of the case. Where it does not answer them,
   a new session does. Where neither answers, the engine is at fault.
2. The query runs once more. Where it is answered, or fails by itself, that is its outcome: a
   connection was lost, a lock is gone.
3. The database is looked at for damage: by the engine's own check where it has one
   (:class:`SelfChecking`), else the tables that the text names are read in full by queries of
   ours. Where it is damaged, the engine is at fault, also where the gold reads other pages.
4. The engine still answers, and its data are whole: the failure is the query's own. It keeps its
   message, and is an ``EXECUTION_ERROR``.

Nothing here looks at an error's number or text: a plug-in's engine is held to the same rule, one
that raises exceptions included.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Protocol, TypeGuard, runtime_checkable

from sqlverdict.errors import SqlverdictError
from sqlverdict.execute.attempt import Runs, run_safely
from sqlverdict.execute.engine import Engine, Limits
from sqlverdict.files.references import Reference
from sqlverdict.parse.schema import Schema
from sqlverdict.parse.tokens import fold, pieces
from sqlverdict.records import Failure, Fault, Outcome, Reason

PROBE = "SELECT 1"
"""What every engine answers, or refuses by itself."""
OWN = "the engine answers other queries, so the error is this query's own"
_NOT_A_QUERYS = frozenset({Reason.DATABASE_UNAVAILABLE, Reason.TOOLKIT_ERROR})
"""Reasons that a query's failure has only where somebody else is at fault."""
_TABLES = 16
"""So many tables that a text names are read in full."""
_COLUMNS = 50
_QUOTES = "\"`[]'"


@runtime_checkable
class SelfChecking(Protocol):
    """An engine that can tell whether a database is damaged, by reading all of it."""

    def damage(self, database: Reference, limits: Limits) -> str | None:
        """What is damaged, in words; ``None``: nothing, or it took longer than the limit.

        Raises:
            DatabaseError: the database cannot be opened.
        """
        ...


def claims_fault(outcome: Outcome) -> TypeGuard[Failure]:
    """Whether the outcome says that somebody else than the query is to blame."""
    return isinstance(outcome, Failure) and (
        outcome.fault is not None or outcome.reason in _NOT_A_QUERYS
    )


def settle_fault(
    failure: Failure,
    sql: str,
    session: Runs,
    renew: Callable[[], Runs | None],
    controls: Sequence[str],
    damage: Callable[[Runs], str | None],
) -> Outcome:
    """Whose fault a failure is that an engine does not lay at the query's door.

    Args:
        failure: What the engine said.
        sql: The query.
        session: Where it ran.
        renew: A new session on the same content; ``None`` where there is none to be had.
        controls: Queries that the engine should answer: the golds of the case.
        damage: What is damaged in the database, asked by a session of ours.

    Returns:
        The outcome: the failure itself where the engine is at fault, what another try gives,
        or a failure that is the query's own.
    """
    controls = [control for control in controls if control != sql]
    live = _first_answering(session, renew, controls)
    if live is None:
        return _of_engine(failure)
    again = run_safely(live, sql)
    if not claims_fault(again):
        return again
    live = _first_answering(live, renew, controls)
    if live is None:
        return _of_engine(again)
    broken = damage(live)
    if broken is not None:
        return _of_engine(replace(again, message=f"{again.message} ({broken})"))
    return replace(
        again, reason=Reason.EXECUTION_ERROR, fault=None, message=f"{again.message} ({OWN})"
    )


def _first_answering(
    session: Runs, renew: Callable[[], Runs | None], controls: Sequence[str]
) -> Runs | None:
    """The session where it answers queries of ours and the golds, else a new one that does."""
    if _answers(session, controls):
        return session
    new = renew()
    return new if new is not None and _answers(new, controls) else None


def _answers(session: Runs, controls: Sequence[str]) -> bool:
    return not any(claims_fault(run_safely(session, sql)) for sql in (PROBE, *controls))


def _of_engine(failure: Failure) -> Failure:
    return replace(failure, fault=failure.fault or Fault.ENGINE, repeatable=False)


def find_damage(
    engine: Engine, database: str, sql: str, limits: Limits, session: Runs
) -> str | None:
    """What is damaged in a database, in words; ``None`` where nothing is known to be."""
    try:
        if isinstance(engine, SelfChecking):
            return engine.damage(database, limits)
        schema = engine.schema(database)
    except (SqlverdictError, OSError) as error:
        return f"the database cannot be read: {error}"
    for reading in readings(schema, sql, engine.dialect):
        outcome = run_safely(session, reading)
        if claims_fault(outcome):
            return f"a table cannot be read in full: {outcome.message}"
    return None


def readings(schema: Schema, sql: str, dialect: str) -> Iterator[str]:
    """Queries of ours that read in full the tables which a text names."""
    from sqlglot.expressions import to_identifier

    words = {fold(piece.strip(_QUOTES)) for piece in pieces(sql)}
    tables = [table for table in schema.tables if fold(table.name) in words]
    for table in tables[:_TABLES]:
        name = to_identifier(table.name, quoted=True).sql(dialect)
        columns = [
            f"max({to_identifier(column.name, quoted=True).sql(dialect)})"
            for column in table.columns[:_COLUMNS]
        ]
        # Two columns at a time: a type that has no order fails its own query alone.
        for start in range(0, len(columns), 2):
            cells = ", ".join(columns[start : start + 2])
            yield f"SELECT {cells}, count(*) FROM {name}"  # noqa: S608 - quoted names
