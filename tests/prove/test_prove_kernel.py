"""Near pairs: queries that look alike and answer differently must never be proved equal.

Each pair is run on a small database; where the answers differ, a proof is a bug. They are about
what a parser or a hasty kernel loses: casts, affinity, collations, formats of dates, how operators
bind, windows, output names, set operations, joins.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from sqlverdict.parse.schema import Schema
from sqlverdict.parse.schemas.ddl import read_ddl
from sqlverdict.prove.prover import prove

DDL = """
CREATE TABLE t (k INTEGER PRIMARY KEY, a INTEGER, b INTEGER, s TEXT, z TEXT, r REAL, n NUMERIC, u,
  d DATE, bl BLOB);
CREATE TABLE q (a INTEGER, s TEXT);
CREATE TABLE p (k INTEGER PRIMARY KEY, s TEXT);
CREATE TABLE "É" (a INTEGER);
CREATE TABLE "é" (a INTEGER);
CREATE TABLE "w.x" ("c.d" INTEGER, "e""f" INTEGER);
"""
DATA = """
INSERT INTO t VALUES (1, 5, 2, 'a', 'A', 2.5, 5, 5, '2020-01-01', x'78'),
  (2, 0, NULL, '1', '1.0', 0.0, 2.5, '5', '2020-02-01', NULL),
  (3, -3, 2, 'B_c', ' x ', -1.5, 7, 'B', NULL, x'31'),
  (4, NULL, 1, NULL, '10', NULL, NULL, NULL, '20200101', NULL),
  (5, 1, 1, 'a%', 'a%b', 1.0, 1, 1.0, '2020-01-01 10:00', x'61'),
  (6, 2, 7, 'é', 'É', 3.0, 3, x'35', 'x', x'');
INSERT INTO q VALUES (1, 'a'), (1, 'b'), (NULL, 'a'), (5, NULL);
INSERT INTO p VALUES (1, 'a'), (2, NULL);
INSERT INTO "É" VALUES (1);
INSERT INTO "é" VALUES (2), (3);
INSERT INTO "w.x" VALUES (1, 2);
"""

NEAR = Path(__file__).with_name("near_pairs.tsv")


def pairs() -> Iterator[tuple[str, str]]:
    """The queries; an expression stands as a column, as a condition and as an order."""
    for line in NEAR.read_text("utf-8").splitlines():
        if line.startswith("#"):
            continue
        left, right = line.split("\t")
        if left.startswith(("SELECT ", "WITH ", "VALUES ")):
            yield left, right
            continue
        yield f"SELECT {left} FROM t", f"SELECT {right} FROM t"
        yield f"SELECT k FROM t WHERE {left}", f"SELECT k FROM t WHERE {right}"
        yield f"SELECT k FROM t ORDER BY {left}, k", f"SELECT k FROM t ORDER BY {right}, k"


@pytest.fixture(scope="module")
def schema() -> Schema:
    return read_ddl(DDL, "near")


def answers(connection: sqlite3.Connection, sql: str) -> list[str] | None:
    """The rows as text, in order where the query orders; ``None`` where it does not run."""
    try:
        rows = [repr(row) for row in connection.execute(sql)]
    except sqlite3.Error:
        return None
    return rows if " ORDER BY " in sql and " OVER " not in sql else sorted(rows)


@pytest.mark.slow
def test_near_pairs_are_not_proved(schema: Schema) -> None:
    apart, proved = 0, []
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.executescript(DDL + DATA)
        for left, right in pairs():
            ours, theirs = answers(connection, left), answers(connection, right)
            if ours is None or theirs is None or ours == theirs:
                continue
            apart += 1
            proof = prove(left, right, schema)
            if proof.proved:
                proved.append((left, right, proof))
    assert proved == []
    assert apart > 250
