"""The answer depends on the clock or on chance.

Statement
    The query calls random(), or reads the present date or time.

Looks at
    The query's words; no data.

Why
    The answer is another one tomorrow, so nobody can check it.

Limits
    A question about today needs the clock.
"""

from __future__ import annotations

from collections.abc import Iterator

from sqlverdict.signs.open_limits import reads_clock_or_chance
from sqlverdict.signs.sign import Notice, SignExample, Subject, sign

_DATA = "CREATE TABLE city (id INTEGER PRIMARY KEY, name TEXT, founded TEXT);"


@sign(
    strength="weak",
    data=_DATA,
    fires=[
        SignExample("SELECT name FROM city ORDER BY random() LIMIT 1", "random()"),
        SignExample("SELECT name FROM city WHERE founded > date('now')", "'now'"),
        SignExample("SELECT name, CURRENT_DATE FROM city", "current_date"),
    ],
    silent=[SignExample("SELECT name FROM city WHERE founded > date('2020-01-01')")],
)
def clock_dependence(subject: Subject) -> Iterator[Notice]:
    """The word that makes the answer change."""
    word = reads_clock_or_chance(subject.query.sql)
    if word is not None:
        message = f"the answer depends on the clock or on chance: {word}"
        yield Notice("clock_dependence", message, {"word": word})
