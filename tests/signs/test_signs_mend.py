"""A query is mended where a sign says what would be right, and nowhere else."""

from __future__ import annotations

import pytest

from sqlverdict.evidence_parts import LoggedSign
from sqlverdict.parse.query import parse
from sqlverdict.parse.schemas.ddl import read_ddl
from sqlverdict.records import Query
from sqlverdict.signs.mend import mend

SCHEMA = read_ddl("CREATE TABLE city (id INTEGER, name TEXT, land TEXT, score TEXT)", "d")


def dead(column: str, text: str, near: str | None) -> LoggedSign:
    detail = {"table": "city", "column": column, "text": text, "near": near}
    return LoggedSign("dead_literal", "strong", "", detail)


NUMBERS = LoggedSign("numbers_as_text", "weak", "", {"column": "city.score", "use": "sorted"})
EMPTY = LoggedSign("empty_answer", "strong", "", {"kind": "no_rows"})


@pytest.mark.parametrize(
    ("sql", "signs", "text"),
    [
        (
            "SELECT id FROM city WHERE name = 'oslo' AND land = 'oslo'",
            [dead("name", "oslo", "Oslo"), EMPTY],
            "SELECT id FROM city WHERE name = 'Oslo' AND land = 'oslo'",
        ),
        (
            "SELECT t.id FROM city AS t WHERE t.name IN (\"oslo\", 'x')",
            [dead("name", "oslo", "Oslo")],
            "SELECT t.id FROM city AS t WHERE t.name IN ('Oslo', 'x')",
        ),
        (
            "SELECT id, score FROM city WHERE score > 5 ORDER BY score DESC LIMIT 1",
            [NUMBERS],
            "SELECT id, score FROM city WHERE CAST(score AS REAL) > 5 "
            "ORDER BY CAST(score AS REAL) DESC LIMIT 1",
        ),
        ("SELECT id FROM city WHERE name = 'oslo'", [dead("name", "oslo", None)], None),
        ("SELECT id FROM city WHERE name = 'oslo'", [EMPTY], None),
    ],
)
def test_what_a_sign_shows_is_mended(sql: str, signs: list[LoggedSign], text: str | None) -> None:
    query = parse(sql)
    assert isinstance(query, Query)
    before = query.tree.sql()
    assert mend(query, SCHEMA, signs) == text
    assert query.tree.sql() == before
