"""A SQLite file as a check reads it: never written to, and never for long."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from time import monotonic

_STEP = 100_000


@dataclass
class Budget:
    """What is left of the time; ``spent`` once it has run out."""

    deadline: float
    spent: bool = False

    def tick(self) -> int:
        """For SQLite's progress handler: 1 stops the statement."""
        self.spent = monotonic() > self.deadline
        return int(self.spent)


def reading(path: Path) -> str:
    """The URI that opens a file for reading, leaving nothing beside it.

    An immutable file needs no side files, but its write-ahead log is not read.
    """
    log = path.with_name(path.name + "-wal")
    flags = "mode=ro" if log.is_file() and log.stat().st_size else "mode=ro&immutable=1"
    return f"{path.resolve().as_uri()}?{flags}"


@contextmanager
def open_file(path: Path, seconds: float) -> Iterator[tuple[sqlite3.Connection, Budget]]:
    """The database, read-only, with so many seconds for all that is asked of it.

    Raises:
        sqlite3.Error: it cannot be opened.
    """
    budget = Budget(monotonic() + seconds)
    with closing(sqlite3.connect(reading(path), uri=True, isolation_level=None)) as connection:
        connection.set_progress_handler(budget.tick, _STEP)
        yield connection, budget


def quoted(name: str) -> str:
    """A name as SQL."""
    return '"' + name.replace('"', '""') + '"'


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
