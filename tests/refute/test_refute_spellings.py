"""What a witness's sentence quotes is written as the engine writes it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

import sqlverdict as sv
from small_databases import database_of
from sqlverdict.refute.explain.sentence import sentence
from sqlverdict.refute.explain.spellings import is_of
from sqlverdict.refute.witness import Witness

TABLE = "CREATE TABLE emp (id INTEGER PRIMARY KEY, name VARCHAR(20), hired DATE, pay INTEGER{more})"
STATEMENTS = {
    "postgres": (
        TABLE.format(more=", ok BOOLEAN, meta JSONB"),
        "CREATE SCHEMA s",
        "CREATE TABLE s.emp (id INTEGER PRIMARY KEY)",
    ),
    "duckdb": (
        TABLE.format(more=", ok BOOLEAN"),
        "CREATE SCHEMA s",
        "CREATE TABLE s.emp (id INTEGER PRIMARY KEY)",
    ),
    "mysql": (
        TABLE.format(more=""),
        "CREATE TABLE `odd name` (id INTEGER PRIMARY KEY)",
    ),
}


@pytest.fixture(scope="module", params=list(STATEMENTS))
def engine(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(scope="module")
def db(engine: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with database_of(engine, tmp_path_factory.mktemp("db"), *STATEMENTS[engine]) as database:
        yield database


PAIRS = {
    "postgres": [
        (
            "SELECT id FROM emp WHERE meta ->> 'k' = '1'",
            "SELECT id FROM emp WHERE meta ->> 'k' IS NOT NULL",
            "meta ->> 'k' = '1' (gold) and meta ->> 'k' IS NOT NULL (prediction)",
        ),
        (
            "SELECT EXTRACT(YEAR FROM hired) FROM emp",
            "SELECT EXTRACT(MONTH FROM hired) FROM emp",
            "EXTRACT(YEAR FROM hired) and EXTRACT(MONTH FROM hired) are not the same",
        ),
        (
            "SELECT id FROM emp WHERE hired + INTERVAL '1 day' > '2020-01-01'",
            "SELECT id FROM emp WHERE hired > '2020-01-01'",
            "hired + INTERVAL '1 DAY' > '2020-01-01' (gold)",
        ),
        ("SELECT id FROM emp WHERE ok", "SELECT id FROM emp WHERE ok IS NOT FALSE", "ok IS NOT FALSE (prediction)"),
        ("SELECT e.id FROM emp e JOIN s.emp x ON x.id = e.id", "SELECT id FROM emp", "no partner in s.emp"),
    ],
    "duckdb": [
        (
            "SELECT STRFTIME(hired, '%Y-%m') FROM emp",
            "SELECT STRFTIME(hired, '%Y') FROM emp",
            "STRFTIME(hired, '%Y-%m') and STRFTIME(hired, '%Y') are not the same",
        ),
        ("SELECT e.id FROM emp e JOIN s.emp x ON x.id = e.id", "SELECT id FROM emp", "no partner in s.emp"),
        # Trees write a median as another function, which DuckDB does not have.
        ("SELECT MEDIAN(pay) FROM emp", "SELECT AVG(pay) FROM emp", "on this database: the gold returns"),
    ],
    "mysql": [
        (
            "SELECT id FROM emp WHERE YEAR(hired) = 2020",
            "SELECT id FROM emp WHERE YEAR(hired) = 2021",
            "YEAR(hired) = 2020 (gold) and YEAR(hired) = 2021 (prediction)",
        ),
        (
            "SELECT DATE_FORMAT(hired, '%Y-%m') FROM emp",
            "SELECT DATE_FORMAT(hired, '%Y') FROM emp",
            "DATE_FORMAT(hired, '%Y-%m') and DATE_FORMAT(hired, '%Y') are not the same",
        ),
        # MariaDB has no REGEXP_LIKE, as trees write it.
        ("SELECT id FROM emp WHERE name REGEXP '^a'", "SELECT id FROM emp WHERE name REGEXP '^ab'", "on this database"),
        ("SELECT e.id FROM emp e JOIN `odd name` x ON x.id = e.id", "SELECT id FROM emp", "no partner in `odd name`"),
    ],
}  # fmt: skip


@pytest.mark.slow
def test_conditions_and_names_are_quoted_as_the_engine_has_them(engine: str, db: str) -> None:
    for gold, prediction, words in PAIRS[engine]:
        witness = sv.refute_pair(gold, prediction, db=db)
        assert isinstance(witness, Witness), gold
        text = witness.sentence or sentence(witness)
        assert words in text, text


@pytest.mark.parametrize(
    ("text", "sql", "expected"),
    [
        ("CAST(a AS TEXT) LIKE 'x%'", "SELECT a FROM t WHERE a::text LIKE 'x%'", True),
        ("YEAR(d) = 2020", "SELECT 1 FROM t WHERE year(t.d) = 2020", True),
        ("PERCENTILE_CONT(a, 0.5)", "SELECT median(a) FROM t", False),
    ],
)
def test_words_of_another_engine_are_seen(text: str, sql: str, expected: bool) -> None:
    assert is_of(text, sql) is expected
