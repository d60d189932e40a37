"""The engine against the real DataFusion."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import sqlverdict as sv
from sqlverdict.execute.engine import ENGINES, Limits
from sqlverdict.prove.proof import NotProved
from sqlverdict.records import Failure, Reason
from sqlverdict.testing import check_engine
from sqlverdict.testing.engine_data import CELLS, NUMBERS


def make_database(folder: Path) -> Path:
    """The tables of the conformance suite."""
    database = folder / "suite"
    database.mkdir()
    kinds = (pa.int64(), pa.float64(), pa.string(), pa.string(), pa.binary())
    cells = [pa.array([cell], kind) for cell, kind in zip(CELLS, kinds, strict=True)]
    pq.write_table(pa.table(cells, names=list("iftnb")), database / "cells.parquet")
    numbers = pa.array(range(1, NUMBERS + 1), pa.int64())
    table = pa.table({"i": numbers, "t": ["x" * 100] * NUMBERS})
    pq.write_table(table, database / "numbers.parquet")
    return database


def test_it_keeps_what_every_engine_promises() -> None:
    check_engine("datafusion", make_database)


def test_a_pair_is_scored_and_nothing_is_proved_by_rules(tmp_path: Path) -> None:
    database = make_database(tmp_path)
    gold, other = "SELECT i FROM numbers WHERE i > 1999", "SELECT i FROM numbers WHERE 1999 < i"
    assert sv.check(gold, other, db=database).correct
    proof = sv.prove_pair(gold, other, db=database)
    assert isinstance(proof, NotProved)
    assert "no rule was checked on the engine datafusion" in proof.message
    assert sv.prove_pair(gold, gold, db=database).proved


def test_a_folder_of_databases_is_named_as_one_of_files(tmp_path: Path) -> None:
    gold, other = "SELECT i FROM numbers WHERE i > 1999", "SELECT i FROM numbers WHERE 1999 < i"
    cases = [{"id": 1, "db_id": "suite", "gold": gold, "prediction": other}]
    database = make_database(tmp_path)
    for names in ({"databases": tmp_path}, {"databases": database}, {"db": database}):
        assert sv.evaluate(cases, **names).estimate("ex").value == 1.0


def test_it_reads_the_schema(tmp_path: Path) -> None:
    schema = sv.load_schema(make_database(tmp_path))
    types = {table.name: [each.type for each in table.columns] for table in schema.tables}
    assert types["numbers"] == ["BIGINT", "TEXT"]


@pytest.mark.parametrize(
    "sql",
    [
        "COPY cells TO '/tmp/datafusion-loot.csv'",
        "CREATE EXTERNAL TABLE x STORED AS CSV LOCATION '/etc/passwd'",
        "SELECT * FROM '/etc/passwd'",
        "SELECT * FROM read_csv('/etc/passwd')",
        "SET datafusion.execution.batch_size = 1",
        "EXPLAIN ANALYZE SELECT * FROM cells",
    ],
)
def test_it_reads_nothing_but_its_tables(sql: str, tmp_path: Path) -> None:
    session = ENGINES.get("datafusion").open(make_database(tmp_path), Limits())
    try:
        outcome = session.run(sql)
        assert isinstance(outcome, Failure)
        assert outcome.reason is not Reason.DATABASE_UNAVAILABLE
    finally:
        session.close()
    assert not Path("/tmp/datafusion-loot.csv").exists()
