"""A probability rests on labels of the engine that opened the case's database."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

import sqlverdict as sv
from sqlverdict.records import Case, Prediction

STATEMENTS = ("CREATE TABLE t (a INTEGER)", "INSERT INTO t VALUES (1)")


def test_a_case_on_another_engine_has_no_number_of_the_runs(tmp_path: Path) -> None:
    duckdb = pytest.importorskip("duckdb", reason="duckdb is not installed: extra 'duckdb'")
    files = [tmp_path / "t.sqlite", tmp_path / "t.duckdb"]
    for file, connect in zip(files, (sqlite3.connect, duckdb.connect), strict=True):
        with closing(connect(str(file))) as connection:
            for statement in STATEMENTS:
                connection.execute(statement)
            connection.commit()
    gold = "SELECT a FROM t"
    cases = [Case(file.suffix, "t", "?", (gold,), str(file)) for file in files]
    pairs = [(case, Prediction(case.id, gold)) for case in cases]
    options = sv.Options(metrics="verdict", workers=0, cache=None)
    run = sv.evaluate_pairs(pairs, out=tmp_path / "run", options=options)
    numbers = {result.id: result.p_right for result in run.results()}
    assert numbers[".sqlite"] is not None
    assert numbers[".duckdb"] is None
