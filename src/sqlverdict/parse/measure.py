"""Which texts are too large or too deep to be read, mostly told by their tokens alone.

A common table expression is written out wherever it is used: SQLite and the prover alike spend
twice the time for every level that uses the one before twice. The parser tries every way to nest
joins that have no condition. A list of 100,000 values makes a tree that takes minutes to walk.
All of it must be told before anybody parses.

What makes a text large may say nothing: comments, and lists of numbers of which one is known to be
among them. :func:`bare_text` leaves that out, so that it keeps no prediction from being searched.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from sqlverdict.parse.tokens import Kind, fold, kind, pieces, solid

if TYPE_CHECKING:
    from sqlglot.expressions import Expr

MAX_LENGTH = 200_000
"""The longest text that is parsed, in characters: sqlglot reads about 100,000 a second."""

MOST_JOINS = 12
"""A text with more joins without ON or USING is refused: the parser's time doubles with each."""

MOST_UNFOLDED = 20_000
"""A text that uses common table expressions more often is refused. A use inside the body of one
counts each time that the body is written out."""

MOST_TOKENS = 20_000
"""A text of more tokens is refused; the longest query of the public benchmarks has about 1,000."""

MOST_LEVELS = 400
"""A deeper tree is refused: code that walks a tree takes about two calls a level.

The parts of a chain (``a AND b AND c``, ``x UNION y UNION z``) nest on its left. A part is half a
level: code that walks a chain takes one call for it, or none.
"""

SHORTEST_UNFOLDING = 250
"""A shorter text, in characters, never reaches ``MOST_UNFOLDED``: that takes at least 27 uses."""
_BEFORE_A_SOURCE = frozenset({"from", "join", ",", "("})
_QUOTES = frozenset('"`[')
_BEFORE_A_CONDITION = frozenset({"WHERE", "AND", "OR", "ON", "HAVING", "WHEN", "("})
"""Behind these a literal begins an operand: nothing to its left binds as tightly as IN."""
_MOST_DIGITS = 18


def too_large(sql: str) -> str | None:
    """Why a text is not read, in words; ``None`` where it may be."""
    if len(sql) > MAX_LENGTH:
        return f"the text has {len(sql)} characters; at most {MAX_LENGTH} are parsed"
    lower = sql.lower()
    many = len(sql) > MOST_TOKENS
    if lower.count("join") <= MOST_JOINS and "with" not in lower and not many:
        return None
    words = _words(sql)
    if len(words) > MOST_TOKENS:
        return f"the text has {len(words)} tokens; at most {MOST_TOKENS} are parsed"
    bare = words.count("join") - words.count("on") - words.count("using")
    if bare > MOST_JOINS:
        return f"{bare} joins without a condition; at most {MOST_JOINS} are read"
    if "with" in words and unfolded(words) > MOST_UNFOLDED:
        return "common table expressions that expand into too many copies"
    return None


def unfolds_beyond(sql: str) -> bool:
    """Whether common table expressions would be written out more often than is compiled.

    SQLite takes hundreds of megabytes to find out for itself.
    """
    return "with" in sql.lower() and count_unfolded(sql) > MOST_UNFOLDED


def count_unfolded(sql: str) -> int:
    """How often a text uses common table expressions once all of them are written out."""
    return unfolded(_words(sql))


def _words(sql: str) -> list[str]:
    """The tokens in lower case. A name means the same with quotes and without."""
    return [fold(word[1:-1] if word[0] in _QUOTES else word) for word in solid(sql)]


def too_deep(tree: Expr) -> str | None:
    """Why a tree is not worked with, in words; ``None`` where its depth is usual."""
    level, levels = [tree], 0
    while level:
        levels += 1
        if levels > MOST_LEVELS:
            return _too_deep_with_chains(tree)
        level = [child for node in level for child in node.iter_expressions()]
    return None


