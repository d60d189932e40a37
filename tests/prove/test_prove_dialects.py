"""Proofs about queries of DuckDB, PostgreSQL and MySQL: what is read, and what is refused."""

from __future__ import annotations

from dataclasses import replace

import pytest

from sqlverdict.execute.fact_queries import check_facts_by_queries
from sqlverdict.parse.facts import facts_of
from sqlverdict.parse.query import parse
from sqlverdict.parse.schema import Column, ForeignKey, Schema, Table
from sqlverdict.prove.certificate import (
    certificate_from_json,
    certificate_to_json,
    check_certificate,
    make_certificate,
)
from sqlverdict.prove.check import InvalidProof, check_proof
from sqlverdict.prove.on_data import prove_on_data
from sqlverdict.prove.proof import NotProved, Proof
from sqlverdict.prove.prover import prove
from sqlverdict.records import Answer, Failure, Outcome, Reason

OTHERS = ("duckdb", "postgres", "mysql")
TEXT = {"duckdb": "VARCHAR", "postgres": "text", "mysql": "varchar(20) COLLATE utf8mb4_nopad_bin"}


def schema(dialect: str, text: str = "") -> Schema:
    """A parent and a child."""
    word = text or TEXT[dialect]
    singer = Table(
        "singer",
        (
            Column("id", "integer", not_null=True),
            Column("name", word),
            Column("age", "integer"),
            Column("pay", "double precision" if dialect == "postgres" else "double"),
            Column("born", "date"),
            Column("fee", "numeric(10,2)"),
        ),
        primary_key=("id",),
    )
    song = Table(
        "song",
        (Column("song_id", "integer", not_null=True), Column("singer_id", "integer")),
        primary_key=("song_id",),
        foreign_keys=(ForeignKey(("singer_id",), "singer", ("id",)),),
    )
    return Schema("music", (singer, song), "ddl")


def is_proved(one: str, other: str, dialect: str, text: str = "") -> bool:
    return prove(one, other, schema(dialect, text), dialect=dialect).proved


@pytest.mark.parametrize("dialect", OTHERS)
@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("SELECT name FROM singer", "SELECT T1.name FROM singer AS T1"),
        (
            "SELECT name FROM singer WHERE age BETWEEN 20 AND 30",
            "SELECT name FROM singer WHERE age <= 30 AND age >= 20",
        ),
        (
            "SELECT s.name FROM singer s JOIN song g ON s.id = g.singer_id WHERE g.song_id = 3",
            "SELECT s.name FROM song g JOIN singer s ON g.singer_id = s.id WHERE 3 = g.song_id",
        ),
        ("SELECT DISTINCT id FROM singer", "SELECT id FROM singer"),
        (
            "SELECT name FROM singer WHERE id IN (SELECT singer_id FROM song)",
            "SELECT name FROM singer WHERE EXISTS (SELECT 1 FROM song WHERE singer_id = id)",
        ),
        (
            "SELECT name FROM singer WHERE age = (SELECT MAX(age) FROM singer)",
            "WITH m AS (SELECT MAX(age) AS a FROM singer)"
            " SELECT name FROM singer WHERE age = (SELECT a FROM m)",
        ),
        (
            "SELECT name, COUNT(*) FROM singer GROUP BY name HAVING name = 'a'",
            "SELECT COUNT(*), name FROM singer WHERE name = 'a' GROUP BY 2",
        ),
    ],
)
def test_what_people_write_is_proved(one: str, other: str, dialect: str) -> None:
    proof = prove(one, other, schema(dialect), dialect=dialect)
    assert isinstance(proof, Proof), proof
    assert proof.dialect == dialect
    assert check_proof(proof, schema(dialect)).holds


@pytest.mark.parametrize("dialect", OTHERS)
@pytest.mark.parametrize(
    "condition",
    [
        "age = '5'",
        "name = 5",
        "age = name",
        "age",
        "CAST(age AS INTEGER) = 5",
        "age % 2 = 1",
        "name LIKE 'a%' ESCAPE '!'",
        "age = id = 1",
        "age IS NULL = FALSE",
        "age + 1 BETWEEN 1 AND 2 AND name IN ('a') = TRUE",
        "id IN ((SELECT singer_id FROM song))",
        "age = (SELECT song_id FROM song)",
        "born > age",
    ],
)
def test_what_engines_may_read_differently_is_refused(condition: str, dialect: str) -> None:
    one = f"SELECT name FROM singer WHERE {condition} AND id > 1"
    other = f"SELECT name FROM singer WHERE id > 1 AND {condition}"
    assert not is_proved(one, other, dialect)


