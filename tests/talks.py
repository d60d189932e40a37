"""Small conversations in the published format of SParC, on a database of a shop."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

SCRIPT = """
CREATE TABLE item (id INTEGER PRIMARY KEY, name TEXT, price INTEGER, kind TEXT);
INSERT INTO item VALUES
  (1, 'pen', 2, 'office'), (2, 'mug', 7, 'kitchen'), (3, 'cup', 5, 'kitchen'),
  (4, 'desk', 90, 'office');
"""
MANY = "SELECT kind FROM item GROUP BY kind HAVING count(*) > "
TALKS = (
    (
        ("List the kitchen items.", "SELECT * FROM item WHERE kind = 'kitchen'"),
        ("How many are there?", "SELECT count(*) FROM item WHERE kind = 'kitchen'"),
    ),
    (
        ("Show all prices.", "SELECT price FROM item"),
        ("Only the highest.", "SELECT max(price) FROM item"),
        ("And the lowest?", "SELECT min(price) FROM item"),
    ),
    (
        ("What kinds are there?", "SELECT DISTINCT kind FROM item"),
        ("Count the items of each.", "SELECT kind, count(*) FROM item GROUP BY kind"),
        ("Only kinds with more than five.", f"{MANY}5"),
        ("Sorry, more than one.", f"{MANY}1"),
        ("Sort them.", f"{MANY}1 ORDER BY kind"),
        ("Backwards.", f"{MANY}1 ORDER BY kind DESC"),
    ),
)
PREDICTIONS = (
    tuple(gold for _, gold in TALKS[0]),
    ("SELECT price FROM item", "SELECT min(price) FROM item", "SELECT min(price) FROM item"),
    (*(gold for _, gold in TALKS[2][:5]), f"{MANY}1 ORDER BY kind"),
)
"""Of 11 turns 9 are right: all of the first conversation, 2 of 3, and 5 of 6."""


def interactions() -> list[dict[str, Any]]:
    """The conversations as the published files have them, unused fields too."""
    return [
        {
            "database_id": "shop",
            "interaction": [
                {
                    "utterance": question,
                    "utterance_toks": question.split(),
                    "query": gold,
                    "sql": {"union": None},
                }
                for question, gold in talk
            ],
            "final": {"utterance": f"In one question: {talk[-1][0]}", "query": talk[-1][1]},
        }
        for talk in TALKS
    ]


def prediction_text() -> str:
    """The predictions, with a blank line between two conversations."""
    return "\n\n".join("\n".join(turns) for turns in PREDICTIONS) + "\n"


def gold_text() -> str:
    """A gold file."""
    parts = ("\n".join(f"{gold}\tshop" for _, gold in talk) for talk in TALKS)
    return "\n\n".join(parts) + "\n"


def write_sparc(root: Path) -> Path:
    """SParC's folder."""
    (root / "database/shop").mkdir(parents=True)
    with closing(sqlite3.connect(root / "database/shop/shop.sqlite")) as connection:
        connection.executescript(SCRIPT)
    (root / "dev.json").write_text(json.dumps(interactions()), "utf-8")
    (root / "mine.txt").write_text(prediction_text(), "utf-8")
    return root


def write_cosql(root: Path) -> Path:
    """CoSQL's folder."""
    write_sparc(root)
    (root / "sql_state_tracking").mkdir()
    (root / "dev.json").rename(root / "sql_state_tracking/cosql_dev.json")
    return root
