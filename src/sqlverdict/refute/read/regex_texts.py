"""Texts that match a regular expression: with as few repetitions as it asks for, and with more."""

from __future__ import annotations

import re
from collections.abc import Callable
from string import ascii_letters, digits, punctuation

Maker = Callable[[int, int], str]
"""Makes a text: with so many repetitions more than needed, and which of several choices."""

_ESCAPES = {"d": "0", "w": "a", "s": " ", "D": "a", "W": "-", "S": "a", "t": "\t", "n": "\n"}
_NO_WIDTH = frozenset("bByYmMAZ")
_CLASSES = {
    "alpha": "aA",
    "upper": "A",
    "lower": "a",
    "digit": "0",
    "alnum": "a0",
    "space": " ",
    "punct": ".",
}
_CLASS = re.compile(r"\[:(\w+):\]|\\?(.)-\\?([^\]])|\\(.)|(.)", re.DOTALL)
_COUNT = re.compile(r"\{(\d+)(,?)(\d*)\}")
_COUNTS = {"?": (0, 1), "*": (0, None), "+": (1, None)}
_ANY = ascii_letters + digits + " " + punctuation
_MOST = 12
"""A part is repeated so often at most."""
_LONGEST = 200
_DEEPEST = 20
_REPEATED_GROUP = re.compile(r"\)[*+?{]")
_MOST_GROUPS = 2
"""More repetitions around each other make texts without end."""


class _Unknown(Exception):
    """The expression has something that is not read here."""


def texts_matching(regex: str) -> list[str]:
    """A few texts that match; none where the expression is not understood."""
    if len(regex) > _LONGEST or regex.count("(") > _DEEPEST:
        return []
    if len(_REPEATED_GROUP.findall(regex)) > _MOST_GROUPS:
        return []
    try:
        maker, end = _choice(regex, 0)
    except (_Unknown, IndexError, ValueError):
        return []
    if end < len(regex):
        return []
    return list(dict.fromkeys(maker(more, pick) for more in (0, 1, 2) for pick in (0, 1)))


def _always(text: str) -> Maker:
    return lambda *_: text


def _choice(regex: str, at: int) -> tuple[Maker, int]:
    """What alternatives match, up to the end or to a closing parenthesis."""
    makers = []
    while True:
        maker, at = _sequence(regex, at)
        makers.append(maker)
        if at >= len(regex) or regex[at] != "|":
            return lambda more, pick: makers[pick % len(makers)](more, pick), at
        at += 1


def _sequence(regex: str, at: int) -> tuple[Maker, int]:
    makers: list[Maker] = []
    while at < len(regex) and regex[at] not in "|)":
        maker, at = _atom(regex, at)
        least, most, at = _repetition(regex, at)
        makers.append(_repeated(maker, least, most))
    return lambda more, pick: "".join(maker(more, pick) for maker in makers), at


def _repeated(maker: Maker, least: int, most: int | None) -> Maker:
    def make(more: int, pick: int) -> str:
        times = least + more if most is None else min(least + more, most)
        return "".join(maker(more, pick + n) for n in range(min(times, _MOST)))

    return make


def _repetition(regex: str, at: int) -> tuple[int, int | None, int]:
    """How often a part stands there, and where what follows begins."""
    if at < len(regex) and regex[at] in _COUNTS:
        least, most = _COUNTS[regex[at]]
        at += 1
    elif (match := _COUNT.match(regex, at)) is not None:
        least = int(match[1])
        most = int(match[3]) if match[3] else (None if match[2] else least)
        at = match.end()
    else:
        return 1, 1, at
    # A question mark behind a repetition changes what is found, not what matches.
    return least, most, at + regex.startswith("?", at)


def _atom(regex: str, at: int) -> tuple[Maker, int]:
    sign = regex[at]
    if sign == "(":
        if regex.startswith("(?", at) and not regex.startswith("(?:", at):
            raise _Unknown
        maker, end = _choice(regex, at + (3 if regex.startswith("(?:", at) else 1))
        if regex[end] != ")":
            raise _Unknown
        return maker, end + 1
    if sign == "[":
        return _one_of(regex, at)
    if sign in "^$":
        return _always(""), at + 1
    if sign == "\\":
        name = regex[at + 1]
        if name.isdigit():
            raise _Unknown
        text = "" if name in _NO_WIDTH else _ESCAPES.get(name, name)
        return _always(text), at + 2
    if sign in "*+?{":
        raise _Unknown
    return _always("a" if sign == "." else sign), at + 1


def _one_of(regex: str, at: int) -> tuple[Maker, int]:
    """``[a-z_]``: one of these letters, or of all others."""
    denied = regex.startswith("^", at + 1)
    start = at + 1 + denied
    end = regex.index("]", start + 1) if "]" in regex[start + 1 :] else -1
    while end > 0 and regex[start:end].count("[:") > regex[start:end].count(":]"):
        end = regex.index("]", end + 1)
    if end < 0:
        raise _Unknown
    parts = _CLASS.findall(regex[start:end])
    letters = "".join(
        _CLASSES.get(name, "")
        or (low + high if low else _ESCAPES.get(escaped, escaped) if escaped else one)
        for name, low, high, escaped, one in parts
    )
    if denied:
        ranges = [(low, high) for _, low, high, _, _ in parts if low]
        if any(name or escaped in _ESCAPES for name, _, _, escaped, _ in parts):
            raise _Unknown
        letters = "".join(
            each
            for each in _ANY
            if each not in letters and not any(low <= each <= high for low, high in ranges)
        )
    if not letters:
        raise _Unknown
    return (lambda _, pick: letters[pick % len(letters)]), end + 1
