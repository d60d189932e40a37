"""The query returns no row, and HAVING or INTERSECT decide that.

Statement
    The answer has no row, and the outermost query has HAVING or is an INTERSECT.

Looks at
    The answer on the database.

Why
    Groups of the wrong rows are counted, or rows are compared that cannot be the same.

Limits
    In a small database no group is large, and few rows are in both: right queries are often empty
    there. That is why it is apart from empty_answer.
"""

from __future__ import annotations

from collections.abc import Iterator

from sqlverdict.signs.open_limits import keeps_few_groups
from sqlverdict.signs.sign import Notice, SignExample, Subject, sign

_DATA = """
CREATE TABLE city (id INTEGER PRIMARY KEY, name TEXT, people INTEGER);
INSERT INTO city VALUES (1, 'Oslo', 700), (2, 'Bergen', NULL);
"""


@sign(
    strength="weak",
    data=_DATA,
    fires=[
        SignExample("SELECT name FROM city GROUP BY name HAVING COUNT(*) > 1", "no group"),
        SignExample("SELECT id FROM city WHERE id = 1 INTERSECT SELECT id FROM city WHERE id = 2"),
    ],
    silent=[
        SignExample("SELECT name FROM city GROUP BY name HAVING COUNT(*) = 1"),
        SignExample("SELECT id FROM city WHERE people > 900"),
    ],
)
def empty_group(subject: Subject) -> Iterator[Notice]:
    """No row behind HAVING or INTERSECT."""
    answer = subject.answer
    if answer is None or answer.volatile or answer.rows:
        return
    if keeps_few_groups(subject.query.tree):
        message = "no group fulfils HAVING, or no row is in both: the query returns no row"
        yield Notice("empty_group", message)
