"""Queries whose columns are plainly those of tables, by their words alone.

Most queries are like that, and to load the parser takes longer than to compare a benchmark.
"""

from __future__ import annotations

from collections.abc import Sequence

from sqlverdict.parse.tokens import fold, solid

ANY_WIDTH = -1
"""The query has a star: its answer may have any number of columns."""

_COMBINE = frozenset({"union", "intersect", "except"})
_AGGREGATES = frozenset({"avg", "count", "max", "min", "sum"})
_BEHIND_SOURCES = frozenset({"where", "group", "having", "window", "order", "limit"})
_NO_NAMES = frozenset({"null", "true", "false", "case", "not", "exists", "cast", "select"})
_NO_NAMES_START = ("current", "local", "sys")
"""Words that some readers take for functions, such as CURRENT_DATE."""


def width_of_names(sql: str) -> int | None:
    """The number of a SQLite query's columns, where all are names, or aggregates of names.

    ``None`` where words alone do not tell: the query may then have columns of any kind.
    """
    words = [fold(word) for word in solid(sql)]
    while words and words[-1] == ";":
        words.pop()
    if not words or words[0] != "select" or "from" not in words:
        return None
    if not _is_one_query(words) or not _reads_tables(words, words.index("from") + 1):
        return None
    start = 2 if words[1] == "distinct" else 1
    items: list[list[str]] = [[]]
    depth = 0
    for word in words[start : words.index("from")]:
        depth += (word == "(") - (word == ")")
        if word == "," and not depth:
            items.append([])
        else:
            items[-1].append(word)
    if not all(map(_is_read, items)):
        return None
    return ANY_WIDTH if any(item[-1] == "*" for item in items) else len(items)


def _is_one_query(words: Sequence[str]) -> bool:
    """Whether the columns are those of the first SELECT; parentheses may hold any query."""
    depth = 0
    for word in words:
        depth += (word == "(") - (word == ")")
        if word == ";" or (word in _COMBINE and depth <= 0):
            return False
    return True


def _reads_tables(words: Sequence[str], start: int) -> bool:
    """Whether all that a query reads are tables: names without parentheses."""
    for word in words[start:]:
        if word in _BEHIND_SOURCES:
            return True
        if word == "(":
            return False
    return start < len(words)


def _is_read(item: list[str]) -> bool:
    """Whether an item of the list is a name, a star or an aggregate of either."""
    if len(item) > 2 and item[-2] == "as" and _is_name(item[-1]):
        item = item[:-2]
    if len(item) > 3 and item[0] in _AGGREGATES and item[1] == "(" and item[-1] == ")":
        item = item[3:-1] if item[2] == "distinct" else item[2:-1]
    match item:
        case [one]:
            return one == "*" or _is_name(one)
        case [table, ".", column]:
            return _is_name(table) and (column == "*" or _is_name(column))
    return False


def _is_name(word: str) -> bool:
    """Whether a word can only be a name: quoted ones may be texts."""
    plain = word.isascii() and word.isidentifier()
    return plain and word not in _NO_NAMES and not word.startswith(_NO_NAMES_START)
