"""A key whose values may be equal under the collation of its column makes no rows distinct."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import pytest

import sqlverdict as sv
from small_databases import database_of
from sqlverdict.execute.engine import ENGINES, Limits
from sqlverdict.parse.schemas.ddl import read_ddl
from sqlverdict.prove.proof import Proof
from sqlverdict.prove.prover import prove
from sqlverdict.records import Answer

PAIRS = [
    ("SELECT DISTINCT s FROM t WHERE s IS NOT NULL", "SELECT s FROM t WHERE s IS NOT NULL"),
    ("SELECT COUNT(DISTINCT s) FROM t", "SELECT COUNT(s) FROM t"),
    ("SELECT a.id FROM t AS a JOIN t AS b ON a.s = b.s", "SELECT id FROM t WHERE s IS NOT NULL"),
]
TABLES = {
    "duckdb": (
        ("CREATE TABLE t (id INTEGER PRIMARY KEY, s VARCHAR COLLATE NOCASE UNIQUE)",),
        ("CREATE TABLE t (id INTEGER, s VARCHAR COLLATE NOACCENT PRIMARY KEY)",),
        (
            "CREATE TABLE t (id INTEGER PRIMARY KEY, s VARCHAR COLLATE NOCASE)",
            "CREATE UNIQUE INDEX i ON t (s)",
        ),
    ),
    "postgres": (
        (
            "CREATE COLLATION folded"
            " (provider = icu, locale = 'und-u-ks-level2', deterministic = false)",
            "CREATE TABLE t (id INTEGER PRIMARY KEY, s TEXT COLLATE folded)",
            'CREATE UNIQUE INDEX i ON t (s COLLATE "C")',
        ),
    ),
}
CASES = [(engine, each) for engine, tables in TABLES.items() for each in tables]


@pytest.mark.slow
@pytest.mark.parametrize(("engine", "statements"), CASES)
def test_texts_that_differ_in_bytes_alone_may_be_in_it(
    engine: str, statements: tuple[str, ...], tmp_path: Path
) -> None:
    with database_of(engine, tmp_path, *statements) as db:
        for pair in PAIRS:
            assert not isinstance(sv.prove_pair(*pair, db=db), Proof), pair
    filled = tmp_path / "filled"
    filled.mkdir()
    rows = "INSERT INTO t VALUES (1, 'a'), (2, 'A'), (3, 'á')"
    with (
        database_of(engine, filled, *statements, rows) as db,
        closing(ENGINES.get(engine).open(db, Limits())) as session,
    ):
        for pair in PAIRS:
            ours, theirs = map(session.run, pair)
            assert isinstance(ours, Answer)
            assert isinstance(theirs, Answer)
            assert ours.rows != theirs.rows


def test_a_schema_file_is_read_alike() -> None:
    pytest.importorskip("duckdb", reason="duckdb is not installed: extra 'duckdb'")
    for collation, is_proved in ((" COLLATE NOCASE", False), (" COLLATE BINARY", True), ("", True)):
        ddl = f"CREATE TABLE t (id INTEGER PRIMARY KEY, s VARCHAR{collation} UNIQUE)"
        schema = read_ddl(ddl, "t")
        proofs = [prove(*pair, schema, dialect="duckdb") for pair in PAIRS[:2]]
        assert [isinstance(proof, Proof) for proof in proofs] == [is_proved] * 2, collation


@pytest.mark.slow
def test_an_index_with_the_columns_own_collation_is_a_key(tmp_path: Path) -> None:
    *collation, table, _ = TABLES["postgres"][0]
    with database_of("postgres", tmp_path, *collation, table, "CREATE UNIQUE INDEX ON t (s)") as db:
        assert isinstance(sv.prove_pair(*PAIRS[0], db=db), Proof)
