"""Proofs about queries of DuckDB, PostgreSQL and MySQL: what is read, and what is refused."""

from __future__ import annotations

from dataclasses import replace

import pytest

from sqlverdict.dialects import dialect_of
from sqlverdict.execute.engine import ENGINES
from sqlverdict.execute.fact_queries import check_facts_by_queries
from sqlverdict.parse.facts import HasAffinity, facts_of
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


_READ_BY_ITS_PARSER = {
    ("duckdb", "age % 2 = 1"),
    ("duckdb", "id IN ((SELECT singer_id FROM song))"),
    ("duckdb", "age IS NULL = FALSE"),
    ("duckdb", "age + 1 BETWEEN 1 AND 2 AND name IN ('a') = TRUE"),
    ("postgres", "age % 2 = 1"),
    ("postgres", "age IS NULL = FALSE"),
    ("postgres", "age + 1 BETWEEN 1 AND 2 AND name IN ('a') = TRUE"),
    ("postgres", "id IN ((SELECT singer_id FROM song))"),
    ("mysql", "age % 2 = 1"),
    ("mysql", "CAST(name AS INTEGER) = 5"),
    ("mysql", "CAST(age AS DECIMAL(3, 1)) = 5"),
}
"""What the engine itself writes in common SQL for us (``execute/common_text.py``)."""


