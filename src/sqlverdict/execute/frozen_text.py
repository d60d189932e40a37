"""Clock words in a query replaced by a fixed time: ``now`` for engines without a clock to stop.

The words are found among the lexemes of the dialect: strings, comments and quoted names stay as
they are. What is replaced:

* the keywords ``CURRENT_DATE``, ``CURRENT_TIME``, ``CURRENT_TIMESTAMP``, ``LOCALTIME``,
  ``LOCALTIMESTAMP``, with a precision in parentheses or without;
* the functions of each dialect that read the clock: ``now()``, ``clock_timestamp()``,
  ``curdate()`` ..., also as ``pg_catalog.now()`` or ``"now"()``;
* ``age(x)`` with one argument, which counts from today;
* the dates ``'now'``, ``'today'``, ``'tomorrow'`` and ``'yesterday'`` where a type stands beside
  them (``DATE 'today'``, ``'now'::timestamp``, ``CAST('now' AS date)``).

A time without a zone is UTC; sessions run in UTC. A replaced word in a select list changes the
name of its column where the query gives it none.

What the text does not show stays open, and :func:`clock_use` says so: a plain ``'today'`` that
the engine may read as a date. Views are texts of their own.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import cache
from itertools import pairwise
from typing import Final, Literal, NamedTuple

from sqlverdict.execute.lexemes import Lex, Lexeme, solid_lexemes, string_value

Shape = Literal["date", "time", "timetz", "timestamp", "timestamptz", "epoch", "text", "age"]


@dataclass(frozen=True)
class _DialectClock:
    """What reads the clock in a dialect.

    Attributes:
        keywords: Words that need no parentheses.
        functions: Names that read the clock when they are called without a value.
        types: The type of each shape, for a CAST.
        day_words: Whether ``'today'`` and its kin are dates.
        chance: Functions that give another value each time.
    """

    keywords: dict[str, Shape]
    functions: dict[str, Shape]
    types: dict[Shape, str]
    day_words: bool
    chance: frozenset[str]


_TYPES: Final[dict[Shape, str]] = {
    "date": "DATE",
    "time": "TIME",
    "timetz": "TIME WITH TIME ZONE",
    "timestamp": "TIMESTAMP",
    "timestamptz": "TIMESTAMP WITH TIME ZONE",
}
_MYSQL_TYPES: Final[dict[Shape, str]] = {"date": "DATE", "time": "TIME", "timestamp": "DATETIME"}
_STANDARD: Final[dict[str, Shape]] = {
    "current_date": "date",
    "current_time": "timetz",
    "current_timestamp": "timestamptz",
    "localtime": "time",
    "localtimestamp": "timestamp",
}
_MYSQL_WORDS: Final[dict[str, Shape]] = {
    **dict.fromkeys(("current_date", "utc_date"), "date"),
    **dict.fromkeys(("current_time", "utc_time"), "time"),
    **dict.fromkeys(("current_timestamp", "localtime", "localtimestamp"), "timestamp"),
    "utc_timestamp": "timestamp",
}
_CLOCKS: Final[dict[str, _DialectClock]] = {
    "postgres": _DialectClock(
        _STANDARD,
        {
            **dict.fromkeys(("now", "transaction_timestamp"), "timestamptz"),
            **dict.fromkeys(("statement_timestamp", "clock_timestamp"), "timestamptz"),
            "timeofday": "text",
            "age": "age",
        },
        _TYPES,
        True,
        frozenset({"random", "random_normal", "gen_random_uuid", "uuidv4", "uuidv7", "setseed"}),
    ),
    "duckdb": _DialectClock(
        {**_STANDARD, "localtimestamp": "timestamp"},
        {
            **dict.fromkeys(
                ("now", "transaction_timestamp", "get_current_timestamp"), "timestamptz"
            ),
            **dict.fromkeys(("current_date", "today"), "date"),
            **dict.fromkeys(("get_current_time", "current_time"), "timetz"),
            "current_localtime": "time",
            "current_localtimestamp": "timestamp",
            "age": "age",
        },
        _TYPES,
        False,
        frozenset({"random", "uuid", "gen_random_uuid", "uuidv4", "uuidv7", "setseed"}),
    ),
    "mysql": _DialectClock(
        _MYSQL_WORDS,
        {
            **_MYSQL_WORDS,
            **dict.fromkeys(("now", "sysdate"), "timestamp"),
            "curdate": "date",
            "curtime": "time",
            "unix_timestamp": "epoch",
        },
        _MYSQL_TYPES,
        False,
        frozenset({"rand", "uuid", "uuid_short", "random_bytes"}),
    ),
}
_DAY_WORDS: Final = {"now": None, "today": 0, "tomorrow": 1, "yesterday": -1}
_DAY_WORD: Final = re.compile(r"\b(?:now|today|tomorrow|yesterday)\b", re.IGNORECASE)
_WORD: Final = re.compile(r"[a-z_][a-z0-9_]*")
_CALL: Final = re.compile(r"([a-z_][a-z0-9_]*)(\s*\()?")
_DATE_TYPES: Final = frozenset({"date", "time", "timetz", "timestamp", "timestamptz", "zone"})


class ClockUse(NamedTuple):
    """What a text says about the clock and chance.

    Attributes:
        reads: It reads the clock.
        may_read: It may: a string could be a day's name.
        chance: It gives another answer each time.
    """

    reads: bool
    may_read: bool
    chance: bool


class _ClockReading(NamedTuple):
    """One place of a text that reads the clock."""

    start: int
    end: int
    shape: Shape | Literal["day_word"]
    detail: str


def has_clock(dialect: str) -> bool:
    """Whether the words are known that read the clock in a dialect."""
    return dialect in _CLOCKS


def freeze_text(sql: str, now: datetime, dialect: str) -> str:
    """The query with a fixed time wherever its text reads the clock."""
    clock = _CLOCKS[dialect]
    if not _may_matter(sql, dialect):
        return sql
    moment = now.astimezone(UTC) if now.tzinfo is not None else now.replace(tzinfo=UTC)
    pieces: list[str] = []
    done = 0
    for reading in _readings(solid_lexemes(sql, dialect), clock):
        pieces += [sql[done : reading.start], _fixed(reading, moment, clock)]
        done = reading.end
    pieces.append(sql[done:])
    return "".join(pieces)


def clock_use(sql: str, dialect: str) -> ClockUse:
    """Whether a text reads the clock or uses chance.

    In a dialect that is not known here, the words of all the others count, in strings and comments
    too.
    """
    clock = _CLOCKS.get(dialect)
    if clock is None:
        return _use_in_any_dialect(sql)
    if not _may_matter(sql, dialect):
        return ClockUse(False, False, False)
    parts = solid_lexemes(sql, dialect)
    reads = any(True for _ in _readings(parts, clock))
    days = clock.day_words and any(
        part.kind is Lex.STRING and _DAY_WORD.search(part.text) for part in parts
    )
    chance = any(
        part.kind in (Lex.WORD, Lex.NAME) and part.name in clock.chance and behind.text == "("
        for part, behind in pairwise(parts)
    )
    return ClockUse(reads, reads or days, chance)


def _use_in_any_dialect(sql: str) -> ClockUse:
    words = [(word, bool(opens)) for word, opens in _CALL.findall(sql.lower())]
    clocks = _CLOCKS.values()
    reads = any(
        word in clock.keywords or (opens and word in clock.functions)
        for word, opens in words
        for clock in clocks
    )
    chance = any(opens and word in clock.chance for word, opens in words for clock in clocks)
    return ClockUse(reads, reads, chance)


def _may_matter(sql: str, dialect: str) -> bool:
    """Whether a word of a clock or of chance occurs at all: most texts need not be cut."""
    return not clock_words(dialect).isdisjoint(_WORD.findall(sql.lower()))


@cache
def clock_words(dialect: str) -> frozenset[str]:
    """Every word that may have to do with a clock or with chance, in lower case."""
    clock = _CLOCKS[dialect]
    days = _DAY_WORDS if clock.day_words else ()
    return frozenset({*clock.keywords, *clock.functions, *clock.chance, *days})


def _readings(parts: Sequence[Lexeme], clock: _DialectClock) -> Iterator[_ClockReading]:
    for at, part in enumerate(parts):
        if part.kind is Lex.STRING and clock.day_words:
            word = string_value(part).strip().lower()
            if word in _DAY_WORDS and _has_date_type(parts, at):
                yield _ClockReading(part.start, part.end, "day_word", word)
        elif part.kind in (Lex.WORD, Lex.NAME):
            reading = _word_reading(parts, at, clock)
            if reading is not None:
                yield reading


def _word_reading(parts: Sequence[Lexeme], at: int, clock: _DialectClock) -> _ClockReading | None:
    part, name = parts[at], parts[at].name
    start = part.start
    if _text(parts, at - 1, "."):
        if at < 2 or parts[at - 2].name != "pg_catalog":
            return None
        start = parts[at - 2].start
    called = _text(parts, at + 1, "(")
    if called and name in clock.functions:
        return _call_reading(parts, at, start, clock.functions[name])
    # Behind AS any word is a name.
    if part.kind is Lex.NAME or name not in clock.keywords or _text(parts, at - 1, "as"):
        return None
    close = at + 3
    if called and _text(parts, close, ")") and parts[at + 2].kind is Lex.NUMBER:
        return _ClockReading(start, parts[close].end, clock.keywords[name], parts[at + 2].text)
    return None if called else _ClockReading(start, part.end, clock.keywords[name], "")


def _call_reading(
    parts: Sequence[Lexeme], at: int, start: int, shape: Shape
) -> _ClockReading | None:
    """A call that reads the clock: without a value, or with a precision; ``age`` with one."""
    if shape == "age":
        opening = parts[at + 1]
        return (
            _ClockReading(opening.end, opening.end, shape, "")
            if _arguments(parts, at + 1) == 1
            else None
        )
    if _text(parts, at + 2, ")"):
        return _ClockReading(start, parts[at + 2].end, shape, "")
    if shape != "epoch" and _text(parts, at + 3, ")") and parts[at + 2].kind is Lex.NUMBER:
        return _ClockReading(start, parts[at + 3].end, shape, parts[at + 2].text)
    return None


def _arguments(parts: Sequence[Lexeme], opening: int) -> int:
    """How many arguments stand between a parenthesis and its partner."""
    depth, commas = 0, 0
    for at in range(opening, len(parts)):
        text = parts[at].text
        depth += (text in "([") - (text in ")]")
        if not depth:
            return 0 if at == opening + 1 else commas + 1
        commas += depth == 1 and text == ","
    return 0


def _has_date_type(parts: Sequence[Lexeme], at: int) -> bool:
    """Whether the string at a place is written with a type of dates or times."""
    before = at - 1
    if _text(parts, before, ")"):
        before -= 3
    if before >= 0 and parts[before].kind is Lex.WORD and parts[before].name in _DATE_TYPES:
        return True
    cast = _text(parts, at + 1, "::") or _text(parts, at + 1, "as")
    behind = parts[at + 2] if at + 2 < len(parts) else None
    return cast and behind is not None and behind.name in _DATE_TYPES


def _text(parts: Sequence[Lexeme], at: int, text: str) -> bool:
    return 0 <= at < len(parts) and parts[at].text.lower() == text


def _fixed(reading: _ClockReading, now: datetime, clock: _DialectClock) -> str:
    """The SQL that stands for a reading of the clock."""
    whole = now.replace(tzinfo=None)
    match reading.shape:
        case "day_word":
            days = _DAY_WORDS[reading.detail]
            if days is None:
                return f"'{whole.isoformat(' ')}+00:00'"
            return f"'{(whole + timedelta(days=days)).date().isoformat()}'"
        case "age":
            return f"CAST('{whole.date().isoformat()}' AS {clock.types['timestamp']}), "
        case "text":
            return f"'{now.strftime('%a %b %d %H:%M:%S.%f %Y UTC')}'"
        case "epoch":
            return str(int(now.timestamp()))
        case "date":
            return f"CAST('{whole.date().isoformat()}' AS {clock.types['date']})"
        case "time" | "timetz":
            text = whole.time().isoformat()
        case _:
            text = whole.isoformat(" ")
    zone = "+00:00" if reading.shape.endswith("tz") else ""
    return f"CAST('{text}{zone}' AS {_type(reading, clock)})"


def _type(reading: _ClockReading, clock: _DialectClock) -> str:
    """The type with the precision of the call, which stands behind its first word."""
    assert reading.shape != "day_word"
    name, _, rest = clock.types[reading.shape].partition(" ")
    precision = f"({reading.detail})" if reading.detail else ""
    return f"{name}{precision} {rest}".rstrip()
