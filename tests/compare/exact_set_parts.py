"""What the tests of exact set match share: a schema, and a match that must be the same both ways."""

from __future__ import annotations

from sqlverdict.compare.exact_set.match import SetMatch, exact_set_match
from sqlverdict.parse.query import parse
from sqlverdict.parse.schemas.ddl import read_ddl
from sqlverdict.records import Query

SCHEMA = read_ddl(
    """
    CREATE TABLE singer (id INTEGER PRIMARY KEY, name TEXT, age INTEGER, country TEXT);
    CREATE TABLE concert (id INTEGER PRIMARY KEY, singer_id INTEGER REFERENCES singer (id),
        year INTEGER, stadium TEXT, "the hall" TEXT);
    CREATE TABLE ticket (concert_id INTEGER REFERENCES concert (id), price REAL,
        singer_id INTEGER REFERENCES concert (singer_id));
    """,
    "music",
)


def read(sql: str) -> Query:
    query = parse(sql)
    assert isinstance(query, Query), query
    return query


def match(gold: str, prediction: str, *, counts: bool = False) -> SetMatch:
    result = exact_set_match(read(gold), read(prediction), SCHEMA, values=counts, distinct=counts)
    back = exact_set_match(read(prediction), read(gold), SCHEMA, values=counts, distinct=counts)
    assert result == back, "neither side is special"
    return result
