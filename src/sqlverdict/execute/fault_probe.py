"""Whose fault a failure is: the query's, unless a probe shows that the engine is at fault.

An engine names its errors by their numbers, and a text can raise most of them at will. What an
engine calls its own fault would take a prediction out of the score. So it is asked again:

1. The same session gets a query of ours and the golds of the case. Where it does not answer them,
   a new session does. Where neither answers, the engine is at fault.
2. The query runs once more. Where it is answered, or fails by itself, that is its outcome: a
   connection was lost, a lock is gone.
3. The database is looked at for damage: by the engine's own check where it has one
   (:class:`SelfChecking`), else the tables that the text names are read in full by queries of
   ours, one a table, for as long as one query may take. Where it is damaged, the engine is at
   fault, also where the gold reads other pages.
4. The engine still answers, and its data are whole: the failure is the query's own. It keeps its
   message, and is an ``EXECUTION_ERROR``.

Nothing here looks at an error's number or text: a plug-in's engine is held to the same rule, one
that raises exceptions included.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from time import monotonic
from typing import Protocol, TypeGuard, runtime_checkable

from sqlverdict.dialects import dialect_of
from sqlverdict.errors import SqlverdictError
from sqlverdict.execute.attempt import Runs, read_engine_schema, run_safely
from sqlverdict.execute.engine import Engine, Limits
from sqlverdict.files.references import Reference
from sqlverdict.parse.schema import Schema, Table
from sqlverdict.parse.tokens import fold, pieces
from sqlverdict.records import Answer, Failure, Fault, Outcome, Reason

PROBE = "SELECT 1"
"""What every engine answers, or refuses by itself."""
OWN = "the engine answers other queries, so the error is this query's own"
_NOT_A_QUERYS = frozenset({Reason.DATABASE_UNAVAILABLE, Reason.TOOLKIT_ERROR})
"""Reasons that a query's failure has only where somebody else is at fault."""
_COLUMNS = 1_000
_QUOTES = "\"`[]'"


@runtime_checkable
class SelfChecking(Protocol):
    """An engine that can tell whether a database is damaged, by reading all of it.

    On others, queries of ours read the tables that a failing query names.
    """

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


def settling_time(limits: Limits, controls: Sequence[str]) -> float:
    """How many seconds it may take to settle a fault: two sessions are probed, twice each."""
    return (4 * len(controls) + 8) * limits.seconds


def settle_fault(
    failure: Failure,
    sql: str,
    session: Runs,
    renew: Callable[[], Runs | None],
    controls: Sequence[str],
    damage: Callable[[Runs], str | None],
) -> Outcome:
    """Probe who is at fault for a failure that an engine calls its own: the engine or the query.

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
        schema = read_engine_schema(engine, database)
    except (SqlverdictError, OSError) as error:
        return f"the database cannot be read: {error}"
    deadline = monotonic() + limits.seconds
    for table in _tables_in(schema, sql):
        for reading in readings(table, engine.dialect):
            if monotonic() > deadline:
                return None
            outcome = run_safely(session, reading)
            if claims_fault(outcome):
                return f"a table cannot be read in full: {outcome.message}"
            if isinstance(outcome, Answer):
                break
    return None


def _tables_in(schema: Schema, sql: str) -> list[Table]:
    """The tables that a text names."""
    words = {fold(piece.strip(_QUOTES)) for piece in pieces(sql)}
    return [table for table in schema.tables if fold(table.address[-1]) in words]


def readings(table: Table, dialect: str) -> tuple[str, str]:
    """A query of ours that reads each value of a table, and a plainer one should that not run.

    The first makes each value a text, since no other function takes values of all types.
    """
    from sqlglot import expressions as exp

    source = table.source_text(dialect_of(dialect).quote)
    columns = [
        exp.column(exp.to_identifier(column.name, quoted=True))
        for column in table.columns[:_COLUMNS]
    ]
    texts = [exp.Max(this=exp.Length(this=exp.cast(column, "text"))) for column in columns]
    counts = [exp.Count(this=column) for column in columns]
    first, second = (
        ", ".join(["count(*)", *(cell.sql(dialect) for cell in cells)]) for cells in (texts, counts)
    )
    return f"SELECT {first} FROM {source}", f"SELECT {second} FROM {source}"  # noqa: S608
