"""Which queries are sure to stop when they are told to, and to stay within the memory limit.

DuckDB looks whether it is to stop between two batches of rows, and not inside a function, nor while
it plans; and the texts and lists that functions make do not count against its memory limit. A query
is plain where all its words are known to be harmless. The words are those of the whole text,
comments and strings included, so that no rule for quotes or comments matters: whatever name DuckDB
reads in the text is among them. Whatever is not plain is run in a process that can be killed.
"""

from __future__ import annotations

import re
from collections import Counter
from functools import lru_cache
from math import ceil

from sqlverdict.execute.engines.duckdb.names import names
from sqlverdict.parse.measure import SHORTEST_UNFOLDING, count_unfolded

_LONGEST = 4_000
_MOST_PARTS = 40
"""Commas, joins and queries: to plan a join of 60 tables takes half a second, of 280 minutes."""
_MOST_UNFOLDED = 64
_MOST_STARS = 8
"""Two stars a query double the columns with each level: to plan 2 to the 14th takes 10 seconds."""
_MOST_COPIES = 10_000
"""So often an expression may be written out: a name that another column of the same query has is
replaced by what it stands for, ``nullif`` writes its argument twice, and BETWEEN, IN and CASE with
an operand write it once for every value, one level inside the other."""
_MOST_WILDCARDS = 2
"""In a pattern with ``_``: its time grows with a power of the text's length."""
_WORDS = re.compile(r"\w+")
_ODD = re.compile(r"(?i)\(\s*desc\b|--|/\*|->|\|\||!(?!=)|[\[\]{}~\\$@#^&?`\x00-\x08\x0b-\x1f\x7f]")
"""A description in brackets, comments, operators that call functions, lists, escapes."""
_LIKE = re.compile(r"\blike\b")
_NAME = re.compile(r'"?\b[^\W\d]\w*\b"?(?!\s*[(.])')
"""What may be the use of a column's name: it stands before no bracket and no dot."""
_NULLIF = re.compile(r"\bnullif\b")
_BETWEEN = re.compile(r"\bbetween\b")
_IN = re.compile(r"\bin\s*\((?!\s*select\b)")
_CASE = re.compile(r"\bcase\b(?!\s*when\b)")
_WHEN = re.compile(r"\bwhen\b")
_PATTERN = re.compile(r"\blike\s*'([^']{0,60})'(?!\s*['.:\[])")


def words_of(text: str) -> frozenset[str]:
    """All words of a text, in lower case, wherever they stand."""
    return frozenset(_WORDS.findall(text.lower()))


@lru_cache(maxsize=16_384)
def is_plain(sql: str) -> bool:
    """Whether a text is a short query of quick functions, whatever the database's own are."""
    if len(sql) > _LONGEST or _ODD.search(sql) is not None:
        return False
    lower = sql.lower()
    if not names().slow.isdisjoint(_WORDS.findall(lower)):
        return False
    if lower.count(",") + lower.count("join") + lower.count("select") > _MOST_PARTS:
        return False
    if lower.count("*") > _MOST_STARS or _copies(lower) > _MOST_COPIES:
        return False
    if "like" in lower and not _has_short_patterns(lower):
        return False
    unfolds = len(sql) >= SHORTEST_UNFOLDING and "with" in lower
    return not unfolds or count_unfolded(sql) <= _MOST_UNFOLDED


def _copies(lower: str) -> int:
    """How often an expression is written out at most, as if every name stood for one."""
    uses = Counter(
        name.strip('"') if name not in names().reserved else "" for name in _NAME.findall(lower)
    )
    del uses[""]
    copies = 1 << len(_NULLIF.findall(lower))
    copies *= _nested(len(_BETWEEN.findall(lower)), 2)
    lists = len(_IN.findall(lower))
    copies *= _nested(lists, lower.count(",") / max(1, lists) + 1)
    cases = len(_CASE.findall(lower))
    copies *= _nested(cases, len(_WHEN.findall(lower)) / max(1, cases))
    for count in uses.values():
        copies *= max(1, count - 1)
        if copies > _MOST_COPIES:
            break
    return copies


def _nested(levels: int, values: float) -> int:
    """How often the innermost operand is written out, were all of them inside each other.

    Measured on DuckDB 2.0, the time grows by a little more than the number of values a level.
    """
    return ceil(min((values + 1) ** min(levels, _MOST_PARTS), _MOST_COPIES + 1))


def _has_short_patterns(lower: str) -> bool:
    """Whether every pattern is a short constant that is quick to look for."""
    patterns = _PATTERN.findall(lower)
    return len(patterns) == len(_LIKE.findall(lower)) and all(
        "_" not in pattern or pattern.count("%") <= _MOST_WILDCARDS for pattern in patterns
    )
