"""Golds and predictions that may write: each runs on a throw-away copy of its database."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing
from datetime import datetime

from sqlverdict.errors import DatabaseError
from sqlverdict.execute.engine import Engine, Limits, Workspace, WorkspaceEngine
from sqlverdict.files.sqlite import quote_name
from sqlverdict.parse.tokens import statements
from sqlverdict.records import Answer, Failure, Fault, Outcome, Reason, Row, Script

_MOST_STATEMENTS = 200
"""A text with more statements is not tried."""


def run_script(
    engine: Engine, database: str, script: Script, sql: str, limits: Limits, now: datetime | None
) -> Outcome:
    """What a gold or a prediction gives: the check's answer, its last result, or all tables.

    Args:
        engine: The engine of the database.
        database: Its reference; the database is only read.
        script: The set-up and the check.
        sql: The statements of the gold or the prediction.
        limits: What one statement may spend.
        now: What the clock shows.
    """
    if not isinstance(engine, WorkspaceEngine):
        message = f"statements that write cannot be tried on {engine.name}"
        return Failure(Reason.UNSUPPORTED_FEATURE, message, fault=Fault.ENGINE)
    texts = statements(sql)
    if not texts:
        return Failure(Reason.NO_SQL_PRODUCED, "the text holds no SQL")
    if len(texts) > _MOST_STATEMENTS:
        message = f"{len(texts)} statements; at most {_MOST_STATEMENTS} are tried"
        return Failure(Reason.UNSUPPORTED_FEATURE, message)
    try:
        workspace = engine.workspace(database, limits, now=now)
    except (DatabaseError, OSError) as error:
        return Failure(
            Reason.DATABASE_UNAVAILABLE, str(error), fault=Fault.ENGINE, repeatable=False
        )
    with closing(workspace):
        return _run(workspace, script, texts)


def _run(workspace: Workspace, script: Script, texts: Sequence[str]) -> Outcome:
    for text in script.setup:
        outcome = workspace.run(text)
        if isinstance(outcome, Failure):
            message = f"the set-up of the case fails: {outcome.message}"
            return Failure(Reason.GOLD_EXECUTION_ERROR, message, fault=Fault.GOLD)
    last: Answer | None = None
    for text in texts:
        outcome = workspace.run(text)
        if isinstance(outcome, Failure):
            return outcome
        last = outcome if outcome.columns else last
    if script.check:
        return workspace.run(script.check)
    return last if last is not None else _content(workspace)


def _content(workspace: Workspace) -> Outcome:
    """All tables as one answer: the columns of each, and its rows as text."""
    rows: list[Row] = []
    for table in workspace.tables():
        outcome = workspace.run(f"SELECT * FROM {quote_name(table)}")  # noqa: S608 - a name
        if isinstance(outcome, Failure):
            return outcome
        rows.append((table, "columns", ", ".join(outcome.columns)))
        rows += [(table, "row", repr(row)) for row in outcome.rows]
    return Answer(("table", "part", "content"), rows)