def _too_deep_with_chains(tree: Expr) -> str | None:
    """As :func:`too_deep`, with half a level for each part of a chain."""
    waiting = [(tree, 2)]
    while waiting:
        node, halves = waiting.pop()
        if halves > 2 * MOST_LEVELS:
            return f"the query is nested more than {MOST_LEVELS} levels deep"
        left = node.this if _chains(node) else None
        waiting += [
            (child, halves + (1 if child is left and _chains(child) else 2))
            for child in node.iter_expressions()
        ]
    return None


def _chains(node: Expr) -> bool:
    """Whether a node links the parts of a chain."""
    from sqlglot import exp

    return isinstance(node, exp.And | exp.Or | exp.SetOperation)


def unfolded(words: Sequence[str]) -> int:
    """How often common table expressions are used once all of them are written out."""
    sizes: dict[str, int] = {}
    open_: list[tuple[str | None, int]] = []
    total = 0
    for position, word in enumerate(words):
        if word == "(":
            # A body's uses count for its name; other parentheses count where they stand.
            open_.append((_defined(words, position), total))
        elif word == ")" and open_:
            name, before = open_.pop()
            if name is not None:
                sizes[name] = total - before + 1
                total = before
        elif word in sizes and words[position - 1] in _BEFORE_A_SOURCE:
            total += sizes[word]
    return total


def _defined(words: Sequence[str], position: int) -> str | None:
    """The name of the common table expression whose body a parenthesis opens."""
    while position and words[position - 1] in ("materialized", "not"):
        position -= 1
    if position < 2 or words[position - 1] != "as":
        return None
    position -= 2
    if words[position] == ")":
        while position and words[position] != "(":
            position -= 1
        position -= 1
    return words[position] if position >= 0 else None


def bare_text(sql: str) -> str:
    """The text, by SQLite's lexical rules, without comments, wide spaces and decided memberships.

    ``1 IN (0, 1, 2)`` is ``1``, and ``'a' IN ('b')`` is ``0``: a number among whole numbers, or a
    text among texts. Nothing else changes, and the answer is the same on every database.
    """
    gaps = (Kind.COMMENT, Kind.SPACE)
    parts = [" " if kind(piece) in gaps else piece for piece in pieces(sql)]
    indexes = [index for index, part in enumerate(parts) if kind(part) is not Kind.SPACE]
    words = [parts[index] for index in indexes]
    folded = {word.upper() for word in words}
    # x BETWEEN 0 AND 1 IN (1) asks for the membership of what BETWEEN says.
    before = _BEFORE_A_CONDITION - ({"AND"} if "BETWEEN" in folded else set())
    bare: list[str] = []
    done, first = 0, 1
    while "IN" in folded and first < len(words):
        begins = words[first - 1].upper() in before
        membership = _membership(words, first) if begins else None
        if membership is None:
            first += 1
            continue
        value, last = membership
        bare += [*parts[done : indexes[first]], value]
        done, first = indexes[last] + 1, last + 1
    return "".join([*bare, *parts[done:]])


def _membership(words: Sequence[str], first: int) -> tuple[str, int] | None:
    """What a literal's membership in a list of literals is, and where the list ends."""
    literal = words[first]
    fits = _is_whole if _is_whole(literal) else _is_plain_text
    if not fits(literal) or [word.upper() for word in words[first + 1 : first + 3]] != ["IN", "("]:
        return None
    members: set[int | str] = set()
    for index in range(first + 3, len(words) - 1, 2):
        if not fits(words[index]):
            return None
        members.add(_value(words[index]))
        if words[index + 1] == ")":
            return str(int(_value(literal) in members)), index + 1
        if words[index + 1] != ",":
            return None
    return None


def _is_whole(word: str) -> bool:
    return word.isdecimal() and word.isascii() and len(word) <= _MOST_DIGITS


def _is_plain_text(word: str) -> bool:
    return len(word) > 1 and word[0] == word[-1] == "'"


def _value(word: str) -> int | str:
    return int(word) if word[0] != "'" else word
