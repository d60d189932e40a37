"""Whether a query reads the clock or uses chance, as far as its text tells.

A date function reads the clock where it gets no time, or the time ``'now'``, and the machine's
time zone where it gets ``'localtime'`` or ``'utc'``. The value may come from a column, so a
call is sure to be fixed only where every argument is a plain literal.
"""

from __future__ import annotations

import re
from itertools import pairwise

from sqlverdict.dialects import DEFAULT_DIALECT, dialect_of
from sqlverdict.execute.frozen_text import clock_use
from sqlverdict.parse.tokens import Kind, kind, solid

CLOCK_FUNCTIONS = frozenset(
    {"date", "time", "datetime", "julianday", "strftime", "timediff", "unixepoch"}
)
# Without a time, or with 'now' in any spelling (built by || even), they read the clock.
_READS = re.compile(r"now|\|\||\(\s*\)|strftime\s*\([^,()]*\)", re.IGNORECASE)
_LEAST = {"strftime": 2, "timediff": 2}
_MOVING = ("now", "localtime", "utc", "subsec")
_QUOTES = '"`['


_NOW = frozenset({"current_date", "current_time", "current_timestamp"})
_CHANCE = frozenset({"random", "randomblob"})


def uses_chance(sql: str, dialect: str = DEFAULT_DIALECT) -> bool:
    """Whether a text calls a function that gives another value each time."""
    if not dialect_of(dialect).plain_tokens:
        return clock_use(sql, dialect).chance
    pieces = solid(sql)
    return any(
        piece.strip(_QUOTES + "]").lower() in _CHANCE and behind == "("
        for piece, behind in pairwise(pieces)
    )


def text_reads_clock(sql: str, dialect: str = DEFAULT_DIALECT) -> bool:
    """Whether the text of any statement most likely reads the clock."""
    if not dialect_of(dialect).plain_tokens:
        return clock_use(sql, dialect).reads
    words = {piece.lower() for piece in solid(sql)}
    return bool(words & _NOW) or (bool(words & CLOCK_FUNCTIONS) and reads_clock(sql))


def reads_clock(sql: str) -> bool:
    """Whether a text with date functions most likely reads the clock."""
    return _READS.search(sql) is not None


def may_read_clock(sql: str) -> bool:
    """Whether a text with date functions is not sure to give the same values next time."""
    pieces = solid(sql)
    calls = 0
    for index, piece in enumerate(pieces[:-1]):
        name = (piece[1:-1] if piece[0] in _QUOTES else piece).lower()
        if name in CLOCK_FUNCTIONS and pieces[index + 1] == "(":
            calls += 1
            if not _is_fixed(name, pieces, index + 2):
                return True
    # The engine saw such a function; a text in which we see none is not understood.
    return not calls


def _is_fixed(name: str, pieces: list[str], index: int) -> bool:
    """Whether the call whose arguments begin at ``index`` has literals of fixed times alone."""
    arguments = 0
    for piece in pieces[index:]:
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
