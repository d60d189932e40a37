"""Which queries end as soon as they are told to: what an engine says, and SQLite's by their words.

SQLite looks at the clock between two steps, and not inside one. A query is brief where no step of
it takes long: it calls only functions whose time grows with the length of their arguments, and not
with the product of two lengths as ``trim(a, b)`` does, nor with a number as ``printf('%.99999c')``
does, and it is quick to compile. Whatever is not known to be brief is run in a process that can be
killed.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Protocol, runtime_checkable

from sqlverdict.parse.measure import SHORTEST_UNFOLDING, count_unfolded
from sqlverdict.parse.tokens import word_set

BRIEF_CELL = 2**14
"""The largest text or blob of a brief query, in bytes."""

_LONGEST = 4_000
_MOST_JOINS = 16
_MOST_UNFOLDED = 64
_MOST_COPIES = 100_000
"""So often an expression may be written out: SQLite replaces a name by what a subquery computes for
it, level by level, and looks at no clock while it compiles. So many take less than a second."""
_FUNCTIONS = word_set(
    "abs acos acosh asin asinh atan atan2 atanh avg cast ceil ceiling char coalesce cos cosh count "
    "cume_dist date datetime degrees dense_rank exp first_value floor group_concat hex "
    "ifnull iif julianday lag last_value lead length ln log log10 log2 lower max min mod nth_value "
    "ntile nullif percent_rank pi pow power quote radians random rank round row_number sign "
    "sin sinh sqrt strftime string_agg substr substring sum tan tanh time total trunc typeof "
    "unicode unixepoch upper"
)
_KEYWORDS = word_set(
    "all and as between by case distinct else except exists filter from having in intersect is "
    "join limit not offset on or over partition select then union using values when where"
)
_SIGNS = frozenset("),=<>+*/%|;-")
_BEFORE_PARENTHESIS = _FUNCTIONS | _KEYWORDS | _SIGNS | {""}
"""What stands before a parenthesis that opens no call of an unknown function; nothing, where that
is another parenthesis."""
_BACKWARDS = re.compile(r"[^\s(),=<>+*/%|;-]+|.?")
_LONGEST_NAME = max(map(len, _BEFORE_PARENTHESIS))
_OPERATORS = ("glob", "regexp", "->", "--", "/*")
"""Operators that call functions, and comments, behind which the name of a function may hide."""
_NAME = re.compile(r"\b[^\W\d]\w*\b(?!\s*[(.])")
_SUBQUERY = re.compile(r"(?:\bfrom|\bjoin|,|\()\s*\(|\bas\s*(?:(?:not\s+)?materialized\s*)?\(")
"""What may open a subquery that is read as a table."""
_BEFORE_A_TABLE = frozenset({"from", "join", "as", ",", ""})
"""What stands before its parenthesis, of what is known."""
_MATCH = re.compile(r"\bmatch\b", re.ASCII)
_LIKE = re.compile(r"\blike\b", re.ASCII)
_SHORT_PATTERN = re.compile(
    r"""\blike\s*(?:'[^']{0,40}'|("[^"%]{0,20}%[^"]{0,20}"))(?!\s*(?:'|"|\|\|))""",
    re.ASCII,
)


@runtime_checkable
class BriefEngine(Protocol):
    """An engine of this process that cannot end every query, and says which it can.

    What is not brief is run in a process that can be killed, at every door. An engine whose own
    sessions keep their time whatever they run, as those of servers do, is none.
    """

    @property
    def brief_cell(self) -> int:
        """The largest text or blob of a brief query, in bytes."""
        ...

    def is_brief(self, sql: str) -> bool:
        """Whether no step of the query takes long, with cells of that size."""
        ...


def is_brief(sql: str) -> bool:
    """Whether no step of the query takes long, and it is compiled quickly."""
    return len(sql) <= _LONGEST and _is_brief(sql)


@lru_cache(maxsize=16_384)
def _is_brief(sql: str) -> bool:
    lower = sql.lower()
    if any(operator in lower for operator in _OPERATORS):
        return False
    if "match" in lower and _MATCH.search(lower):
        return False
    before = {_last_of(text) for text in lower.split("(")[:-1]}
    if not before <= _BEFORE_PARENTHESIS:
        return False
    if lower.count("join") > _MOST_JOINS:
        return False
    if "like" in lower and not _has_short_patterns(lower):
        return False
    if not before.isdisjoint(_BEFORE_A_TABLE) and _copies(lower) > _MOST_COPIES:
        return False
    long = len(sql) >= SHORTEST_UNFOLDING and "with" in lower
    return not long or count_unfolded(sql) <= _MOST_UNFOLDED


def _copies(lower: str) -> float:
    """How often an expression is written out at most, were all subqueries inside each other."""
    levels = len(_SUBQUERY.findall(lower))
    if not levels:
        return 1
    names = sum(name not in _KEYWORDS for name in _NAME.findall(lower))
    return float(names / (levels + 1) + 1) ** levels


def _last_of(text: str) -> str:
    """The last word of a text, or the sign at its end; of a long word enough to be none of ours."""
    last = _BACKWARDS.match(text.rstrip()[: -_LONGEST_NAME - 2 : -1])
    return last[0][::-1] if last else ""


def _has_short_patterns(lower: str) -> bool:
    """Whether every pattern is a short constant."""
    quoted = _SHORT_PATTERN.findall(lower)
    # What stands in double quotes is a constant only where nothing has that name.
    names = [name for name in quoted if name]
    return len(quoted) == len(_LIKE.findall(lower)) and all(
        lower.count(name) == names.count(name) for name in names
    )
