"""Golds and predictions that may write: each runs on a throw-away copy of its database."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass
from datetime import datetime
from functools import partial

import msgspec

from sqlverdict.dialects import dialect_of
from sqlverdict.errors import DatabaseError
from sqlverdict.execute.attempt import NO_SQL, run_safely, unavailable
from sqlverdict.execute.clock import text_reads_clock, uses_chance
from sqlverdict.execute.engine import Engine, Limits, Workspace, WorkspaceEngine
from sqlverdict.execute.fault_probe import claims_fault, find_damage, settle_fault
from sqlverdict.execute.lexemes import Lex, Lexeme, lexemes
from sqlverdict.parse.tokens import statements
from sqlverdict.records import Answer, Failure, Fault, Outcome, Reason, Row, Script

_MOST_STATEMENTS = 200
"""A text with more statements is not tried."""


def run_script(
    engine: Engine,
    database: str,
    script: Script,
    sql: str,
    limits: Limits,
    now: datetime | None,
    controls: Sequence[str] = (),
) -> Outcome:
    """What a gold or a prediction gives: the check's answer, its last result, or all tables.

    Args:
        engine: The engine of the database.
        database: Its reference; the database is only read.
        script: The set-up and the check.
        sql: The statements of the gold or the prediction.
        limits: What one statement may spend.
        now: What the clock shows.
        controls: The golds, which tell whether the engine is at fault where statements fail.
    """
    if not isinstance(engine, WorkspaceEngine):
        message = f"statements that write cannot be tried on {engine.name}"
        return Failure(Reason.UNSUPPORTED_FEATURE, message, fault=Fault.ENGINE)
    open_copy = partial(engine.workspace, database, limits, now=now)
    copies = _Copies(open_copy, script, engine.dialect, now is not None)
    outcome = run_safely(copies, sql)
    if not claims_fault(outcome):
        return outcome
    damage = partial(find_damage, engine, database, sql, limits)
    return settle_fault(outcome, sql, copies, lambda: None, controls, damage)


@dataclass(frozen=True)
class _Copies:
    """Runs each text on copies of its own, behind the set-up."""

    open: Callable[[], Workspace]
    script: Script
    dialect: str
    clock_stands: bool

    def run(self, sql: str) -> Outcome:
        """What a text gives."""
        script, dialect = self.script, self.dialect
        texts = _statements(sql, dialect)
        if not texts:
            return NO_SQL
        if len(texts) > _MOST_STATEMENTS:
            message = f"{len(texts)} statements; at most {_MOST_STATEMENTS} are tried"
            return Failure(Reason.UNSUPPORTED_FEATURE, message)
        volatile = any(
            uses_chance(text, dialect)
            or (not self.clock_stands and text_reads_clock(text, dialect))
            for text in (*script.setup, *texts, script.check)
        )
        try:
            with closing(self.open()) as workspace:
                outcome = _run(workspace, script, texts)
                if outcome is not None:
                    return _marked(outcome, volatile)
                content = _content(workspace, dialect)
            with closing(self.open()) as workspace:
                # What goes wrong here went wrong above.
                _run(workspace, script, ())
                untouched = _content(workspace, dialect)
        except (DatabaseError, OSError) as error:
            return unavailable(str(error))
        if _are_same(content, untouched):
            # A new view or index is in no table: all statements without effect would be the same.
            message = (
                "the statements change no table: give the case a check that shows their effect"
            )
            return Failure(Reason.UNSUPPORTED_FEATURE, message)
        return _marked(content, volatile)


def _marked(outcome: Outcome, volatile: bool) -> Outcome:
    if not volatile or isinstance(outcome, Failure):
        return outcome
    return msgspec.structs.replace(outcome, volatile=True, lasting=False)


def _are_same(content: Outcome, other: Outcome) -> bool:
    if isinstance(content, Failure) or isinstance(other, Failure):
        return False
    # An update that changes nothing may still move a row.
    return sorted(content.rows, key=repr) == sorted(other.rows, key=repr)


def _run(workspace: Workspace, script: Script, texts: Sequence[str]) -> Outcome | None:
    """The check's answer, or the last result; ``None`` where there is neither."""
    for text in script.setup:
        outcome = workspace.run(text)
        if isinstance(outcome, Failure):
            if outcome.fault is not None:
                return outcome
            message = f"the set-up of the case fails: {outcome.message}"
            return Failure(
                Reason.GOLD_EXECUTION_ERROR,
                message,
                fault=Fault.GOLD,
                repeatable=outcome.repeatable,
            )
    last: Answer | None = None
    for text in texts:
        outcome = workspace.run(text)
        if isinstance(outcome, Failure):
            return outcome
        last = outcome if outcome.columns else last
    if script.check:
        return workspace.run(script.check)
    return last


def _statements(sql: str, dialect: str) -> list[str]:
    """The statements of a text as its engine cuts it: a semicolon may stand in a string."""
    if dialect_of(dialect).plain_tokens:
        return statements(sql)
    texts: list[str] = []
    current: list[Lexeme] = []
    for part in [*lexemes(sql, dialect), Lexeme(Lex.SYMBOL, ";", len(sql))]:
        if part.text != ";":
            current.append(part)
            continue
        if any(piece.kind is not Lex.GAP for piece in current):
            texts.append("".join(piece.text for piece in current))
        current = []
    return texts


def _content(workspace: Workspace, dialect: str) -> Outcome:
    """All tables as one answer: the columns of each, and its rows as text."""
    from sqlglot.expressions import to_identifier

    rows: list[Row] = []
    for table in workspace.tables():
        name = to_identifier(table, quoted=True).sql(dialect)
        outcome = workspace.run(f"SELECT * FROM {name}")  # noqa: S608 - a name
        if isinstance(outcome, Failure):
            return outcome
        rows.append((table, "columns", ", ".join(outcome.columns)))
        rows += [(table, "row", repr(row)) for row in outcome.rows]
    return Answer(("table", "part", "content"), rows)
