"""An output column is neither grouped by nor aggregated, and its group holds several values.

Statement
    SELECT c, COUNT(*) FROM t, or GROUP BY k with another column c in the output, where one group
    that is returned holds more than one value of c.

Looks at
    Plain output columns of a grouped query, on the data. Not beside MIN or MAX alone, where
    SQLite takes the column from the row of the extreme.

Why
    Which of the values comes back is chance.

Limits
    Only the outermost SELECT is looked at. PostgreSQL and DuckDB refuse such a query, so it has no
    answer to look at.
"""

from __future__ import annotations

from collections.abc import Iterator

from sqlverdict.signs.open_limits import find_bare, reads_clock_or_chance, tied_row_text
from sqlverdict.signs.sign import Notice, SignExample, Subject, sign

_DATA = """
CREATE TABLE city (id INTEGER PRIMARY KEY, name TEXT, land TEXT, people INTEGER);
INSERT INTO city VALUES (1, 'Oslo', 'Norway', 700), (2, 'Bergen', 'Norway', 280),
                        (3, 'Lund', 'Sweden', 90);
"""


@sign(
    strength="weak",
    data=_DATA,
    fires=[
        SignExample("SELECT name, COUNT(*) FROM city", "3 values"),
        SignExample("SELECT land, name, COUNT(*) FROM city GROUP BY land", "2 values"),
    ],
    silent=[
        SignExample("SELECT land, COUNT(*) FROM city GROUP BY land"),
        SignExample("SELECT name, MAX(people) FROM city"),
        SignExample("SELECT name, COUNT(*) FROM city GROUP BY id"),
    ],
)
def bare_column(subject: Subject) -> Iterator[Notice]:
    """The first such column, with its group."""
    answer = subject.answer
    if answer is None or reads_clock_or_chance(subject.query.sql):
        return
    bare = find_bare(subject.query, answer, subject.probe)
    if bare is None:
        return
    message = (
        f"{bare.column} is neither grouped by nor aggregated; one group holds "
        f"{bare.values} values of it: {tied_row_text(bare.group)}"
    )
    yield Notice("bare_column", message, {"column": bare.column, "values": bare.values})
