"""A text that its engine does not read is not proved equal to anything but itself."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))
from engine_databases import DIALECTS, engine_of, server_of

from sqlverdict.execute.engine import ENGINES
from sqlverdict.parse.schemas.ddl import read_ddl
from sqlverdict.prove.proof import NotProved
from sqlverdict.prove.prover import prove
from sqlverdict.prove.resolve.own_words import foreign
from sqlverdict.records import Failure
from sqlverdict.refute.target.trial import Scratches

DDL = "CREATE TABLE t (id INTEGER PRIMARY KEY, a INTEGER, b INTEGER, c VARCHAR(20))"
SCHEMA = read_ddl(DDL, "words")

FOREIGN = {
    "SELECT id FROM (SELECT id FROM t)": ("mysql",),
    "SELECT t.id FROM t JOIN (SELECT a FROM t) ON t.id = a": ("mysql",),
    "SELECT id FROM t WHERE a <=> b": ("postgres", "duckdb"),
    "SELECT id FROM t WHERE a == 1": ("postgres", "mysql"),
    "SELECT id FROM t WHERE !(a = 1)": ("postgres", "duckdb"),
    "SELECT id FROM t WHERE a ISNULL": ("mysql",),
    "SELECT id FROM t WHERE a NOTNULL": ("mysql",),
    "SELECT id FROM t WHERE a NOT NULL": ("postgres", "mysql"),
    "SELECT id FROM t WHERE a IN (1,)": ("postgres", "mysql"),
    "SELECT id FROM t WHERE c ILIKE 'a'": ("mysql",),
    "SELECT id FROM t WHERE a IS NOT DISTINCT FROM b": ("mysql",),
    "SELECT IFNULL(a, 0) FROM t": ("postgres",),
    "SELECT NVL(a, 0) FROM t": ("postgres", "duckdb"),
    "SELECT LEN(c) FROM t": ("postgres", "mysql"),
    "SELECT UCASE(c) FROM t": ("postgres",),
    "SELECT LCASE(c) FROM t": ("postgres",),
    "SELECT COUNT (a) FROM t": ("mysql",),
    "SELECT id, FROM t": ("postgres", "mysql"),
    "SELECT id FROM t GROUP BY id,": ("postgres", "mysql"),
    "SELECT id FROM t ORDER BY id LIMIT 1, 2": ("postgres", "duckdb"),
    "SELECT id FROM t ORDER BY id OFFSET 2 LIMIT 1": ("mysql",),
    "SELECT id FROM t ORDER BY id LIMIT 1 UNION SELECT a FROM t": ("postgres", "duckdb", "mysql"),
    "SELECT t.id FROM t JOIN t u": ("postgres", "duckdb"),
    "SELECT t.id FROM t LEFT JOIN t u": ("postgres", "duckdb", "mysql"),
    "SELECT t.id FROM t OUTER JOIN t u ON t.id = u.a": ("postgres", "duckdb", "mysql"),
    "SELECT t.id FROM t FULL JOIN t u ON t.id = u.a": ("mysql",),
    "SELECT t.id FROM t CROSS JOIN t u ON t.id = u.a": ("postgres", "duckdb"),
    "SELECT CAST(a AS DOUBLE) FROM t": ("postgres",),
    "SELECT CAST(a AS INT64) FROM t": ("postgres", "mysql"),
    "SELECT CAST(a AS BIGINT) FROM t": ("mysql",),
    "SELECT a::INT FROM t": ("mysql",),
}
"""Queries that our parser reads, and the dialects whose engines do not."""

OWN = {
    "SELECT id FROM t WHERE a <=> b": ("mysql",),
    "SELECT id FROM t WHERE a == 1": ("duckdb",),
    "SELECT id FROM t WHERE a != 1 AND b IS NOT NULL": ("postgres", "duckdb", "mysql"),
    "SELECT id FROM t WHERE c = 'a <=> b == LEN (c), )'": ("postgres", "duckdb", "mysql"),
    "SELECT id FROM t WHERE a IS NOT DISTINCT FROM b": ("postgres", "duckdb"),
    "SELECT IFNULL(a, 0) FROM t": ("duckdb", "mysql"),
    "SELECT LEN(c), FROM t": ("duckdb",),
    "SELECT id FROM t ORDER BY id LIMIT 1, 2": ("mysql",),
    "SELECT id FROM t ORDER BY id LIMIT 1 OFFSET 2": ("postgres", "duckdb", "mysql"),
    "SELECT t.id FROM t JOIN t u": ("mysql",),
    "SELECT CAST(a AS DOUBLE PRECISION) FROM t": ("postgres", "duckdb"),
    "SELECT a::BIGINT FROM t": ("postgres", "duckdb"),
    "SELECT COUNT(a), SUM(b) FROM t": ("postgres", "duckdb", "mysql"),
}
"""Queries that look alike, and the dialects whose engines read them."""


def _cases(texts: dict[str, tuple[str, ...]]) -> list[tuple[str, str]]:
    return [(sql, dialect) for sql, dialects in texts.items() for dialect in dialects]


@pytest.mark.parametrize(("sql", "dialect"), _cases(FOREIGN))
def test_words_of_other_dialects_are_not_proved(sql: str, dialect: str) -> None:
    other = f"WITH x AS ({sql}) SELECT * FROM x"
    derivation = prove(sql, other, SCHEMA, dialect=dialect)
    assert isinstance(derivation, NotProved)
    assert derivation.message


def test_the_reason_names_what_is_not_read() -> None:
    sql = "SELECT id FROM t WHERE a <=> b"
    other = "SELECT id FROM t WHERE a IS NOT DISTINCT FROM b"
    derivation = prove(sql, other, SCHEMA, dialect="postgres")
    assert isinstance(derivation, NotProved)
    assert derivation.message == "beyond the prover: the gold: PostgreSQL does not read '<=>'"
    assert prove(sql, sql.replace("id", "t.id"), SCHEMA, dialect="mysql").proved


@pytest.mark.parametrize(("sql", "dialect"), _cases(OWN))
def test_words_of_the_engine_are_read(sql: str, dialect: str) -> None:
    assert foreign(sql, dialect) is None


def test_an_aggregate_of_nothing_is_beyond_the_prover() -> None:
    for dialect in DIALECTS:
        assert not prove("SELECT COUNT() FROM t", "SELECT 1 FROM t", SCHEMA, dialect=dialect).proved


@pytest.mark.slow
@pytest.mark.parametrize("dialect", DIALECTS)
def test_the_engine_says_the_same(dialect: str) -> None:
    with server_of(dialect) as near:
        scratches = Scratches(ENGINES.get(engine_of(dialect)), near)
        scratch = scratches.of(SCHEMA)
        for texts, fails in ((FOREIGN, True), (OWN, False)):
            for sql, dialects in texts.items():
                if dialect in dialects:
                    scratch.load({})
                    assert isinstance(scratch.run(sql), Failure) == fails, sql
        scratches.close()


def test_postgresql_before_16_wants_an_alias_for_a_derived_table() -> None:
    assert foreign("SELECT id FROM (SELECT id FROM t)", "postgres") is not None
    joined = "SELECT t.id FROM (t JOIN t u ON t.id = u.a)"
    assert foreign(joined, "postgres") is None
    assert foreign("SELECT id FROM (SELECT id FROM t)", "duckdb") is None
