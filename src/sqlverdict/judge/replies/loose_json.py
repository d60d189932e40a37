"""Reads objects the way language models write them: almost JSON.

Accepted beyond JSON: single, typographic, escaped or missing quotes, ``True`` and ``None``,
trailing commas, semicolons or line ends between pairs, ``=`` for ``:``, comments, raw line
ends in strings, repeated keys. Nothing is ever evaluated. Every text is accepted, the time
is bounded (:data:`LONGEST`, :data:`DEEPEST`), and what is no object is simply not found.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Union

LONGEST = 20_000
"""An object longer than this many characters is not read."""
DEEPEST = 6
"""Objects nested deeper than this are not read."""

Value = Union[str, "Word", "Object", tuple["Value", ...]]


@dataclass(frozen=True)
class Word:
    """A value without quotes: ``true``, ``4``, ``None``."""

    text: str


@dataclass(frozen=True)
class Object:
    """An object, its pairs in order (a repeated key stays repeated), and where it stands."""

    pairs: tuple[tuple[str, Value], ...]
    start: int
    end: int
    strict: bool = False

    def levels(self) -> Iterator[tuple[tuple[str, Value], ...]]:
        """The pairs of the object, then those of every object inside it."""
        yield self.pairs
        for _, value in self.pairs:
            if isinstance(value, Object):
                yield from value.levels()


def key_word(key: str) -> str:
    """A key without case, spaces, underscores and marks: ``Is_Correct`` is ``iscorrect``."""
    return "".join(filter(str.isalnum, key)).lower()


def objects(text: str) -> list[Object]:
    """The outermost objects of a text, in order."""
    objects_in_text: list[Object] = []
    at = text.find("{")
    while at >= 0:
        read = object_at(text, at)
        if read is not None:
            objects_in_text.append(read)
        at = text.find("{", read.end if read is not None else at + 1)
    return objects_in_text


def object_at(text: str, start: int) -> Object | None:
    """The object that begins at a brace, or ``None``."""
    try:
        read, end = _ObjectReader(text, start + LONGEST).read_object(start, DEEPEST)
    except _NotAnObject:
        return None
    return Object(read.pairs, start, end, strict=_is_json(text[start:end]))


def _is_json(text: str) -> bool:
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True


class _NotAnObject(Exception):
    """What stands here is no object; never leaves this module."""


_GAP = re.compile(r"(?:\s|//[^\n]*(?:\n|\Z))*")
_BETWEEN = re.compile(r"(?:\s|[,;]|//[^\n]*(?:\n|\Z))*")
_IS = re.compile(r"=>|[:=\uff1a]")
_BARE_KEY = re.compile(r"[^\W\d](?:[\w-]| (?=[\w-]))*")
_BARE_VALUE = re.compile(r"[+\-\w.%]+")
# The opening mark, and what closes it. An escaped mark is closed by an escaped mark.
_DOUBLE = re.compile(r"[\u201c\u201d\u201e](?P<body>[^\u201c\u201d\"]*)[\u201c\u201d\"]")
_SINGLE = re.compile(r"[\u2018\u2019](?P<body>[^\u2018\u2019']*)[\u2018\u2019']")
_QUOTED = {
    '"': re.compile(r'"(?P<body>(?:[^"\\]|\\(?s:.))*)"'),
    "'": re.compile(r"'(?P<body>(?:[^'\\]|\\(?s:.))*)'"),
    "`": re.compile(r"`(?P<body>[^`]*)`"),
    "\\": re.compile(r'\\"(?P<body>(?:[^\\]|\\(?!"))*)\\"'),
    **dict.fromkeys("\u201c\u201d\u201e", _DOUBLE),
    **dict.fromkeys("\u2018\u2019", _SINGLE),
}
"""By the character with which it begins."""


class _ObjectReader:
    """Reads a text from a position on, up to an end; raises where it holds no object."""

    def __init__(self, text: str, end: int) -> None:
        self.text = text
        self.end = end

    def match(self, pattern: re.Pattern[str], at: int) -> re.Match[str] | None:
        return pattern.match(self.text, at, self.end)

    def skip(self, pattern: re.Pattern[str], at: int) -> int:
        hit = self.match(pattern, at)
        return hit.end() if hit else at

    def read_object(self, at: int, depth: int) -> tuple[Object, int]:
        if depth == 0:
            raise _NotAnObject
        start = at
        pairs: list[tuple[str, Value]] = []
        at = self.skip(_GAP, at + 1)
        while not self.text.startswith("}", at):
            key, at = self.read_key(at)
            colon = self.match(_IS, self.skip(_GAP, at))
            if colon is None:
                raise _NotAnObject
            value, at = self.read_value(self.skip(_GAP, colon.end()), depth)
            pairs.append((key, value))
            after = self.skip(_BETWEEN, at)
            if after == at and not self.text.startswith("}", at):
                raise _NotAnObject
            if after > at and not self._may_follow(at, after):
                raise _NotAnObject
            at = after
        return Object(tuple(pairs), start, at + 1), at + 1

    def _may_follow(self, at: int, after: int) -> bool:
        """Whether what separates two pairs does: ``true or false}`` holds no pair ``or``."""
        if self.text.startswith("}", after):
            return True
        return any(mark in self.text[at:after] for mark in ",;\n")

    def read_key(self, at: int) -> tuple[str, int]:
        quoted = self.read_quoted(at)
        if quoted is not None:
            return quoted
        bare = self.match(_BARE_KEY, at)
        if bare is None:
            raise _NotAnObject
        return bare[0], bare.end()

    def read_quoted(self, at: int) -> tuple[str, int] | None:
        pattern = _QUOTED.get(self.text[at : at + 1])
        hit = self.match(pattern, at) if pattern is not None else None
        return (_unescape(hit["body"]), hit.end()) if hit is not None else None

    def read_value(self, at: int, depth: int) -> tuple[Value, int]:
        quoted = self.read_quoted(at)
        if quoted is not None:
            return quoted
        if self.text.startswith("{", at):
            return self.read_object(at, depth - 1)
        if self.text.startswith("[", at):
            return self.read_array(at, depth - 1)
        bare = self.match(_BARE_VALUE, at)
        if bare is None:
            raise _NotAnObject
        return Word(bare[0]), bare.end()

    def read_array(self, at: int, depth: int) -> tuple[tuple[Value, ...], int]:
        if depth == 0:
            raise _NotAnObject
        values: list[Value] = []
        at = self.skip(_BETWEEN, at + 1)
        while not self.text.startswith("]", at):
            value, at = self.read_value(at, depth)
            values.append(value)
            at = self.skip(_BETWEEN, at)
        return tuple(values), at + 1


_ESCAPES = {"n": "\n", "t": "\t", "r": "\r"}


def _unescape(body: str) -> str:
    if "\\" not in body:
        return body
    # Codes such as \u0041 stay as they are written: nothing that is read hangs on them.
    return re.sub(r"\\([ntr\"'\\/])", lambda m: _ESCAPES.get(m[1], m[1]), body)
