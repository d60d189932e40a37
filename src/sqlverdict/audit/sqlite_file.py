"""A SQLite file as a check reads it: never written to, and never for long."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from time import monotonic

from sqlverdict.files.sqlite import open_read_only

_STEP = 100_000


@dataclass
class TimeLeft:
    """What is left of the time; ``spent`` once it has run out."""

    deadline: float
    spent: bool = False

    def tick(self) -> int:
        """For SQLite's progress handler: 1 stops the statement."""
        self.spent = monotonic() > self.deadline
        return int(self.spent)


@contextmanager
def open_for_audit(path: Path, seconds: float) -> Iterator[tuple[sqlite3.Connection, TimeLeft]]:
    """The database, read-only, with so many seconds for all that is asked of it.

    Raises:
        DatabaseError: it cannot be opened, or is not whole.
    """
    budget = TimeLeft(monotonic() + seconds)
    with closing(open_read_only(path)) as connection:
        connection.set_progress_handler(budget.tick, _STEP)
        yield connection, budget


def lenient(raw: bytes) -> str:
    """Text that may hold bytes that are no UTF-8."""
    return raw.decode("utf-8", "backslashreplace")


def table_names(connection: sqlite3.Connection) -> list[str]:
    """The ordinary tables, in the order of their declaration."""
    rows = connection.execute(
        "SELECT name FROM sqlite_master WHERE type = 'table' "
        "AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY rowid"
    )
    return [row[0] for row in rows]
