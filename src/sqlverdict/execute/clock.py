"""Whether a query reads the clock or uses chance, and a clock that stands still in SQLite.

A date function reads the clock where it gets no time, or the time ``'now'``, and the machine's
time zone where it gets ``'localtime'`` or ``'utc'``. The value may come from a column, so a
call is sure to be fixed only where every argument is a plain literal.

The setting ``now`` makes the clock stand still. SQLite lets a connection redefine its own
functions. Each date function is replaced by one that asks a second, private connection, with the
frozen time wherever the original would look at the clock. ``localtime`` and ``utc`` change
nothing: the time zone of the machine is no part of a frozen time.

:func:`freeze_query` writes a fixed time into a text instead, in any dialect with a known clock.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from datetime import UTC, datetime
from itertools import pairwise

from sqlverdict.dialects import DEFAULT_DIALECT, dialect_of
from sqlverdict.execute.frozen_text import clock_use, freeze_text, has_clock
from sqlverdict.files.sqlite import open_in_memory
from sqlverdict.parse.tokens import Kind, kind, pieces, solid
from sqlverdict.records import Cell

CLOCK_FUNCTIONS = frozenset(
    {"date", "time", "datetime", "julianday", "strftime", "timediff", "unixepoch"}
)
_LEAST = {"strftime": 2, "timediff": 2}
_MOVING = ("now", "localtime", "utc", "subsec")
_QUOTES = '"`['
_QUOTED = f"'{_QUOTES}"


_NOW = frozenset({"current_date", "current_time", "current_timestamp"})
_CHANCE = frozenset({"random", "randomblob"})


def uses_chance(sql: str, dialect: str = DEFAULT_DIALECT) -> bool:
    """Whether a text calls a function that gives another value each time."""
    if not dialect_of(dialect).plain_tokens:
        return clock_use(sql, dialect).chance
    return any(
        piece.strip(_QUOTES + "]").lower() in _CHANCE and behind == "("
        for piece, behind in pairwise(solid(sql))
    )


def text_reads_clock(sql: str, dialect: str = DEFAULT_DIALECT) -> bool:
    """Whether the text of any statement most likely reads the clock."""
    if not dialect_of(dialect).plain_tokens:
        return clock_use(sql, dialect).reads
    words = {piece.lower() for piece in solid(sql)}
    return bool(words & _NOW) or (bool(words & CLOCK_FUNCTIONS) and reads_clock(sql))


def reads_clock(sql: str) -> bool:
    """Whether a text with date functions most likely reads the clock.

    Without a time they do, and with ``'now'`` in any spelling, built by ``||`` even.
    """
    parts = solid(sql)
    for index, piece in enumerate(parts[:-1]):
        if piece[0] in _QUOTED:
            text = piece[1:-1].strip().lower()
            beside = (*parts[max(index - 1, 0) : index], parts[index + 1])
            if "now" in text or ("||" in beside and text and set(text) <= set("now")):
                return True
        name = _function(piece) if parts[index + 1] == "(" else ""
        if name in CLOCK_FUNCTIONS and _arguments(parts, index + 2) < _LEAST.get(name, 1):
            return True
    return bool(parts) and "now" in parts[-1].lower()


def _arguments(parts: list[str], start: int) -> int:
    """How many arguments a call has whose first one begins at ``start``."""
    depth = count = 0
    for index in range(start, len(parts)):
        if not depth and parts[index] in (",", ")"):
            count += parts[index] == "," or index > start
            if parts[index] == ")":
                break
        depth += (parts[index] == "(") - (parts[index] == ")")
    return count


def may_read_clock(sql: str) -> bool:
    """Whether a text with date functions is not sure to give the same values next time."""
    parts = solid(sql)
    calls = 0
    for index, piece in enumerate(parts[:-1]):
        if _function(piece) in CLOCK_FUNCTIONS and parts[index + 1] == "(":
            calls += 1
            if not _is_fixed(_function(piece), parts, index + 2):
                return True
    # The engine saw such a function; a text in which we see none is not understood.
    return not calls


def _function(piece: str) -> str:
    """The name that a word or a quoted name stands for."""
    return (piece[1:-1] if piece[0] in _QUOTES else piece).lower()


def _is_fixed(name: str, parts: list[str], index: int) -> bool:
    """Whether the call whose arguments begin at ``index`` has literals of fixed times alone."""
    arguments = 0
    for piece in parts[index:]:
        if piece == ")":
            return arguments >= _LEAST.get(name, 1)
        if piece in (",", "+", "-"):
            continue
        if kind(piece) not in (Kind.STRING, Kind.NUMBER) or piece[0] in "xX":
            return False
        if any(word in piece.lower() for word in _MOVING):
            return False
        arguments += 1
    return False


_TIME_AT = {"date": 0, "time": 0, "datetime": 0, "julianday": 0, "unixepoch": 0, "strftime": 1}
"""Each date function, and the position of its time among its arguments."""
_ZONES = ("localtime", "utc")


def sqlite_time(now: datetime) -> str:
    """A time as SQLite writes it; one with a zone is converted to UTC, one without is UTC."""
    moment = now.astimezone(UTC) if now.tzinfo is not None else now
    text = moment.strftime("%Y-%m-%d %H:%M:%S")
    return f"{text}.{moment.microsecond // 1000:03}" if moment.microsecond else text


def freeze_query(sql: str, now: datetime, dialect: str = DEFAULT_DIALECT) -> str:
    """The query with a fixed time wherever its text reads the clock; else the text itself.

    A dialect whose clock is not known keeps its text. What the text does not show, such as a view
    that reads the clock, stays as it is.
    """
    if dialect_of(dialect).plain_tokens:
        return _freeze_lite(sql, sqlite_time(now)) if text_reads_clock(sql, dialect) else sql
    return freeze_text(sql, now, dialect) if has_clock(dialect) else sql


def _freeze_lite(sql: str, time: str) -> str:
    """SQLite's text with a fixed time."""
    parts = pieces(sql)
    at = [n for n, piece in enumerate(parts) if kind(piece) not in (Kind.SPACE, Kind.COMMENT)]
    words = [parts[n] for n in at]
    day, _, clock = time.partition(" ")
    keywords = {"current_date": day, "current_time": clock[:8], "current_timestamp": time[:19]}
    replacements = dict[int, str]()
    for index, word in enumerate(words):
        before, behind = (words[n] if 0 <= n < len(words) else "" for n in (index - 1, index + 1))
        if word.lower() in keywords and before.lower() not in (".", "as") and behind != ".":
            replacements[index] = f"'{keywords[word.lower()]}'"
        elif _function(word) in CLOCK_FUNCTIONS and behind == "(":
            replacements |= _fixed_arguments(_function(word), words, index + 2, f"'{time}'")
    for index, text in replacements.items():
        parts[at[index]] = text
    return "".join(parts)


def _fixed_arguments(name: str, words: list[str], start: int, time: str) -> dict[int, str]:
    """What stands instead of some words, where a call's arguments begin at ``start``."""
    replacements = dict[int, str]()
    depth, begin, number = 0, start, 0
    for index in range(start, len(words)):
        word = words[index]
        if not depth and word in (",", ")"):
            if index == begin + 1 and kind(words[begin]) is Kind.STRING:
                text = words[begin][1:-1].strip().lower()
                if text == "now" and number == _TIME_AT.get(name, number):
                    replacements[begin] = time
                elif text in _ZONES and number > _TIME_AT.get(name, number):
                    # The comma goes too: the time zone of the machine is no part of a fixed time.
                    replacements |= {begin - 1: "", begin: ""}
            number += index > begin
            if word == ")":
                if number == _TIME_AT.get(name, number + 1):
                    replacements[index] = f"{', ' if number else ''}{time})"
                return replacements
            begin = index + 1
        depth += (word == "(") - (word == ")")
    return replacements


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
