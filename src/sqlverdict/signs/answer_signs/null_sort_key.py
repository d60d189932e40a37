"""ORDER BY with LIMIT returns rows whose sort key is NULL.

Statement
    ORDER BY k LIMIT n, and a row that comes back has NULL as its first sort key, while other rows
    have a value.

Looks at
    The outermost ORDER BY with LIMIT, on the data.

Why
    SQLite sorts NULL before all values: "the lowest" is then a row without a value.

Limits
    A LIMIT inside a subquery is not looked at.
"""

from __future__ import annotations

from collections.abc import Iterator

from sqlverdict.compare.order import read_window
from sqlverdict.compare.preset import ProbedQuery
from sqlverdict.files.text import count
from sqlverdict.parse.order import ordering
from sqlverdict.signs.sign import Notice, SignExample, Subject, sign

_DATA = """
CREATE TABLE city (id INTEGER PRIMARY KEY, name TEXT, people INTEGER);
INSERT INTO city VALUES (1, 'Oslo', 700), (2, 'Bergen', 280), (3, 'Hamar', NULL);
"""


@sign(
    strength="strong",
    data=_DATA,
    fires=[
        SignExample("SELECT name FROM city ORDER BY people LIMIT 1", "1 of 1 row "),
        SignExample("SELECT name, people FROM city ORDER BY people ASC LIMIT 2", "1 of 2 rows"),
    ],
    silent=[
        SignExample("SELECT name FROM city ORDER BY people DESC LIMIT 1"),
        SignExample("SELECT name FROM city WHERE people IS NOT NULL ORDER BY people LIMIT 1"),
        SignExample("SELECT name FROM city ORDER BY people"),
        SignExample("SELECT name FROM city ORDER BY people IS NULL, people LIMIT 1"),
    ],
)
def null_sort_key(subject: Subject) -> Iterator[Notice]:
    """How many of the rows have no sort key."""
    query, answer = subject.query, subject.answer
    info = ordering(query)
    if answer is None or not answer.rows or not (info.limited and info.ordered):
        return
    window = read_window(answer, ProbedQuery(query.sql, query.dialect, subject.probe))
    if window is None or not any(key and key[0] is not None for key in window.keys):
        return
    keys = window.keys[window.start : window.end]
    nulls = sum(bool(key) and key[0] is None for key in keys)
    if nulls:
        rows = count(len(keys), "row")
        message = f"{nulls} of {rows} under LIMIT with NULL as the sort key"
        yield Notice("null_sort_key", message, {"nulls": nulls, "rows": len(keys)})
