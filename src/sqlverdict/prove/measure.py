"""Texts that cost more to read than any query is worth, told by their words alone.

A common table expression is written out wherever it is used: SQLite and the prover alike spend
twice the time for every level that uses the one before twice. The parser tries every way to nest
joins that have no condition. Both must be told before anybody parses.
"""

from __future__ import annotations

from collections.abc import Sequence

from sqlverdict.parse.query import MAX_LENGTH
from sqlverdict.parse.tokens import fold, solid

MOST_JOINS = 12
"""So many joins without ON or USING are read: the parser's time doubles with each."""

MOST_UNFOLDED = 20_000
"""So many uses of common table expressions are read, each counted where it is written out."""

_BEFORE_A_SOURCE = frozenset({"from", "join", ","})


def beyond_measure(sql: str) -> str | None:
    """Why a text is not read, in words; ``None`` where it may be."""
    if len(sql) > MAX_LENGTH:
        # The parser refuses it by itself.
        return None
    lower = sql.lower()
    if lower.count("join") <= MOST_JOINS and "with" not in lower:
        return None
    words = list(map(fold, solid(sql)))
    bare = words.count("join") - words.count("on") - words.count("using")
    if bare > MOST_JOINS:
        return f"{bare} joins without a condition; at most {MOST_JOINS} are read"
    if "with" in words and unfolded(words) > MOST_UNFOLDED:
        return "common table expressions that unfold beyond measure"
    return None


def unfolded(words: Sequence[str]) -> int:
    """How often common table expressions are used once all of them are written out."""
    sizes: dict[str, int] = {}
    open_: list[tuple[str | None, int]] = []
    total = 0
    for place, word in enumerate(words):
        if word == "(":
            # A body's uses count for its name; other parentheses count where they stand.
            open_.append((_defined(words, place), total))
        elif word == ")" and open_:
            name, before = open_.pop()
            if name is not None:
                sizes[name] = total - before + 1
                total = before
        elif word in sizes and words[place - 1] in _BEFORE_A_SOURCE:
            total += sizes[word]
    return total


def _defined(words: Sequence[str], place: int) -> str | None:
    """The name of the common table expression whose body a parenthesis opens."""
    while place and words[place - 1] in ("materialized", "not"):
        place -= 1
    if place < 2 or words[place - 1] != "as":
        return None
    place -= 2
    if words[place] == ")":
        while place and words[place] != "(":
            place -= 1
        place -= 1
    return words[place] if place >= 0 else None
