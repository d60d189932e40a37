"""Predictions that no evaluator should run unguarded, and what must become of each.

:func:`hostile_predictions` is data: a name, the text, and the outcomes that are right for it
on the SQLite file that :func:`make_database` writes. A test that runs all of it must see every
text end in one of its ``expected`` outcomes, in time, with the database untouched. ``hangs``
marks texts that no handler inside the engine can stop: they need a process that can be killed.

Other engines name other failures; for them only "typed, in time, nothing written" holds. Texts of
their own are in our tests, ``tests/execute/hostile_*.py``.

``kinds``   what a hostile prediction is, and the outcomes that are right for each kind
``writes``  texts that would write, attach, change settings or touch files
``bombs``   texts that would run for ever, fill the memory or choke the parser
``texts``   several statements, odd characters, other dialects, and texts that are no SQL
"""

from __future__ import annotations

import sqlite3
from functools import cache
from pathlib import Path

from sqlverdict.testing.hostile.bombs import bombs, endless, sizes
from sqlverdict.testing.hostile.kinds import ANSWER, Expected, Hostile
from sqlverdict.testing.hostile.texts import characters, several, tongues
from sqlverdict.testing.hostile.writes import files, writes

__all__ = ["ANSWER", "Expected", "Hostile", "hostile_predictions", "make_database"]


@cache
def hostile_predictions() -> tuple[Hostile, ...]:
    """The corpus, in a fixed order. It is built when first asked for: it holds 60 MB of text."""
    return (
        *writes(),
        *files(),
        *several(),
        *characters(),
        *tongues(),
        *sizes(),
        *bombs(),
        *endless(),
    )


def make_database(path: Path) -> Path:
    """Write the small SQLite file that the corpus is meant for."""
    connection = sqlite3.connect(path)
    with connection:
        connection.execute(
            "CREATE TABLE person (id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL,"
            " age INTEGER, height REAL, photo BLOB)"
        )
        connection.execute("CREATE TABLE city (id INTEGER PRIMARY KEY, name TEXT, mayor INTEGER)")
        connection.execute("CREATE INDEX by_age ON person (age)")
        connection.execute("CREATE VIEW adult AS SELECT * FROM person WHERE age >= 18")
        people = [(f"name {n}", n % 90 or None, 1.5 + n / 1000, b"\x00\xff") for n in range(400)]
        connection.executemany(
            "INSERT INTO person (name, age, height, photo) VALUES (?, ?, ?, ?)", people
        )
        connection.executemany(
            "INSERT INTO city VALUES (?, ?, ?)", [(n, f"city {n}", n) for n in range(1, 41)]
        )
    connection.close()
    return path
