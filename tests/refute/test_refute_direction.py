"""Differences that chance seldom meets: the values and groups are chosen by the queries."""

from __future__ import annotations

import pytest

from sqlverdict.parse.facts import facts_of
from sqlverdict.parse.schema_ddl import read_ddl
from sqlverdict.refute.legal import legal
from sqlverdict.refute.search import find_witness
from sqlverdict.refute.witness import Witness

SCHEMA = read_ddl(
    """
    CREATE TABLE person (id INTEGER PRIMARY KEY, name TEXT, born DATE, height REAL, weight REAL);
    CREATE TABLE visit (person INTEGER REFERENCES person (id), place TEXT, day DATE,
      PRIMARY KEY (person, place));
    """,
    "visits",
)
NAMED = "SELECT p.name FROM person p JOIN visit v ON v.person = p.id"


@pytest.mark.parametrize(
    ("gold", "prediction"),
    [
        (
            "SELECT name FROM person WHERE substr(born, 1, 7) = '1970-10'",
            "SELECT name FROM person"
            " WHERE substr(born, 1, 4) = '1970' AND substr(born, 6, 2) = '10'",
        ),
        (
            "SELECT count(*) FROM person WHERE weight * 100 / height < 0.18",
            "SELECT count(name) FROM person WHERE weight * 100 / height < 0.18",
        ),
        (
            f"{NAMED} WHERE strftime('%Y', v.day) - strftime('%Y', p.born) < 18"
            " AND strftime('%Y', v.day) BETWEEN '1990' AND '1993'",
            f"{NAMED} WHERE v.day BETWEEN '1990-01-01' AND '1993-12-31'",
        ),
        (
            "SELECT name FROM person WHERE height NOT BETWEEN 40 AND 400 AND weight > 5",
            "SELECT name FROM person WHERE NOT (height >= 40 AND height < 400) AND weight > 5",
        ),
        (
            f"{NAMED} GROUP BY p.id HAVING count(v.place) > 20",
            f"{NAMED} GROUP BY p.id HAVING count(v.place) > 21",
        ),
        (
            f"{NAMED} GROUP BY p.id HAVING count(v.place) > 7",
            f"{NAMED} GROUP BY p.name HAVING count(v.place) > 7",
        ),
    ],
    ids=["parts of a text", "a quotient", "years apart", "outside", "a crowd", "two crowds"],
)
def test_it_is_found(gold: str, prediction: str) -> None:
    found = find_witness(gold, prediction, SCHEMA)
    assert isinstance(found, Witness)
    assert legal(found.instance, facts_of(SCHEMA)) == []
