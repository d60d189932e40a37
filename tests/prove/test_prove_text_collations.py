"""Texts of several collations in one query, on a database of which none compares bytes."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

import sqlverdict as sv
from servers import fresh_postgres, postgres_server
from small_databases import database_of
from sqlverdict.refute.witness import Witness

psycopg = pytest.importorskip("psycopg", reason="psycopg is not installed: extra 'postgres'")
pytestmark = pytest.mark.slow
STATEMENTS = (
    "CREATE COLLATION ci (provider = icu, locale = 'und-u-ks-level2', deterministic = false)",
    'CREATE TABLE t (id INT PRIMARY KEY, s TEXT, b TEXT COLLATE "C", c TEXT COLLATE ci)',
    'CREATE TABLE q (id INT PRIMARY KEY, s TEXT, b TEXT COLLATE "C")',
    "INSERT INTO t VALUES (1, 'B', 'B', 'B'), (2, 'a', 'a', 'a'), (3, 'b', 'C', 'b')",
    "INSERT INTO q VALUES (1, 'B', 'B'), (2, 'a', 'a')",
)


@pytest.fixture(scope="module")
def db() -> Iterator[str]:
    with postgres_server() as server, fresh_postgres(server) as url:
        name = f"{url.rpartition('/')[2]}_en"
        with psycopg.connect(url, autocommit=True) as connection:
            try:
                connection.execute(
                    f"CREATE DATABASE {name} TEMPLATE template0 ENCODING 'UTF8' LOCALE 'C'"
                    " LOCALE_PROVIDER icu ICU_LOCALE 'en-US'"
                )
            except psycopg.Error as error:
                pytest.skip(f"no database with a collation of ICU: {error}")
            try:
                own = f"{url.rpartition('/')[0]}/{name}"
                with psycopg.connect(own, autocommit=True) as inside:
                    for statement in STATEMENTS:
                        inside.execute(statement)
                yield own
            finally:
                connection.execute(f"DROP DATABASE {name} WITH (FORCE)")


@pytest.mark.parametrize(
    ("gold", "prediction"),
    [
        ("SELECT id FROM t WHERE s = b AND s > 'B'", "SELECT id FROM t WHERE s = b AND b > 'B'"),
        (
            "SELECT t.id FROM t JOIN q ON t.b = q.s WHERE t.b > 'B'",
            "SELECT t.id FROM t JOIN q ON t.b = q.s WHERE q.s > 'B'",
        ),
        (
            "SELECT id FROM t WHERE b < (SELECT MAX(s) FROM q)",
            "SELECT id FROM t WHERE EXISTS (SELECT 1 FROM q WHERE q.s > t.b)",
        ),
        (
            "SELECT x.z FROM (SELECT s AS z FROM t UNION ALL SELECT b FROM t) x WHERE x.z > 'a'",
            "SELECT s FROM t WHERE s > 'a' UNION ALL SELECT b FROM t WHERE b > 'a'",
        ),
    ],
)
def test_texts_of_two_collations_stand_for_no_others(db: str, gold: str, prediction: str) -> None:
    assert not sv.prove_pair(gold, prediction, db=db).proved


def test_the_answers_differ_where_equal_texts_have_two_orders(db: str) -> None:
    gold = "SELECT id FROM t WHERE s = b AND s > 'B'"
    prediction = "SELECT id FROM t WHERE s = b AND b > 'B'"
    assert isinstance(sv.refute_pair(gold, prediction, db=db), Witness)
    with psycopg.connect(db) as connection:
        answers = [connection.execute(sql).fetchall() for sql in (gold, prediction)]
    assert answers == [[], [(2,)]]


@pytest.mark.parametrize(
    ("gold", "prediction"),
    [
        ("SELECT id FROM t WHERE b > 'B' AND id > 1", "SELECT id FROM t WHERE 1 < id AND b > 'B'"),
        ("SELECT s, b FROM t WHERE id > 1", "SELECT s, b FROM t WHERE 1 < id"),
        (
            "SELECT t.id FROM t WHERE b >= (SELECT MAX(x.b) FROM t x)",
            "SELECT t.id FROM t WHERE b = (SELECT MAX(x.b) FROM t x)",
        ),
        (
            "SELECT t.id FROM t JOIN q ON t.b = q.b WHERE t.b > 'B' AND t.s = 'a'",
            "SELECT t.id FROM t JOIN q ON t.b = q.b WHERE q.b > 'B' AND t.s = 'a'",
        ),
    ],
)
def test_texts_of_one_collation_do(db: str, gold: str, prediction: str) -> None:
    assert sv.prove_pair(gold, prediction, db=db).proved


def test_a_collation_may_have_no_patterns(db: str) -> None:
    gold, prediction = "SELECT id FROM t WHERE c ~ '^a'", "SELECT id FROM t WHERE c LIKE 'a%'"
    with psycopg.connect(db) as connection, pytest.raises(psycopg.Error):
        connection.execute(gold)
    assert not sv.prove_pair(gold, prediction, db=db).proved
    either = "SELECT id FROM t WHERE c ~ '^a' OR NOT c ~ '^a' OR c IS NULL"
    assert not sv.prove_pair(either, "SELECT id FROM t", db=db).proved


def test_a_type_of_an_extension_may_have_functions_of_its_own(db: str) -> None:
    with psycopg.connect(db, autocommit=True) as connection:
        try:
            connection.execute("CREATE EXTENSION citext")
        except psycopg.Error as error:
            pytest.skip(f"no extension citext: {error}")
        connection.execute("CREATE TABLE x (id INT PRIMARY KEY, c CITEXT, s TEXT)")
        connection.execute("INSERT INTO x VALUES (1, 'A', 'A')")
        sides = ("STRPOS({}, 'a') > 0", "POSITION('a' IN {}) > 0")
        queries = [f"SELECT id FROM x WHERE {side}" for side in sides]
        answers = [connection.execute(each.format("c")).fetchall() for each in queries]
    assert answers == [[(1,)], []]
    assert not sv.prove_pair(*(each.format("c") for each in queries), db=db).proved
    assert sv.prove_pair(*(each.format("s") for each in queries), db=db).proved


def test_two_collations_of_mysql_make_an_error(tmp_path: Path) -> None:
    tables = (
        "CREATE TABLE t (id INT PRIMARY KEY, a VARCHAR(9) COLLATE utf8mb4_general_ci,"
        " b VARCHAR(9) COLLATE utf8mb4_unicode_ci, c VARCHAR(9) COLLATE utf8mb4_bin,"
        " d VARCHAR(9) CHARACTER SET latin1)"
    )
    with database_of("mysql", tmp_path, tables) as db:
        assert not sv.prove_pair(*_pair("a = b", "b = a"), db=db).proved
        assert not sv.prove_pair(
            *_pair("a = b", "b = a"), schema=sv.load_schema(db), engine="mysql"
        ).proved
        for other in ("c", "d"):
            assert sv.prove_pair(*_pair(f"a = {other}", f"{other} = a"), db=db).proved


def _pair(*conditions: str) -> list[str]:
    return [f"SELECT id FROM t WHERE {each}" for each in conditions]
