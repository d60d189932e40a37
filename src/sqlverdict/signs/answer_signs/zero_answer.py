"""The query counts nothing: its one row holds only 0 and NULL, and at least one 0.

Statement
    The answer is one row of 0 and NULL.

Looks at
    The answer on the database.

Why
    A count of 0 is the empty answer of a counting query.

Limits
    0 may be the answer.
"""

from __future__ import annotations

from collections.abc import Iterator

from sqlverdict.signs.sign import Notice, SignExample, Subject, sign

_DATA = """
CREATE TABLE city (id INTEGER PRIMARY KEY, name TEXT, people INTEGER);
INSERT INTO city VALUES (1, 'Oslo', 700), (2, 'Bergen', 280);
"""


@sign(
    strength="strong",
    data=_DATA,
    fires=[
        SignExample("SELECT COUNT(*) FROM city WHERE people > 900", "is 0"),
        SignExample("SELECT COUNT(*), MAX(people) FROM city WHERE people > 900"),
    ],
    silent=[
        SignExample("SELECT COUNT(*) FROM city"),
        SignExample("SELECT MAX(people) FROM city WHERE people > 900"),
        SignExample("SELECT people - people FROM city"),
    ],
)
def zero_answer(subject: Subject) -> Iterator[Notice]:
    """One row with nothing in it but 0."""
    answer = subject.answer
    if answer is None or answer.volatile or len(answer.rows) != 1:
        return
    cells = [cell for cell in answer.rows[0] if cell is not None]
    if cells and all(isinstance(cell, int | float) and cell == 0 for cell in cells):
        yield Notice("zero_answer", "all that the query returns is 0")
