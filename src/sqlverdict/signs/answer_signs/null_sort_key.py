"""ORDER BY with LIMIT returns rows whose sort key is NULL.

Statement
    ORDER BY k LIMIT n, and a row that comes back has NULL as its first sort key, while other rows
    have a value.

Looks at
    The outermost ORDER BY with LIMIT, on the data.

Why
    SQLite and MySQL sort NULL before all values: "the lowest" is then a row without a value.
    PostgreSQL sorts it behind them: there it is "the highest".

Limits
    A LIMIT inside a subquery is not looked at; on other engines than SQLite, neither is one behind
    DISTINCT or a set operation.
"""

from __future__ import annotations

from collections.abc import Iterator

from sqlglot import exp

from sqlverdict.compare.order import read_window
from sqlverdict.compare.preset import ProbedQuery
from sqlverdict.files.text import count
from sqlverdict.parse.clauses import outer_clauses
from sqlverdict.parse.order import ordering
from sqlverdict.parse.tokens import fold
from sqlverdict.records import Answer
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
    known = _null_keys(subject, answer)
    if known is None or all(known[0]):
        return
    all_rows, start = known
    keys = all_rows[start : start + len(answer.rows)]
    nulls = sum(keys)
    if nulls:
        rows = count(len(keys), "row")
        message = f"{nulls} of {rows} under LIMIT with NULL as the sort key"
        yield Notice("null_sort_key", message, {"nulls": nulls, "rows": len(keys)})


def _null_keys(subject: Subject, answer: Answer) -> tuple[list[bool], int] | None:
    """Whether the sort key is NULL, for each row before the LIMIT, and which one comes back first.

    Where a probe for ties shows ranks in number of the keys, the key is asked for by itself.
    """
    query = subject.query
    if not subject.record.typed:
        window = read_window(answer, ProbedQuery(query.sql, query.dialect, subject.probe))
        if window is None:
            return None
        return [bool(key) and key[0] is None for key in window.keys], window.start
    clauses, key = outer_clauses(query.sql), _first_key(subject)
    if clauses is None or clauses.compound or clauses.distinct or key is None:
        return None
    is_null = f"CASE WHEN {key} IS NULL THEN 1 ELSE 0 END"
    rows = subject.rows(f"{clauses.head}, {is_null} {clauses.body} {clauses.order}")
    start = ordering(query).offset or 0
    if rows is None or start + len(answer.rows) > len(rows):
        return None
    return [row[-1] == 1 for row in rows], start


def _first_key(subject: Subject) -> str | None:
    """The first sort key as SQL that the SELECT list can hold; ``None``: it cannot be told."""
    tree = subject.query.tree
    order = tree.args.get("order")
    if not isinstance(tree, exp.Select) or order is None:
        return None
    key = order.expressions[0].this
    outputs = tree.expressions
    if isinstance(key, exp.Literal):
        number = int(key.name) if key.is_int else 0
        key = outputs[number - 1].unalias() if 0 < number <= len(outputs) else None
    elif isinstance(key, exp.Column) and not key.table:
        columns = (each for each in outputs if each.alias and fold(each.alias) == fold(key.name))
        key = next((each.unalias() for each in columns), key)
    return None if key is None or isinstance(key, exp.Star) else f"({subject.text(key)})"
