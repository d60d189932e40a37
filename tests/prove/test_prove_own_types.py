"""Columns of days, identifiers, enums and the like: equal values are the same, so proofs hold."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import pytest
from engine_databases import DIALECTS, engine_of, scratch_of

import sqlverdict as sv
from small_databases import database_of
from sqlverdict.parse.schema import Schema
from sqlverdict.parse.schemas.ddl import read_ddl
from sqlverdict.prove.proof import Proof
from sqlverdict.prove.prover import prove
from sqlverdict.records import Answer

TYPES = {
    "postgres": {
        "date": ("'2024-01-01'", "'Jan 1, 2024'", "'infinity'", "'0001-01-01 BC'"),
        "timestamp": ("'2024-01-01'", "'2024-01-01 00:00:00.000'", "'infinity'"),
        "timestamp with time zone": ("'2024-01-01 00:00+00'", "'2024-01-01 02:00+02'"),
        "time": ("'04:05'", "'04:05:00.000'", "'24:00'", "'00:00'"),
        "boolean": ("'true'", "'false'"),
        "uuid": (
            "'A0EEBC99-9C0B-4EF8-BB6D-6BB9BD380A11'",
            "'{a0eebc999c0b4ef8bb6d6bb9bd380a11}'",
        ),
        "bytea": ("'\\x00'", "'\\000'", "'\\x0000'", "''"),
        "inet": ("'10.0.0.1'", "'10.0.0.1/32'", "'10.0.0.1/8'", "'::1'"),
        "cidr": ("'10.0.0.0/8'", "'10'", "'10.0/16'"),
        "macaddr": ("'08:00:2b:01:02:03'", "'08002B010203'"),
        "macaddr8": ("'08:00:2b:01:02:03:04:05'", "'08002b01:02030405'", "'08:00:2b:01:02:03'"),
        "oid": ("'1'", "'01'", "'4294967295'", "'-1'"),
        "pg_lsn": ("'16/B374D848'", "'00000016/B374D848'"),
        "xid8": ("'1'", "'01'"),
        "money": ("'1'", "'1.00'", "'$1.004'", "'-0'", "'0'"),
        "name": ("'a'", "'a '", "'A'"),
        "bit varying": ("'1'", "'10'", "'01'", "x'8'", "''"),
        "int4range": ("'[1,3)'", "'[1,2]'", "'(0,3)'", "'[1,1)'", "'empty'", "'(,3)'", "'[,2]'"),
        "int8range": ("'[1,3)'", "'[1,2]'", "'(,)'", "'empty'"),
        "daterange": ("'[2024-01-01,2024-01-03)'", "'[2024-01-01,2024-01-02]'", "'[,infinity)'"),
        "tsrange": (
            "'[2024-01-01,2024-01-02)'",
            "'[2024-01-01 00:00,2024-01-02)'",
            "'[,infinity]'",
        ),
        "tstzrange": ("'[2024-01-01 00:00+00,)'", "'[2024-01-01 01:00+01,infinity)'", "'(,)'"),
    },
    "duckdb": {
        "date": ("'2024-01-01'", "'2024-1-1'", "'infinity'"),
        "timestamp": ("'2024-01-01'", "'2024-01-01 00:00:00.000'", "'infinity'"),
        "timestamp with time zone": ("'2024-01-01 00:00+00'", "'2024-01-01 02:00+02'"),
        "time": ("'04:05:00'", "'04:05:00.000'", "'00:00:00'"),
        "boolean": ("'true'", "'t'", "'false'"),
        "uuid": (
            "'A0EEBC99-9C0B-4EF8-BB6D-6BB9BD380A11'",
            "'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'",
        ),
    },
    "mysql": {
        "date": ("'2024-01-01'", "'2024-1-1'", "20240101", "'1000-01-01'"),
        "datetime": ("'2024-01-01'", "'2024-01-01 00:00:00.4'", "20240101000000"),
        "time": ("'04:05'", "'04:05:00'", "'24:00:00'", "'-00:00:01'"),
    },
}
"""For each dialect, types of which equal values are the same, and texts that spell some of them."""
ONE_COLUMN = ("SELECT t.v FROM t JOIN u ON t.v = u.w", "SELECT u.w FROM t JOIN u ON t.v = u.w")
"""Equal where equal values are the same."""
EQUAL = [
    ("SELECT v, COUNT(*) FROM t GROUP BY v", "SELECT v, COUNT(k) FROM t GROUP BY v"),
    ("SELECT COUNT(*) FROM (SELECT DISTINCT v FROM t) AS d", "SELECT COUNT(DISTINCT v) FROM t"),
    ("SELECT t.k FROM t LEFT JOIN u ON t.v = u.w", "SELECT k FROM t"),
    ONE_COLUMN,
    ("SELECT v FROM t INTERSECT SELECT w FROM u", "SELECT DISTINCT v FROM t JOIN u ON v = w"),
]
SORTED_EQUAL = [
    (
        "SELECT k FROM t WHERE v IN (SELECT MAX(v) FROM t)",
        "SELECT k FROM t WHERE v = (SELECT MAX(v) FROM t)",
    ),
    (
        "SELECT k FROM t GROUP BY k HAVING COUNT(DISTINCT v) > 1",
        "SELECT k FROM t GROUP BY k HAVING MIN(v) < MAX(v)",
    ),
]
"""Of types that have a MAX of the same type: that of CIDR is an INET."""
WITHOUT_MAX = frozenset(
    {
        *("boolean", "uuid", "bytea", "macaddr", "macaddr8", "bit varying", "int4range", "int8range"),
        *("daterange", "tsrange", "tstzrange", "cidr"),
    }
)  # fmt: skip
SEVERAL_FORMS = {
    "postgres": ("interval", "jsonb", "numeric", "numrange", "text[]", "character"),
    "duckdb": ("interval", "json", "time with time zone", "varchar[]"),
    "mysql": (
        "timestamp",
        "json",
    ),
}
"""Types of which two equal values may differ, or of which that is not known."""


def tables(kind: str) -> Schema:
    key = f"v {kind} NOT NULL" if not kind.endswith("json") else f"v {kind}"
    return read_ddl(
        f"CREATE TABLE t (k INTEGER PRIMARY KEY, {key}); CREATE TABLE u (w {kind} PRIMARY KEY)", "t"
    )


def members(values: dict[str, dict[str, tuple[str, ...]]]) -> list[tuple[str, str]]:
    return [(dialect, kind) for dialect in DIALECTS for kind in values[dialect]]


@pytest.mark.parametrize(("dialect", "kind"), members(TYPES))
def test_pairs_over_a_type_with_one_form_are_proved(dialect: str, kind: str) -> None:
    engine_of(dialect)
    pairs = EQUAL if kind in WITHOUT_MAX else [*EQUAL, *SORTED_EQUAL]
    for gold, prediction in pairs:
        derivation = prove(gold, prediction, tables(kind), dialect=dialect)
        assert isinstance(derivation, Proof), (gold, derivation)


@pytest.mark.parametrize("dialect", DIALECTS)
def test_equal_values_of_such_a_type_have_one_text(dialect: str) -> None:
    one = read_ddl("CREATE TABLE t (k INTEGER)", "t")
    with scratch_of(dialect, one) as scratch:
        for kind, texts in TYPES[dialect].items():
            rows = " UNION ALL ".join(f"SELECT CAST({text} AS {kind}) AS v" for text in texts)
            query = (
                f"SELECT a.v, b.v FROM ({rows}) AS a, ({rows}) AS b WHERE a.v = b.v"
                f" AND CAST(a.v AS {'CHAR' if dialect == 'mysql' else 'TEXT'})"
                f" <> CAST(b.v AS {'CHAR' if dialect == 'mysql' else 'TEXT'})"
            )
            answer = scratch.run(query)
            assert isinstance(answer, Answer), (kind, answer)
            assert not answer.rows, kind


@pytest.mark.parametrize(
    ("dialect", "kind"), [(d, kind) for d in DIALECTS for kind in SEVERAL_FORMS[d]]
)
def test_a_type_whose_equal_values_may_differ_has_no_such_proof(dialect: str, kind: str) -> None:
    engine_of(dialect)
    gold, prediction = ONE_COLUMN
    derivation = prove(gold, prediction, tables(kind), dialect=dialect)
    assert not isinstance(derivation, Proof), derivation


ENUMS = (
    "CREATE TYPE mood AS ENUM ('sad', 'ok', 'happy')",
    "CREATE TABLE t (k INTEGER, e mood NOT NULL, f mood)",
    "INSERT INTO t VALUES (1, 'sad', 'ok'), (1, 'ok', 'happy'), (2, 'happy', 'sad')",
)
ENUM_PAIRS = [
    (
        "SELECT k FROM t WHERE (SELECT MAX(e) FROM t) > 'ok'",
        "SELECT k FROM t WHERE EXISTS (SELECT 1 FROM t AS b WHERE b.e > 'ok')",
    ),
    (
        "SELECT k FROM t GROUP BY k HAVING MAX(e) > 'ok'",
        "SELECT DISTINCT k FROM t WHERE e > 'ok'",
    ),
    (
        "SELECT k FROM t WHERE e BETWEEN 'happy' AND f",
        "SELECT k FROM t WHERE e >= 'happy' AND e <= f",
    ),
    ("SELECT MAX(COALESCE(e, 'ok')) FROM t", "SELECT MAX(e) FROM t"),
    ("SELECT MAX(CASE WHEN 1 = 1 THEN e ELSE 'ok' END) FROM t", "SELECT MAX(e) FROM t"),
]


@pytest.mark.parametrize(("gold", "other"), ENUM_PAIRS)
def test_in_duckdb_an_enum_has_another_order_beside_a_text(
    gold: str, other: str, tmp_path: Path
) -> None:
    with database_of("duckdb", tmp_path, *ENUMS) as db:
        with closing(pytest.importorskip("duckdb").connect(db, read_only=True)) as connection:
            answers = [sorted(connection.execute(query).fetchall()) for query in (gold, other)]
        assert answers[0] != answers[1]
        assert not isinstance(sv.prove_pair(gold, other, db=db), Proof)


@pytest.mark.parametrize(
    ("gold", "other"),
    [
        ("SELECT k FROM t WHERE e IN ('ok', 'sad')", "SELECT k FROM t WHERE e = 'ok' OR 'sad' = e"),
        (
            "SELECT CASE f WHEN 'ok' THEN 1 END FROM t",
            "SELECT CASE WHEN f = 'ok' THEN 1 END FROM t",
        ),
        ("SELECT MAX(NULLIF(f, 'ok')) FROM t", "SELECT MAX(f) FROM t WHERE f <> 'ok'"),
        (
            "SELECT k FROM t WHERE e >= (SELECT MAX(e) FROM t)",
            "SELECT k FROM t WHERE e = (SELECT MAX(e) FROM t)",
        ),
    ],
)
def test_an_enum_that_is_equal_to_a_text_is_read(gold: str, other: str, tmp_path: Path) -> None:
    with database_of("duckdb", tmp_path, *ENUMS) as db:
        assert isinstance(sv.prove_pair(gold, other, db=db), Proof)
