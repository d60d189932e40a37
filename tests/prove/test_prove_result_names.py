"""Columns of a result are found by the names that PostgreSQL gives them, and by no others."""

from __future__ import annotations

import pytest

from sqlverdict.parse.schemas.ddl import read_ddl
from sqlverdict.prove.proof import Proof
from sqlverdict.prove.prover import prove

pytest.importorskip("postgast")
TABLE = "CREATE TABLE t (id INTEGER PRIMARY KEY, v INTEGER NOT NULL, w INTEGER)"

NAMES = [
    ("case", "CASE WHEN COUNT(*) = 0 THEN NULL ELSE (SUM(v) / COUNT(*))::numeric END"),
    ("sum", "CASE WHEN COUNT(*) = 0 THEN NULL ELSE SUM(v)::text END"),
    ("text", "(MAX(v) + 1)::int::text"),
    ("max", "MAX(v)::int::text"),
    ("int4", "CASE WHEN MAX(v) > 1 THEN 1 ELSE 2 END::int"),
]


def _proves(name: str, value: str) -> bool:
    one = f'SELECT "{name}" FROM (SELECT {value} FROM t) AS d'
    other = f'SELECT "{name}" FROM (SELECT {value} AS "{name}" FROM t) AS d'
    return isinstance(prove(one, other, read_ddl(TABLE, "t"), dialect="postgres"), Proof)


@pytest.mark.parametrize(("name", "value"), NAMES)
def test_a_column_is_found_by_its_name(name: str, value: str) -> None:
    assert _proves(name, value)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        (name, value)
        for _, value in NAMES
        for name in ("numeric", "int4", "text", "case", "sum", "max")
        if (name, value) not in NAMES
    ],
)
def test_a_query_that_finds_no_column_is_in_no_proof(name: str, value: str) -> None:
    assert not _proves(name, value)
