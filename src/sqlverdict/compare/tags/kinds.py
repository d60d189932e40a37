"""What a tag is: the clause that it is about, what it says, and a pair of queries that has it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

Clause = Literal[
    "select",
    "from",
    "where",
    "group",
    "having",
    "order",
    "limit",
    "set operation",
    "distinct",
    "result",
    "query",
]

EXAMPLES_SCHEMA = """
CREATE TABLE team (id INTEGER PRIMARY KEY, name TEXT NOT NULL, city TEXT, code TEXT);
CREATE TABLE player (id INTEGER PRIMARY KEY, name TEXT NOT NULL, team_id INTEGER, born TEXT,
    weight REAL, goals INTEGER, games INTEGER, FOREIGN KEY (team_id) REFERENCES team (id));
CREATE TABLE game (id INTEGER PRIMARY KEY, team_id INTEGER NOT NULL, score INTEGER, day TEXT,
    FOREIGN KEY (team_id) REFERENCES team (id));
"""
"""The schema of the examples."""


@dataclass(frozen=True)
class TagKind:
    """What a tag says.

    Attributes:
        clause: The clause that it is about.
        meaning: What it says, in words.
        gold: A gold query, on :data:`EXAMPLES_SCHEMA`; empty where results say it.
        prediction: A prediction that differs from it in this way.
    """

    clause: Clause
    meaning: str
    gold: str = ""
    prediction: str = ""


TAGS: dict[str, TagKind] = {}
"""Every tag by its name: each file of this folder puts in those that it finds."""

JOINED = "SELECT p.name FROM player p JOIN team t ON p.team_id = t.id"
HEAVY = "SELECT name FROM player WHERE weight > 80"
"""Queries of several examples."""

_MOST_NAMES = 3


def both_sides(ours: Iterable[str], theirs: Iterable[str]) -> str:
    """What only one of two has, in words."""
    one, other = sorted(set(ours) - set(theirs)), sorted(set(theirs) - set(ours))
    return f"gold: {', '.join(one) or 'none'}; prediction: {', '.join(other) or 'none'}"


def enumeration(texts: Sequence[str]) -> str:
    """A few things in a sentence: ``a, b and c``; of many the first, and how many more."""
    if len(texts) > _MOST_NAMES:
        return f"{', '.join(texts[: _MOST_NAMES - 1])} and {len(texts) - _MOST_NAMES + 1} more"
    return " and ".join(filter(None, (", ".join(texts[:-1]), texts[-1])))


def is_column_ref(text: str) -> bool:
    """Whether a text is a column and no expression."""
    return "." in text and not any(sign in text for sign in "('")
