"""A macro of a DuckDB database stands before DuckDB's function of its name."""

from __future__ import annotations

from pathlib import Path

import pytest

import sqlverdict as sv
from small_databases import database_of
from sqlverdict.parse.schemas.ddl import read_ddl
from sqlverdict.prove.check import check_proof
from sqlverdict.prove.proof import Proof
from sqlverdict.prove.prover import prove
from sqlverdict.records import Reason
from sqlverdict.refute.witness import NotRefuted

TABLE = "CREATE TABLE t (id INTEGER PRIMARY KEY, s VARCHAR)"
PAIR = ("SELECT id FROM t WHERE LOWER(s) = 'a'", "SELECT id FROM t WHERE s IN ('a', 'A')")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("macro", "name"),
    [("lower(x) AS x || '!'", "lower"), ('"~~"(a, b) AS true', "~~"), ("count(x) AS 7", "count")],
)
def test_nothing_is_claimed_where_usual_names_mean_something_else(
    macro: str, name: str, tmp_path: Path
) -> None:
    proof = prove(*PAIR, read_ddl(TABLE, "t"), dialect="duckdb")
    assert isinstance(proof, Proof)
    with database_of("duckdb", tmp_path, TABLE, f"CREATE MACRO {macro}") as db:
        assert not check_proof(proof, sv.load_schema(db)).holds
        derivation = sv.prove_pair(*PAIR, db=db)
        assert not isinstance(derivation, Proof)
        assert name in derivation.message
        refutation = sv.refute_pair("SELECT id FROM t", "SELECT id FROM t WHERE id > 1", db=db)
        assert isinstance(refutation, NotRefuted)
        assert refutation.reason is Reason.UNSUPPORTED_FEATURE
        assert isinstance(sv.prove_pair(PAIR[0], PAIR[0], db=db), Proof)


@pytest.mark.slow
def test_a_macro_of_another_name_changes_nothing(tmp_path: Path) -> None:
    with database_of("duckdb", tmp_path, TABLE, "CREATE MACRO lower_twice(x) AS lower(x)") as db:
        assert isinstance(sv.prove_pair(*PAIR, db=db), Proof)