@pytest.mark.parametrize(
    ("dialect", "sql"),
    [
        ("duckdb", "SELECT age FROM singer USING SAMPLE 1"),
        ("duckdb", "SELECT x.a FROM singer AS x(a, b, c, d, e, f)"),
        ("duckdb", "SELECT * EXCLUDE (id) FROM singer"),
        ("duckdb", "SELECT name, COUNT(*) FROM singer GROUP BY ALL"),
        ("duckdb", "SELECT singer FROM singer"),
        ("duckdb", "SELECT rowid FROM singer"),
        ("duckdb", "SELECT age / pay FROM singer"),
        ("duckdb", "SELECT age FROM singer EXCEPT ALL SELECT singer_id FROM song"),
        (
            "duckdb",
            "SELECT id FROM singer AS t WHERE EXISTS"
            " (SELECT 1 FROM song AS t, (SELECT t.song_id AS c) AS d WHERE d.c = 1)",
        ),
        ("postgres", "SELECT SUM(age) / 2 FROM singer"),
        ("postgres", "SELECT age FROM singer INTERSECT ALL SELECT singer_id FROM song"),
        ("postgres", "SELECT DISTINCT ON (age) name FROM singer"),
        ("postgres", "SELECT ctid FROM singer"),
        ("postgres", 'SELECT "Name" FROM singer'),
        ("postgres", "SELECT name FROM singer FETCH FIRST 2 ROWS ONLY"),
        ("postgres", "SELECT name FROM ONLY singer"),
        ("mysql", "SELECT name FROM singer /*! LIMIT 1 */"),
        ("mysql", "SELECT 5--3 FROM singer"),
        ("mysql", "SELECT name FROM Singer"),
        ("mysql", "SELECT name, MAX(age) FROM singer"),
        ("mysql", "SELECT s.name FROM singer s STRAIGHT_JOIN song g"),
        ("mysql", "SELECT name = 'a\\'b' FROM singer"),
    ],
)
def test_odd_constructs_are_refused(dialect: str, sql: str) -> None:
    proof = prove(sql, f"{sql}  ", replace(schema(dialect)), dialect=dialect)
    assert proof.proved, "the same text"
    other = sql.replace("SELECT ", "SELECT  ", 1)
    assert not is_proved(sql, other, dialect)


def test_equal_texts_that_may_differ_are_not_folded_in_mysql() -> None:
    pair = ("SELECT DISTINCT name FROM singer", "SELECT name FROM singer GROUP BY name")
    assert is_proved(*pair, "mysql")
    for collation in ("utf8mb4_general_ci", "utf8mb4_bin", "utf8mb4_uca1400_ai_ci"):
        assert not is_proved(*pair, "mysql", f"varchar(20) COLLATE {collation}")
    assert not is_proved(*pair, "mysql", "varchar(20)")


def test_equal_texts_that_may_differ_are_compared_in_mysql() -> None:
    one = "SELECT id FROM singer WHERE name = 'a' AND age > 2"
    assert is_proved(one, "SELECT id FROM singer WHERE age > 2 AND name = 'a'", "mysql", "text")


@pytest.mark.parametrize("text", ["citext", "character(5)", "text COLLATE public.nocase"])
def test_equal_texts_that_may_differ_are_not_folded_in_postgres(text: str) -> None:
    pair = ("SELECT DISTINCT name FROM singer", "SELECT name FROM singer GROUP BY name")
    assert is_proved(*pair, "postgres")
    assert not is_proved(*pair, "postgres", text)


def test_aliases_and_columns_of_one_name_are_refused() -> None:
    one = "SELECT age + 1 AS pay FROM singer GROUP BY pay"
    assert not is_proved(one, "SELECT s.age + 1 AS pay FROM singer s GROUP BY pay", "postgres")
    # Alone in ORDER BY an alias goes first everywhere.
    one = "SELECT age AS pay FROM singer ORDER BY pay"
    assert is_proved(one, "SELECT age FROM singer ORDER BY age", "postgres")


def test_nulls_come_where_the_dialect_puts_them() -> None:
    one = "SELECT name FROM singer ORDER BY age DESC"
    last = f"{one} NULLS LAST"
    assert is_proved(one, last, "duckdb")
    assert not is_proved(one, last, "postgres")
    assert is_proved(one, f"{one} NULLS FIRST", "postgres")


