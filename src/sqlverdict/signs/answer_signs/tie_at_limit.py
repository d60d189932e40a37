"""A LIMIT cuts through rows that tie under the ORDER BY.

Statement
    ORDER BY k LIMIT n, and the row behind the last one returned has the same k, yet differs.

Looks at
    The outermost LIMIT, on the data: the rows before it with their sort keys.

Why
    Which of the tied rows come back is chance. "The youngest" are several, and one is named.

Limits
    A question may ask for any one of them. A LIMIT inside a subquery is not looked at.
"""

from __future__ import annotations

from collections.abc import Iterator

from sqlverdict.signs.open_limits import find_open_cut, reads_clock_or_chance, tied_row_text
from sqlverdict.signs.sign import Notice, SignExample, Subject, sign

_DATA = """
CREATE TABLE city (id INTEGER PRIMARY KEY, name TEXT, people INTEGER);
INSERT INTO city VALUES (1, 'Oslo', 700), (2, 'Bergen', 280), (3, 'Hamar', 30), (4, 'Moss', 30);
"""


@sign(
    strength="weak",
    data=_DATA,
    fires=[SignExample("SELECT name FROM city ORDER BY people LIMIT 1", "2 rows tie for 1 place")],
    silent=[
        SignExample("SELECT name FROM city ORDER BY people DESC LIMIT 1"),
        SignExample("SELECT people FROM city ORDER BY people LIMIT 1"),
        SignExample("SELECT name FROM city ORDER BY people"),
        SignExample("SELECT name FROM city LIMIT 1"),
    ],
)
def tie_at_limit(subject: Subject) -> Iterator[Notice]:
    """The cut, with two rows of which either might be returned."""
    answer = subject.answer
    if answer is None or reads_clock_or_chance(subject.query.sql):
        return
    cut = find_open_cut(subject.query, answer, subject.probe)
    if cut is None or not cut.ordered:
        return
    places = "1 place" if cut.places == 1 else f"{cut.places} places"
    either = f"{tied_row_text(cut.examples[0])} or {tied_row_text(cut.examples[1])}"
    message = f"LIMIT cuts through a tie: {cut.tied} rows tie for {places}: {either}"
    yield Notice("tie_at_limit", message, {"tied": cut.tied, "places": cut.places})
