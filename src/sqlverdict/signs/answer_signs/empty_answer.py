"""The query returns no row, or nothing but NULL.

Statement
    The answer has no row, or every cell of it is NULL.

Looks at
    The answer on the database. Where HAVING or INTERSECT decide, see empty_group.

Why
    People ask for what there is. A condition that nothing fulfils, or a join without partners, is
    more often a mistake than an answer.

Limits
    "Is there any ...?" may have an empty answer. On a database of few rows it says little.
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
    strength="strong",
    data=_DATA,
    fires=[
        SignExample("SELECT id FROM city WHERE people > 900", "no row"),
        SignExample("SELECT MAX(people) FROM city WHERE id > 5", "nothing but NULL"),
        SignExample("SELECT people FROM city WHERE id = 2", "nothing but NULL"),
    ],
    silent=[
        SignExample("SELECT people FROM city"),
        SignExample("SELECT COUNT(*) FROM city WHERE id > 5"),
        SignExample("SELECT name FROM city GROUP BY name HAVING COUNT(*) > 1"),
    ],
)
def empty_answer(subject: Subject) -> Iterator[Notice]:
    """No row, or no value in them."""
    answer = subject.answer
    if answer is None or answer.volatile:
        return
    if not answer.rows:
        if keeps_few_groups(subject.query.tree):
            return
        yield Notice("empty_answer", "the query returns no row", {"kind": "no_rows"})
    elif all(cell is None for row in answer.rows for cell in row):
        yield Notice("empty_answer", "the query returns nothing but NULL", {"kind": "only_null"})
