"""A LIMIT without ORDER BY keeps some of several different rows.

Statement
    SELECT ... LIMIT n without ORDER BY, and there are more rows than n that differ.

Looks at
    The outermost LIMIT, on the data.

Why
    Which rows come back is chance.

Limits
    A question may ask for any of them ("an example of ...").
"""

from __future__ import annotations

from collections.abc import Iterator

from sqlverdict.signs.open_limits import find_open_cut, reads_clock_or_chance, tied_row_text
from sqlverdict.signs.sign import Notice, SignExample, Subject, sign

_DATA = """
CREATE TABLE city (id INTEGER PRIMARY KEY, name TEXT, people INTEGER);
INSERT INTO city VALUES (1, 'Oslo', 700), (2, 'Bergen', 280);
"""


@sign(
    strength="weak",
    data=_DATA,
    fires=[SignExample("SELECT name FROM city LIMIT 1", "keeps 1 of 2 rows")],
    silent=[
        SignExample("SELECT name FROM city ORDER BY people LIMIT 1"),
        SignExample("SELECT name FROM city LIMIT 2"),
        SignExample("SELECT COUNT(*) FROM city LIMIT 1"),
    ],
)
def unordered_limit(subject: Subject) -> Iterator[Notice]:
    """The cut, with two rows of which either might be returned."""
    answer = subject.answer
    if answer is None or reads_clock_or_chance(subject.query.sql):
        return
    cut = find_open_cut(subject.query, answer, subject.probe)
    if cut is None or cut.ordered:
        return
    either = f"{tied_row_text(cut.examples[0])} or {tied_row_text(cut.examples[1])}"
    message = f"LIMIT without ORDER BY keeps {cut.places} of {cut.tied} rows: {either}"
    yield Notice("unordered_limit", message, {"rows": cut.tied, "places": cut.places})
