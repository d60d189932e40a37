"""SQLite's TOTAL rounds each sum of integers beyond 2^53 on its way, and SUM none."""

from __future__ import annotations

import sqlite3
from contextlib import closing

import pytest

from sqlverdict.parse.schemas.ddl import read_ddl
from sqlverdict.prove.proof import Proof
from sqlverdict.prove.prover import prove

TABLE = "CREATE TABLE t (id INTEGER PRIMARY KEY, m INTEGER NOT NULL)"
SUM = "CAST(COALESCE(SUM(m), 0) AS REAL)"


@pytest.mark.parametrize(
    "query",
    [
        "SELECT CAST({} AS INTEGER) FROM t",
        "SELECT {} > 9007199254740994 FROM t",
        "SELECT x - 9007199254740994 FROM (SELECT {} AS x FROM t)",
    ],
)
def test_a_total_that_something_looks_at_is_no_sum(query: str) -> None:
    pair = query.format("TOTAL(m)"), query.format(SUM)
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.execute(TABLE)
        connection.execute("INSERT INTO t (m) VALUES (1), (1), (9007199254740993)")
        one, other = (connection.execute(text).fetchall() for text in pair)
    assert one != other
    assert not isinstance(prove(*pair, read_ddl(TABLE, "d")), Proof)


@pytest.mark.parametrize("value", ["m", "m > 3"])
def test_a_total_that_is_shown_is_a_sum(value: str) -> None:
    pair = f"SELECT TOTAL({value}) FROM t", f"SELECT {SUM} FROM t".replace("m)", f"{value})")
    assert isinstance(prove(*pair, read_ddl(TABLE, "d")), Proof)
