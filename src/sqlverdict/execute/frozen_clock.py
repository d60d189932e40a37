"""A clock that stands still in SQLite: the setting ``now``.

SQLite lets a connection redefine its own functions. Each date function is replaced by one that
asks a second, private connection, with the frozen time wherever the original would look at the
clock. ``localtime`` and ``utc`` change nothing: the time zone of the machine is no part of a
frozen time.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from datetime import UTC, datetime

from sqlverdict.files.sqlite import open_in_memory
from sqlverdict.records import Cell

_TIME_AT = {"date": 0, "time": 0, "datetime": 0, "julianday": 0, "unixepoch": 0, "strftime": 1}
"""Each date function, and the position of its time among its arguments."""
_ZONES = ("localtime", "utc")


def sqlite_time(now: datetime) -> str:
    """A time as SQLite writes it; one with a zone is converted to UTC, one without is UTC."""
    moment = now.astimezone(UTC) if now.tzinfo is not None else now
    text = moment.strftime("%Y-%m-%d %H:%M:%S")
    return f"{text}.{moment.microsecond // 1000:03}" if moment.microsecond else text


def freeze_clock(connection: sqlite3.Connection, now: datetime) -> None:
    """Let every function of the connection that reads the clock see this time."""
    time = sqlite_time(now)
    original = open_in_memory(any_thread=True)
    for name, time_at in _TIME_AT.items():
        connection.create_function(
            name, -1, _frozen(original, name, time_at, time), deterministic=True
        )
    connection.create_function(
        "timediff", 2, _frozen_difference(original, time), deterministic=True
    )
    day, _, clock = time.partition(" ")
    for name, value in (
        ("current_date", day),
        ("current_time", clock[:8]),
        ("current_timestamp", time[:19]),
    ):
        connection.create_function(name, 0, lambda value=value: value, deterministic=True)


def _frozen(
    original: sqlite3.Connection, name: str, time_at: int, time: str
) -> Callable[..., Cell]:
    def call(*arguments: Cell) -> Cell:
        cells = list(arguments)
        if len(cells) == time_at:
            cells.append(time)
        if len(cells) > time_at:
            cells[time_at] = _moment(cells[time_at], time)
        cells = [cell for cell in cells if not _is_zone(cell)]
        return _ask(original, name, cells)

    return call


def _frozen_difference(original: sqlite3.Connection, time: str) -> Callable[..., Cell]:
    def call(*arguments: Cell) -> Cell:
        return _ask(original, "timediff", [_moment(cell, time) for cell in arguments])

    return call


def _moment(cell: Cell, time: str) -> Cell:
    return time if isinstance(cell, str) and cell.strip().lower() == "now" else cell


def _is_zone(cell: Cell) -> bool:
    return isinstance(cell, str) and cell.strip().lower() in _ZONES


def _ask(original: sqlite3.Connection, name: str, cells: list[Cell]) -> Cell:
    marks = ", ".join("?" * len(cells))
    # The name is one of ours.
    row: tuple[Cell] = original.execute(f"SELECT {name}({marks})", cells).fetchone()
    return row[0]
