"""A text that its engine does not read is not proved equal to anything but itself."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))
from engine_databases import DIALECTS, engine_of, server_of

from sqlverdict.dialects import dialect_of
from sqlverdict.execute.engine import ENGINES
from sqlverdict.parse.schemas.ddl import read_ddl
from sqlverdict.prove.proof import NotProved
from sqlverdict.prove.prover import prove
from sqlverdict.prove.resolve.own_words import foreign
from sqlverdict.records import Failure
from sqlverdict.refute.target.trial import Scratches

DDL = "CREATE TABLE t (id INTEGER PRIMARY KEY, a INTEGER, b INTEGER, c VARCHAR(20))"
SCHEMA = read_ddl(DDL, "words")
SYNTAX_ERROR = 1064
"""The number of MySQL and MariaDB for it."""

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
    "SELECT id FROM t ORDER BY 'x'": ("postgres", "duckdb"),
    "SELECT id FROM t ORDER BY id, NULL": ("postgres", "duckdb"),
    "SELECT id FROM t ORDER BY (1.5) DESC": ("postgres", "duckdb"),
    "SELECT id FROM t ORDER BY -1.5": ("postgres", "duckdb"),
    "SELECT id FROM t ORDER BY TRUE": ("postgres", "duckdb"),
    "SELECT id FROM t GROUP BY id, 'x'": ("postgres",),
    "SELECT id FROM t GROUP BY id, (NULL)": ("postgres",),
    "SELECT id FROM t GROUP BY id, 1.5": ("postgres",),
    "SELECT a FROM t GROUP BY +a": ("duckdb",),
    "SELECT +c FROM t": ("duckdb",),
    "SELECT t.id FROM t NATURAL JOIN (SELECT a AS z FROM t) AS u": ("duckdb",),
    "SELECT t.id FROM t NATURAL LEFT JOIN (SELECT a AS z FROM t) AS u": ("duckdb",),
    "SELECT id FROM t WHERE a IN (SELECT b FROM t LIMIT 1)": ("mysql",),
    "SELECT id FROM t WHERE a NOT IN (SELECT b FROM t ORDER BY b LIMIT 2, 1)": ("mysql",),
    "SELECT id FROM t WHERE a IN (SELECT b FROM t FETCH FIRST 1 ROWS ONLY)": ("mysql",),
    "SELECT id FROM t WHERE a IN (SELECT b FROM t UNION SELECT a FROM t LIMIT 1)": ("mysql",),
    "SELECT id FROM t WHERE a IN ((SELECT b FROM t LIMIT 1) UNION SELECT a FROM t)": ("mysql",),
    "SELECT id FROM t WHERE a = ANY (SELECT b FROM t LIMIT 1)": ("mysql",),
    "SELECT id FROM t WHERE a = SOME (SELECT b FROM t LIMIT 1)": ("mysql",),
    "SELECT id FROM t WHERE a <> ALL (SELECT b FROM t LIMIT 1)": ("mysql",),
    "SELECT DISTINCT ON (id) id FROM t": ("mysql",),
    "SELECT DISTINCT ON (a) a, b FROM t ORDER BY a, b DESC": ("mysql",),
    "SELECT id AS rows FROM t": ("mysql",),
    "SELECT id key FROM t": ("mysql",),
    "SELECT x.id FROM t AS x, t AS condition": ("mysql",),
    "SELECT range FROM (SELECT id AS `range` FROM t) AS x": ("mysql",),
}
"""Queries that our parser reads, and the dialects whose engines do not."""

HIDDEN = {
    "SELECT DISTINCT id FROM t ORDER BY a LIMIT 1": "SELECT id FROM t ORDER BY a LIMIT 1",
    "SELECT DISTINCT a FROM t ORDER BY a + 1": "SELECT a FROM t GROUP BY a",
    "SELECT DISTINCT a FROM t ORDER BY 1 + 0": "SELECT a FROM t GROUP BY a",
    "SELECT DISTINCT id FROM t ORDER BY a, b": "SELECT id FROM t ORDER BY a, b",
}
"""Queries that PostgreSQL refuses, for DISTINCT does not show what they are ordered by; others that
say the same elsewhere."""

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
    "SELECT id FROM t ORDER BY 1 DESC, (a)": ("postgres", "duckdb", "mysql"),
    "SELECT DISTINCT a AS z, b + 1 FROM t ORDER BY z, t.a, b + 1, 1": (
        ("postgres", "duckdb", "mysql")
    ),
    "SELECT DISTINCT id FROM t ORDER BY a LIMIT 1": ("duckdb", "mysql"),
    "SELECT id FROM t ORDER BY 1 + 1, id": ("postgres", "duckdb", "mysql"),
    "SELECT id FROM t ORDER BY 'x', NULL": ("mysql",),
    "SELECT id FROM t GROUP BY id, 'x', NULL, 1.5": ("duckdb", "mysql"),
    "SELECT ROW_NUMBER() OVER (ORDER BY 'x') FROM t": ("postgres", "duckdb", "mysql"),
    "SELECT t.id FROM t NATURAL JOIN (SELECT a AS z FROM t) AS u": ("postgres", "mysql"),
    "SELECT t.id FROM t NATURAL JOIN (SELECT a FROM t) AS u": ("postgres", "duckdb", "mysql"),
    "SELECT id FROM t WHERE a IN (SELECT b FROM t LIMIT 1)": ("postgres", "duckdb"),
    "SELECT id FROM t WHERE a IN (SELECT b FROM (SELECT b FROM t LIMIT 1) AS u)": (
        ("postgres", "duckdb", "mysql")
    ),
    "SELECT id FROM t WHERE EXISTS (SELECT b FROM t LIMIT 1)": ("postgres", "duckdb", "mysql"),
    "SELECT id FROM t WHERE a = (SELECT b FROM t LIMIT 1)": ("postgres", "duckdb", "mysql"),
    "SELECT DISTINCT ON (id) id FROM t": ("postgres", "duckdb"),
    "SELECT x.rows, rows.id, x.range FROM"
    " (SELECT id AS `rows`, a AS `range` FROM t) AS x, t AS `rows`": ("mysql",),
    "SELECT id AS date, a AS year, b AS status FROM t": ("postgres", "duckdb", "mysql"),
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


@pytest.mark.parametrize("sql", HIDDEN)
def test_an_order_that_distinct_hides_is_not_proved(sql: str) -> None:
    assert not prove(sql, HIDDEN[sql], SCHEMA, dialect="postgres").proved
    assert not prove(HIDDEN[sql], sql, SCHEMA, dialect="postgres").proved


def test_the_reason_names_what_is_not_read() -> None:
    sql = "SELECT id FROM t WHERE a <=> b"
    other = "SELECT id FROM t WHERE a IS NOT DISTINCT FROM b"
    derivation = prove(sql, other, SCHEMA, dialect="postgres")
    assert isinstance(derivation, NotProved)
    assert derivation.message == "beyond the prover: the gold: PostgreSQL does not read '<=>'"
    assert prove(sql, sql.replace("id", "t.id"), SCHEMA, dialect="mysql").proved


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize(
    ("sql", "other"),
    [
        ("SELECT a FROM t GROUP BY +a", "SELECT a FROM t GROUP BY a"),
        ("SELECT +c FROM t", "SELECT c FROM t"),
        ("SELECT a AS z FROM t GROUP BY +z", "SELECT a FROM t GROUP BY a"),
    ],
)
def test_a_plus_without_a_left_operand_is_not_dropped(sql: str, other: str, dialect: str) -> None:
    assert not prove(sql, other, SCHEMA, dialect=dialect).proved
    assert not prove(other, sql, SCHEMA, dialect=dialect).proved


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
        hidden = dict.fromkeys(HIDDEN, ("postgres",))
        for texts, fails in ((FOREIGN, True), (hidden, True), (OWN, False)):
            for sql, dialects in texts.items():
                if dialect in dialects:
                    scratch.load({})
                    assert isinstance(scratch.run(sql), Failure) == fails, sql
        scratches.close()


@pytest.mark.slow
def test_the_words_that_a_server_reserves_are_known() -> None:
    words = dialect_of("mysql").reserved_words
    system = "WITH system AS (SELECT id FROM t) SELECT id FROM system"
    assert not prove(system, "SELECT id FROM t", SCHEMA, dialect="mysql").proved
    with server_of("mysql"):
        from mysql_parts import connect

        connection = connect()
        cursor = connection.cursor()

        def refuses(sql: str) -> bool:
            try:
                cursor.execute(sql)
                cursor.fetchall()
            except Exception as error:  # noqa: BLE001  # the driver is an extra
                return bool(error.args[0] == SYNTAX_ERROR)
            return False

        forms = (
            "SELECT 1 AS {}",
            "SELECT 1 FROM (SELECT 1) AS {}",
            "WITH {} AS (SELECT 1) SELECT 1",
        )
        assert [w for w in words if not any(refuses(form.format(w)) for form in forms)] == []
        usual = "date year name status type value count total user level month rank position"
        assert not any(word in words or refuses(forms[0].format(word)) for word in usual.split())
        connection.close()


def test_postgresql_before_16_wants_an_alias_for_a_derived_table() -> None:
    assert foreign("SELECT id FROM (SELECT id FROM t)", "postgres") is not None
    joined = "SELECT t.id FROM (t JOIN t u ON t.id = u.a)"
    assert foreign(joined, "postgres") is None
    assert foreign("SELECT id FROM (SELECT id FROM t)", "duckdb") is None
