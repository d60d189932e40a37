"""A column that a star leaves out, on MySQL and MariaDB."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

import sqlverdict as sv
from small_databases import database_of
from sqlverdict.prove.proof import Proof
from sqlverdict.refute.target.script import replay_script, write_script
from sqlverdict.refute.witness import NotRefuted, Witness

pytestmark = pytest.mark.slow
EQUAL = [
    ("SELECT * FROM t", "SELECT id FROM t"),
    ("SELECT a.* FROM t AS a", "SELECT id FROM t"),
    ("SELECT x.* FROM (SELECT * FROM t) AS x", "SELECT id FROM t"),
    ("SELECT id FROM t NATURAL JOIN u", "SELECT t.id FROM t JOIN u ON t.id = u.id"),
    ("SELECT x.k FROM (SELECT id, k FROM t) AS x", "SELECT k FROM t"),
]
DIFFERENT = [
    ("SELECT * FROM t", "SELECT id, k FROM t"),
    ("SELECT id FROM t NATURAL JOIN u", "SELECT t.id FROM t JOIN u USING (id, k)"),
    (
        "SELECT id FROM (SELECT id, k FROM t) AS x NATURAL JOIN u",
        "SELECT t.id FROM t JOIN u ON t.id = u.id",
    ),
]


@pytest.fixture(scope="module")
def db(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    statements = (
        "CREATE TABLE t (id INT PRIMARY KEY, k INT INVISIBLE)",
        "CREATE TABLE u (id INT PRIMARY KEY, k INT)",
    )
    with database_of("mysql", tmp_path_factory.mktemp("db"), *statements) as database:
        yield database


@pytest.mark.parametrize(("gold", "prediction"), EQUAL)
def test_a_star_and_a_natural_join_leave_it_out(gold: str, prediction: str, db: str) -> None:
    assert isinstance(sv.prove_pair(gold, prediction, db=db), Proof)
    assert isinstance(sv.refute_pair(gold, prediction, db=db), NotRefuted)


@pytest.mark.parametrize(("gold", "prediction"), DIFFERENT)
def test_a_query_that_names_it_is_another(
    gold: str, prediction: str, db: str, tmp_path: Path
) -> None:
    assert not isinstance(sv.prove_pair(gold, prediction, db=db), Proof)
    witness = sv.refute_pair(gold, prediction, db=db)
    assert isinstance(witness, Witness)
    assert replay_script(write_script(witness, tmp_path, "one"), near=db).differ