@pytest.mark.parametrize("dialect", OTHERS)
@pytest.mark.parametrize(
    "condition",
    [
        "age = '5'",
        "name = 5",
        "age = name",
        "name",
        "CAST(name AS INTEGER) = 5",
        "CAST(age AS DECIMAL(3, 1)) = 5",
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
    assert is_proved(one, other, dialect) is ((dialect, condition) in _READ_BY_ITS_PARSER)


@pytest.mark.parametrize("dialect", ["duckdb", "postgres", "mysql"])
def test_a_number_is_a_condition_where_the_engine_says_so(dialect: str) -> None:
    one, other = "SELECT name FROM singer WHERE age", "SELECT name FROM singer WHERE age <> 0"
    assert is_proved(one, other, dialect) is dialect_of(dialect).number_conditions


@pytest.mark.parametrize(
    ("dialect", "one", "other"),
    [
        (
            "postgres",
            "SELECT name FROM singer ORDER BY id FETCH FIRST 2 ROWS ONLY",
            "SELECT name FROM singer ORDER BY id LIMIT 2",
        ),
        (
            "postgres",
            "SELECT name FROM singer ORDER BY id OFFSET 1 ROW FETCH NEXT ROW ONLY",
            "SELECT name FROM singer ORDER BY id LIMIT 1 OFFSET 1",
        ),
        *(
            (dialect, f"SELECT id FROM singer WHERE {one}", f"SELECT id FROM singer WHERE {other}")
            for dialect in ("postgres", "duckdb")
            for one, other in (
                ("name ILIKE 'Ab%'", "LOWER(name) LIKE 'ab%'"),
                ("name NOT ILIKE 'a_'", "NOT LOWER(name) LIKE 'a_'"),
                ("age::BIGINT > 5", "CAST(age AS BIGINT) > 5"),
                ("age IS DISTINCT FROM 5", "age <> 5 OR age IS NULL"),
                ("age IS NOT DISTINCT FROM id", "age = id"),
                ("(age = 5) IS NULL", "age IS NULL"),
                ("NULLIF(age, 5) IS NULL", "CASE WHEN age = 5 THEN NULL ELSE age END IS NULL"),
            )
        ),
        (
            "postgres",
            "SELECT id FROM singer WHERE age = ANY (ARRAY[1, 2])",
            "SELECT id FROM singer WHERE age IN (2, 1)",
        ),
        (
            "mysql",
            "SELECT id FROM singer WHERE age <=> 5",
            "SELECT id FROM singer WHERE age = 5",
        ),
        (
            "mysql",
            "SELECT IFNULL(age, 0) FROM singer",
            "SELECT CASE WHEN age IS NULL THEN 0 ELSE age END FROM singer",
        ),
    ],
)
def test_other_words_for_the_same_are_read(dialect: str, one: str, other: str) -> None:
    assert is_proved(one, other, dialect)


@pytest.mark.parametrize("pattern", ["'I%'", "'\u00c9'", "'a\\%'", "name"])
def test_ilike_is_read_where_the_lower_case_is_certain(pattern: str) -> None:
    one = f"SELECT id FROM singer WHERE name ILIKE {pattern} AND id > 1"
    other = f"SELECT id FROM singer WHERE LOWER(name) LIKE {pattern.lower()} AND id > 1"
    assert not is_proved(one, other, "postgres")


def test_distinct_rows_that_show_a_key_are_not_folded() -> None:
    pair = ("SELECT DISTINCT id, name FROM singer", "SELECT id, name FROM singer")
    assert is_proved(*pair, "mysql", "varchar(20)")
    assert not is_proved("SELECT DISTINCT name FROM singer", pair[1], "mysql", "varchar(20)")


@pytest.mark.parametrize(
    ("dialect", "sql"),
    [
        ("duckdb", "SELECT age FROM singer USING SAMPLE 1"),
        ("duckdb", "SELECT x.a FROM singer AS x(a, b, c, d, e, f)"),
        ("duckdb", "SELECT singer FROM singer"),
        ("duckdb", "SELECT rowid FROM singer"),
        ("duckdb", "SELECT age FROM singer EXCEPT ALL SELECT singer_id FROM song"),
        (
            "duckdb",
            "SELECT id FROM singer AS t WHERE EXISTS"
            " (SELECT 1 FROM song AS t, (SELECT t.song_id AS c) AS d WHERE d.c = 1)",
        ),
        ("postgres", "SELECT age FROM singer INTERSECT ALL SELECT singer_id FROM song"),
        ("postgres", "SELECT DISTINCT ON (age + 1) name FROM singer"),
        ("postgres", "SELECT ctid FROM singer"),
        ("postgres", 'SELECT "Name" FROM singer'),
        ("postgres", "SELECT name FROM singer ORDER BY age FETCH FIRST 2 ROWS WITH TIES"),
        ("postgres", "SELECT name FROM ONLY singer"),
        ("mysql", "SELECT name FROM singer /*! LIMIT 1 */"),
        ("mysql", "SELECT 5--3 FROM singer"),
        ("mysql", "SELECT name FROM Singer"),
        ("mysql", "SELECT name, MAX(age) FROM singer"),
        ("mysql", "SELECT SQL_CALC_FOUND_ROWS name FROM singer"),
        ("mysql", "SELECT age * id % 2 FROM singer"),
        ("mysql", "SELECT RAND() FROM singer"),
        ("mysql", "SELECT name = 'a\\'b' FROM singer"),
    ],
)
def test_odd_constructs_are_refused(dialect: str, sql: str) -> None:
    proof = prove(sql, f"{sql}  ", replace(schema(dialect)), dialect=dialect)
    assert proof.proved, "the same text"
    # What is read is proved: a condition that is always true changes nothing.
    assert not is_proved(sql, f"SELECT * FROM ({sql}) AS q WHERE 2 > 1", dialect)


def test_equal_texts_that_may_differ_are_compared_in_mysql() -> None:
    one = "SELECT id FROM singer WHERE name = 'a' AND age > 2"
    assert is_proved(one, "SELECT id FROM singer WHERE age > 2 AND name = 'a'", "mysql", "text")


@pytest.mark.parametrize("text", ["citext", "bpchar", "text COLLATE public.nocase"])
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
    for divisor, proved in (("2", True), ("id", False), ("0", False)):
        one = f"SELECT name FROM singer WHERE id > 1 AND age / {divisor} > 2"
        other = f"SELECT name FROM singer WHERE age / {divisor} > 2 AND id > 1"
        assert is_proved(one, other, "postgres") is proved


def test_two_dialects_are_never_proved() -> None:
    tables = schema("duckdb")
    gold, prediction = parse("SELECT 1", "duckdb"), parse("SELECT 1", "postgres")
    proof = prove_on_data(gold, prediction, tables, ENGINES.get("duckdb"), None)
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
    assert verdict.reason == "rule_of_another_dialect"
    assert verdict.step is not None
    assert proof.steps[verdict.step].rule == "like_ignores_case"


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

    proof = prove_on_data(gold, prediction, schema(dialect), ENGINES.get(dialect), None, run=run)
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
    proof = prove_on_data(gold, prediction, schema("postgres"), ENGINES.get("postgres"), None)
    assert isinstance(proof, Proof)
    assert len(proof.unchecked) == 2
    late = Failure(Reason.EXECUTION_TIMEOUT, "too late")
    checks = check_facts_by_queries(
        facts_of(schema("postgres"), "postgres"),
        lambda _: late,
        "postgres",
        schema("postgres"),
        {"types"},
    )
    assert {check.state for check in checks} == {"unchecked", "holds"}


def test_types_that_an_engine_does_not_enforce_are_not_checked() -> None:
    types = [fact for fact in facts_of(schema("duckdb"), "duckdb") if isinstance(fact, HasAffinity)]
    for enforces, state in (({"types"}, "holds"), ({"keys"}, "unchecked")):
        checks = check_facts_by_queries(
            types, lambda _: Answer((), ()), "duckdb", schema("duckdb"), enforces
        )
        assert {check.state for check in checks} == {state}


def test_labels_of_types_are_not_trusted() -> None:
    tables = replace(schema("duckdb"), source="tables_json")
    pair = ("SELECT DISTINCT name FROM singer", "SELECT name FROM singer GROUP BY name")
    assert not prove(*pair, tables, dialect="duckdb").proved
