"""A query in common SQL, by the parser of its own engine.

An engine that has the parser of its dialect at hand, without a database, can write a query so that
what only it can read is a call of an unknown function. The name of the function stands for the
expression, but for the columns, aggregates and queries in it, which are its arguments. The prover
compares such names, and need not know what they mean. Two words in the name say what it must know:
the kind of the values, and whether a call can fail.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import lru_cache
from hashlib import blake2b
from typing import Final, Literal, Protocol, TypeVar, runtime_checkable

from sqlverdict.dialects import dialect_of
from sqlverdict.errors import MissingExtra
from sqlverdict.execute.engine import ENGINES
from sqlverdict.parse.schema import Schema
from sqlverdict.parse.tokens import word_set
from sqlverdict.patterns import late_pattern
from sqlverdict.records import ParseFailure, Reason

Risk = Literal["total", "joined", "typed", "numeric", "whole", "partial"]
"""When a call fails: never; only for an array; only for a text or a value of unknown type; only for
what is no number; only for what is no integer; for some values."""

_PREFIX: Final = "sqlverdict_"
UNKNOWN_FUNCTION: Final = re.compile(
    rf"{_PREFIX}(?P<kind>[a-z]+)_(?P<risk>total|joined|typed|numeric|whole|partial)_[0-9a-f]{{20}}"
)
"""The name of an unknown function. Its kind is a kind of values; or ``arithmetic``: a number where
all arguments are numbers; or ``difference``: a number where they are that, or dates; or
``varchar``: a text under the usual collation, whatever they are; or ``digits``: a text of digits
where they are dates or timestamps; or ``shown``: the text that a group shows for equal ones."""


_ATOM: Final = r"(?:[A-Za-z0-9 ,:;@/\"'_%#=<>~!.-]|\[\^?(?:a-z|A-Z|0-9|[A-Za-z0-9])+\])[*+?]?"
_PATTERN: Final = late_pattern(rf"\^?(?:{_ATOM})+\$?(?:\|\^?(?:{_ATOM})+\$?)*")

INTERVAL_UNITS: Final = {
    "second": (1, "second"),
    "minute": (60, "second"),
    "hour": (3_600, "second"),
    "day": (1, "day"),
    "week": (7, "day"),
    "month": (1, "month"),
    "year": (12, "month"),
}
"""Units of an interval, and what they are in those that it has: months, days and seconds."""
WHOLE_FIELDS: Final = word_set("year month day quarter week dow doy isodow isoyear decade century")
"""Fields that dates and timestamps have alike, with whole numbers as values."""

Spell = Callable[[bytes, Sequence[str]], str]
"""Writes the meaning of an unknown function with its arguments, for people."""
_Words = tuple[bytes, Spell]
T = TypeVar("T")
_REMEMBERED: Final = 4_096
_words: dict[str, _Words] = {}
"""What the unknown functions of the latest common texts stand for, by name."""


class NoCommonText(Exception):
    """There is no common text for a query; the message may say why."""


def is_plain_pattern(pattern: str) -> bool:
    """Whether every engine reads a text as a regular expression, and none fails by it."""
    return _PATTERN.fullmatch(pattern) is not None


def unknown_name(kind: str, risk: Risk, meaning: bytes, spell: Spell) -> str:
    """The name of the unknown function that stands for an expression.

    Args:
        kind: The kind of its values.
        risk: When a call fails.
        meaning: The expression, with numbers for its arguments.
        spell: Writes the meaning for people.
    """
    name = f"{_PREFIX}{kind}_{risk}_{blake2b(meaning, digest_size=10).hexdigest()}"
    _remember(name, (meaning, spell))
    return name


def _remember(name: str, words: _Words) -> None:
    if len(_words) >= _REMEMBERED and name not in _words:
        _words.pop(next(iter(_words)), None)
    _words[name] = words


def unknown_call_text(name: str, arguments: Sequence[str]) -> str | None:
    """The expression that an unknown function stands for, in the words of its query.

    Args:
        name: The name of a function in a common text that this process made a moment ago.
        arguments: What stands in the call.

    Returns:
        The text; ``None`` where there is none.
    """
    known = _words.get(name.lower())
    if known is None:
        return None
    meaning, spell = known
    try:
        return spell(meaning, arguments)
    except (NoCommonText, ValueError, LookupError, RecursionError):
        return None


@runtime_checkable
class ParserEngine(Protocol):
    """An engine whose parser can be asked without a database.

    So what only the engine reads can be proved, and what it refuses is known. One may write no
    plain text, as DuckDB's does not.
    """

    def common_text(self, sql: str, arithmetic: bool, schema: Schema) -> str | None:
        """The query in common SQL; ``None`` where it has something that no call can stand for.

        Args:
            sql: The query.
            arithmetic: Whether +, - and * stay as they are, and comparisons around calls. They do
                not where their operands are no numbers.
            schema: The tables that the query reads.
        """
        ...

    def plain_text(self, sql: str) -> str | None:
        """The query as the parser writes it, in one of several words for the same.

        A query around it that only passes its rows on is left out. ``None`` where the parser does
        not read it, or does not write what it read.
        """
        ...

    def syntax_error(self, sql: str) -> str | None:
        """What the parser holds against a text; ``None`` where it reads it, or was not asked."""
        ...

    def type_error(self, sql: str, schema: Schema) -> str | None:
        """Why a query always fails because of its types; ``None`` where they are right.

        Args:
            sql: The query.
            schema: The tables that it reads, each by its one plain name.

        Raises:
            NoCommonText: that is not known; the message says of what.
        """
        ...


def _ask_parser(dialect: str, question: Callable[[ParserEngine], T]) -> T | None:
    """What the parser of the dialect's engine answers; ``None`` where it is not at hand."""
    if dialect_of(dialect).in_python:
        return None  # No engine is loaded for it: SQLite itself has no tree to show.
    for engine in map(ENGINES.get, ENGINES.names()):
        if engine.dialect == dialect and isinstance(engine, ParserEngine):
            with suppress(MissingExtra):
                return question(engine)
    return None


