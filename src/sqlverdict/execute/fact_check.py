"""Whether a real SQLite file keeps what its schema declares.

SQLite checks foreign keys on request only, and types hardly ever; a ``tables.json`` may declare
what no file enforces. So a fact is checked on the file before a proof rests on it: one query a
fact, which stops at the first row that breaks it, with a bound on its steps. What was found out
is remembered by the file's content.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from sqlverdict.errors import DatabaseError
from sqlverdict.files.digests import database_digest
from sqlverdict.files.sqlite import open_read_only, quote_name
from sqlverdict.parse.facts import Fact, HasAffinity, NotNull, References, Unique
from sqlverdict.records import Cell, Row

FactState = Literal["holds", "broken", "unchecked"]

STEPS = 100_000_000
"""What one check may spend, in steps of SQLite's machine: a scan of some ten million rows."""

_TICK = 100_000
_REMEMBERED = 20_000
_LONG = 60
_CELLS = 6
_STORED = {
    "INTEGER": ("integer", "null"),
    "REAL": ("real", "null"),
    "TEXT": ("text", "null"),
}
"""What a type taken at its word allows a column to hold; other affinities promise nothing."""


@dataclass(frozen=True)
class FactCheck:
    """What a database says about one fact.

    Attributes:
        fact: The fact.
        state: Whether it holds there, is broken, or could not be checked.
        why: For a broken fact an example, in words; else why it was not checked.
    """

    fact: Fact
    state: FactState
    why: str = ""

    def __str__(self) -> str:
        if self.state == "holds":
            return f"{self.fact}: it holds"
        word = "not checked: " if self.state == "unchecked" else ""
        return f"{self.fact}: {word}{self.why}"


_memory: dict[tuple[str, Fact], FactCheck] = {}


def check_facts(
    database: Path, facts: Iterable[Fact], *, steps: int = STEPS
) -> tuple[FactCheck, ...]:
    """Check facts on a SQLite file, each once for each content of the file.

    Args:
        database: The file; it is only read.
        facts: What to check.
        steps: What one check may spend.

    Returns:
        One result a fact, in the order of their words. Never raises for any file.
    """
    ordered = sorted(set(facts), key=str)
    try:
        digest = f"{steps} {database_digest(database)}" if ordered else ""
        fresh = [fact for fact in ordered if (digest, fact) not in _memory]
        if len(_memory) + len(fresh) > _REMEMBERED:
            _memory.clear()
            fresh = ordered
        if fresh:
            with closing(open_read_only(database)) as connection:
                connection.text_factory = lambda raw: raw.decode("utf-8", "backslashreplace")
                for fact in fresh:
                    _memory[digest, fact] = _check(connection, fact, steps)
    except (DatabaseError, OSError, sqlite3.Error) as error:
        return tuple(FactCheck(fact, "unchecked", str(error)) for fact in ordered)
    return tuple(_memory[digest, fact] for fact in ordered)


def _check(connection: sqlite3.Connection, fact: Fact, steps: int) -> FactCheck:
    question = _question(fact)
    if question is None:
        return FactCheck(fact, "holds")
    left = steps // _TICK

    def tick() -> bool:
        nonlocal left
        left -= 1
        return left < 0

    connection.set_progress_handler(tick, _TICK)
    try:
        row = connection.execute(question).fetchone()
    except (sqlite3.Error, sqlite3.Warning) as error:
        why = f"stopped after {steps:,} steps" if left < 0 else str(error)
        return FactCheck(fact, "unchecked", why)
    finally:
        connection.set_progress_handler(None, 0)
    if row is None:
        return FactCheck(fact, "holds")
    return FactCheck(fact, "broken", broken_words(fact, row))


def _question(fact: Fact) -> str | None:
    """SQL for one row that breaks a fact; ``None`` where no row can."""
    table = quote_name(fact.table)
    match fact:
        case NotNull():
            # ``IS NULL`` would be answered from the declaration, without a look at the rows.
            where = f"typeof({_column(fact.column)}) = 'null'"
            return f"SELECT t.* FROM {table} AS t WHERE {where} LIMIT 1"  # noqa: S608
        case HasAffinity():
            allowed = _STORED.get(fact.affinity)
            if allowed is None:
                return None
            column, kinds = _column(fact.column), ", ".join(f"'{kind}'" for kind in allowed)
            where = f"typeof({column}) NOT IN ({kinds})"
            if fact.affinity == "TEXT":
                # LIKE, GLOB and LENGTH end there, and = does not: no legal text has one.
                where += f" OR instr({column}, char(0)) > 0"
            return f"SELECT {column} FROM {table} AS t WHERE {where} LIMIT 1"  # noqa: S608
        case Unique():
            columns = ", ".join(map(_column, fact.columns))
            return (
                f"SELECT {columns} FROM {table} AS t WHERE {_present(fact.columns)} "  # noqa: S608
                f"GROUP BY {columns} HAVING count(*) > 1 LIMIT 1"
            )
        case References():
            columns = ", ".join(map(_column, fact.columns))
            # A partner under the strictest collation is one under any.
            ours = ", ".join(f"{_column(name)} COLLATE BINARY" for name in fact.columns)
            theirs = ", ".join(f"p.{quote_name(name)}" for name in fact.parent_columns)
            there = " AND ".join(
                f"p.{quote_name(name)} IS NOT NULL" for name in fact.parent_columns
            )
            parents = f"SELECT {theirs} FROM {quote_name(fact.parent)} AS p WHERE {there}"  # noqa: S608
            side = f"({ours})" if len(fact.columns) > 1 else ours
            return (
                f"SELECT {columns} FROM {table} AS t "  # noqa: S608
                f"WHERE {_present(fact.columns)} AND {side} NOT IN ({parents}) LIMIT 1"
            )
        case _:
            return None


def _column(name: str) -> str:
    # With the table before it, a name that is no column is an error and never a text.
    return f"t.{quote_name(name)}"


def _present(columns: Iterable[str]) -> str:
    return " AND ".join(f"{_column(name)} IS NOT NULL" for name in columns)


def broken_words(fact: Fact, row: Row) -> str:
    """What a row says against a fact, in words."""
    match fact:
        case NotNull():
            more = ", …" if len(row) > _CELLS else ""
            return f"{fact.column} is NULL in the row ({', '.join(map(_cell, row[:_CELLS]))}{more})"
        case HasAffinity():
            return f"{fact.column} holds {_cell(row[0])}"
        case Unique():
            return f"two rows have {_values(fact.columns, row)}"
        case References():
            return f"{_values(fact.columns, row)} has no row in {fact.parent}"
        case _:
            return ""


def _values(columns: Iterable[str], row: Row) -> str:
    return ", ".join(f"{name} = {_cell(cell)}" for name, cell in zip(columns, row, strict=True))


def _cell(cell: Cell) -> str:
    text = "NULL" if cell is None else repr(cell)
    return text if len(text) <= _LONG else f"{text[:_LONG]}…"