def test_a_division_in_postgres_needs_a_divisor_that_is_not_zero() -> None:
    swapped = ("SELECT age / {} FROM singer WHERE id > 1 AND age > 2",)
    for divisor, proved in (("2", True), ("id", False), ("0", False)):
        one = swapped[0].format(divisor)
        other = one.replace("id > 1 AND age > 2", "age > 2 AND id > 1")
        assert is_proved(one, other, "postgres") is proved


def test_two_dialects_are_never_proved() -> None:
    tables = schema("duckdb")
    gold, prediction = parse("SELECT 1", "duckdb"), parse("SELECT 1", "postgres")
    proof = prove_on_data(gold, prediction, tables, None)
    assert isinstance(proof, NotProved)
    assert proof.reason is Reason.UNSUPPORTED_FEATURE


@pytest.mark.parametrize("profile", ["sound", "etm_paper"])
def test_unknown_dialects_and_the_papers_rules_prove_nothing(profile: str) -> None:
    dialect = "snowflake" if profile == "sound" else "duckdb"
    one, other = "SELECT name FROM singer", "SELECT s.name FROM singer AS s"
    proof = prove(one, other, schema("duckdb"), profile=profile, dialect=dialect)
    assert isinstance(proof, NotProved)


def test_the_checker_rejects_a_rule_that_does_not_hold_in_the_dialect() -> None:
    one, other = (
        "SELECT id FROM singer WHERE name LIKE 'A'",
        "SELECT id FROM singer WHERE name LIKE 'a'",
    )
    proof = prove(one, other, schema("duckdb"))
    assert isinstance(proof, Proof)
    verdict = check_proof(replace(proof, dialect="duckdb"), schema("duckdb"))
    assert isinstance(verdict, InvalidProof)
    assert "like_ignores_case does not hold in duckdb" in verdict.why


def test_a_certificate_keeps_the_dialect() -> None:
    tables = schema("postgres")
    proof = prove(
        "SELECT DISTINCT id FROM singer", "SELECT id FROM singer", tables, dialect="postgres"
    )
    assert isinstance(proof, Proof)
    certificate = certificate_from_json(certificate_to_json(make_certificate(proof, tables)))
    assert certificate.proof.dialect == "postgres"
    assert check_certificate(certificate).holds


@pytest.mark.parametrize("dialect", OTHERS)
def test_facts_that_a_database_breaks_are_not_used(dialect: str) -> None:
    gold = parse("SELECT g.song_id FROM song g JOIN singer s ON g.singer_id = s.id", dialect)
    prediction = parse("SELECT song_id FROM song WHERE singer_id IS NOT NULL", dialect)
    dialects: list[str] = []

    def run(sql: str) -> Outcome:
        dialects.append(sql)
        orphan = "NOT EXISTS" in sql
        return Answer(("singer_id",), ((7,),) if orphan else ())

    proof = prove_on_data(gold, prediction, schema(dialect), None, run=run)
    assert isinstance(proof, NotProved)
    assert proof.reason is Reason.FACT_BROKEN
    assert proof.broken == (
        "song(singer_id) references singer(id): singer_id = 7 has no row in singer",
    )
    mark = "`" if dialect == "mysql" else '"'
    assert any(f"FROM {mark}song{mark} AS t" in sql for sql in dialects)


def test_facts_that_cannot_be_checked_are_named() -> None:
    gold = parse("SELECT DISTINCT id FROM singer", "postgres")
    prediction = parse("SELECT id FROM singer", "postgres")
    proof = prove_on_data(gold, prediction, schema("postgres"), None)
    assert isinstance(proof, Proof)
    assert len(proof.unchecked) == 2
    late = Failure(Reason.EXECUTION_TIMEOUT, "too late")
    checks = check_facts_by_queries(
        facts_of(schema("postgres"), "postgres"), lambda _: late, "postgres"
    )
    assert {check.state for check in checks} == {"unchecked", "holds"}


def test_labels_of_types_are_not_trusted() -> None:
    tables = replace(schema("duckdb"), source="tables_json")
    pair = ("SELECT DISTINCT name FROM singer", "SELECT name FROM singer GROUP BY name")
    assert not prove(*pair, tables, dialect="duckdb").proved
