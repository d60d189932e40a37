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

    All arms of a set operation have to be like that.
    ``None`` where words alone do not tell: the query may then have columns of any kind.
    """
    words = solid(fold(sql))
    while words and words[-1] == ";":
        words.pop()
    arms = [words] if _COMBINE.isdisjoint(words) else _arms(words)
    widths = set(map(_arm_width, arms))
    if None in widths or (len(widths) > 1 and ANY_WIDTH not in widths):
        return None
    return ANY_WIDTH if ANY_WIDTH in widths else widths.pop()


def _arms(words: list[str]) -> list[list[str]]:
    """The parts that set operations combine; what stands in parentheses may hold others."""
    arms: list[list[str]] = []
    depth = start = 0
    for index, word in enumerate(words):
        depth += (word == "(") - (word == ")")
        if word in _COMBINE and depth <= 0:
            arms.append(words[start:index])
            start = index + (2 if words[index + 1 : index + 2] == ["all"] else 1)
    return [*arms, words[start:]]


def _arm_width(words: list[str]) -> int | None:
    """The number of columns of one SELECT, as :func:`width_of_names` tells it."""
    if not words or words[0] != "select" or "from" not in words or ";" in words:
        return None
    if not _reads_tables(words, words.index("from") + 1):
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
            # Behind a dot there are no functions: t.current_address is a column.
            return _is_name(table) and (column == "*" or _is_word(column))
    return False


def _is_name(word: str) -> bool:
    """Whether a word can only be a name: quoted ones may be texts."""
    reserved = word in _NO_NAMES or word.startswith(_NO_NAMES_START)
    return _is_word(word) and not reserved


def _is_word(word: str) -> bool:
    return word.isascii() and word.isidentifier()