@lru_cache(maxsize=4_096)
def grammar_error(sql: str, dialect: str) -> str | None:
    """What the parser of the dialect's engine holds against a text, where it is at hand."""
    return _ask_parser(dialect, lambda engine: engine.syntax_error(sql))


def is_our_limit(failure: ParseFailure) -> bool:
    """Whether our parser alone holds something against a text, as far as it is known."""
    if failure.reason is not Reason.PARSE_ERROR or dialect_of(failure.dialect).in_python:
        return failure.reason is Reason.UNSUPPORTED_FEATURE
    return grammar_error(failure.sql, failure.dialect) is None


@lru_cache(maxsize=4_096)
def types_of_query(sql: str, dialect: str, schema: Schema) -> tuple[str | None, str | None]:
    """Why a query always fails because of its types, or else what of them is not known.

    Args:
        sql: The query.
        dialect: Its dialect.
        schema: The tables that it reads, each by its one plain name.
    """
    try:
        return _ask_parser(dialect, lambda engine: engine.type_error(sql, schema)), None
    except NoCommonText as unknown:
        return None, str(unknown)


def text_in_common_sql(sql: str, dialect: str, arithmetic: bool, schema: Schema) -> str | None:
    """The query in common SQL; ``None`` where no engine of the dialect can write it so."""
    text, words = _common_text(sql, dialect, arithmetic, schema)
    for name, meaning in words:
        _remember(name, meaning)
    return text


@lru_cache(maxsize=4_096)
def _common_text(
    sql: str, dialect: str, arithmetic: bool, schema: Schema
) -> tuple[str | None, list[tuple[str, _Words]]]:
    """The query in common SQL, and what the unknown functions in it stand for."""
    text = _ask_parser(dialect, lambda engine: engine.common_text(sql, arithmetic, schema))
    names = [match[0] for match in UNKNOWN_FUNCTION.finditer(text or "")]
    return text, [(name, _words[name]) for name in dict.fromkeys(names) if name in _words]


@lru_cache(maxsize=4_096)
def text_in_plain_words(sql: str, dialect: str) -> str | None:
    """The query as its engine's parser writes it; ``None`` where none is at hand, or reads it."""
    return _ask_parser(dialect, lambda engine: engine.plain_text(sql))


def is_same_query(one: str, other: str, dialect: str) -> bool:
    """Whether two texts say the same to the parser of their engine, but for words for the same."""
    first = text_in_plain_words(one, dialect)
    return first is not None and first == text_in_plain_words(other, dialect)
