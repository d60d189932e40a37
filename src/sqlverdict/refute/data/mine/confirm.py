"""Whether what a sample shows holds in the whole file: the engine looks for a counterexample.

The budget counts the engine's steps, so that the same file shows the same everywhere. What
could not be confirmed within it is dropped: a regularity that is not known to hold is none.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from itertools import groupby

from sqlverdict.files.sqlite import quote_name
from sqlverdict.refute.data.mine.kind import Regularity, RowRegularity

_TICK = 10_000
"""Steps of the engine between two looks at the budget."""
_TOGETHER = 100
"""How many regularities one scan of a table counts; SQLite limits the columns of a result."""
STEPS = 400_000_000
"""What confirming may cost a database: a few seconds."""


def confirmed(
    connection: sqlite3.Connection, regularities: Sequence[Regularity], steps: int = STEPS
) -> Iterator[Regularity]:
    """Those without a counterexample in the file, those of single rows first."""
    budget = _Budget(steps)
    connection.set_progress_handler(budget.tick, _TICK)
    try:
        of_rows = [each for each in regularities if isinstance(each, RowRegularity)]
        for table, group in groupby(of_rows, key=lambda member: member.column_refs[0][0]):
            members = list(group)
            for start in range(0, len(members), _TOGETHER):
                yield from _of_rows(connection, table, members[start : start + _TOGETHER])
        for regularity in regularities:
            if not isinstance(regularity, RowRegularity):
                rows = _ask(connection, regularity.counterexample())
                if rows == []:
                    yield regularity
    finally:
        connection.set_progress_handler(None, 0)


class _Budget:
    def __init__(self, steps: int) -> None:
        self.left = steps // _TICK

    def tick(self) -> int:
        self.left -= 1
        return int(self.left < 0)


def _of_rows(
    connection: sqlite3.Connection, table: str, members: Sequence[RowRegularity]
) -> Iterator[RowRegularity]:
    """Many at once: one pass over the table asks for the violations of all of them."""
    totals = ", ".join(f"TOTAL({member.violation()})" for member in members)
    rows = _ask(connection, f"SELECT {totals} FROM {quote_name(table)}")
    if rows:
        for member, violations in zip(members, rows[0], strict=True):
            if not violations:
                yield member


def _ask(connection: sqlite3.Connection, sql: str) -> list[tuple[float, ...]] | None:
    """The rows, or nothing where the budget ran out."""
    try:
        return connection.execute(sql).fetchall()
    except sqlite3.OperationalError as error:
        if getattr(error, "sqlite_errorcode", 0) == sqlite3.SQLITE_INTERRUPT:
            return None
        raise
