"""With a database at hand nothing is proved about a query that its engine does not run."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

import sqlverdict as sv
from small_databases import database_of
from sqlverdict.prove.proof import NotProved, Proof
from sqlverdict.records import Reason

TABLE = "CREATE TABLE t (id INTEGER PRIMARY KEY, a INTEGER, s VARCHAR(20), f DOUBLE PRECISION)"


@pytest.fixture(scope="module", params=["postgres", "duckdb", "mysql"])
def engine(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(scope="module")
def db(engine: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with database_of(engine, tmp_path_factory.mktemp("db"), TABLE) as database:
        yield database


FAIL = {
    "postgres": [
        ("SELECT COUNT(*) FROM t WHERE s + 1 = 2", "SELECT COUNT(id) FROM t WHERE s + 1 = 2"),
        ("SELECT SUBSTR(id, 1, 2) FROM t", "SELECT SUBSTR(r.id, 1, 2) FROM t AS r"),
        ("SELECT ROUND(f, 2) FROM t", "SELECT ROUND(r.f, 2) FROM t AS r"),
        ("SELECT a FROM t WHERE MAX(f) > 1", "SELECT a FROM t WHERE MAX(f) > 1"),
    ],
    "duckdb": [
        ("SELECT a FROM t JOIN t AS r USING (b)", "SELECT a FROM t JOIN t AS r USING (b)"),
        ("SELECT DATE_TRUNC('month', a) FROM t", "SELECT DATE_TRUNC('month', r.a) FROM t AS r"),
    ],
    "mysql": [("SELECT a FROM t WHERE MAX(f) > 1", "SELECT a FROM t WHERE MAX(f) > 1")],
}  # fmt: skip


def test_what_the_engine_refuses_is_not_proved(engine: str, db: str) -> None:
    for gold, prediction in FAIL[engine]:
        derivation = sv.prove_pair(gold, prediction, db=db)
        assert isinstance(derivation, NotProved), gold
        assert derivation.reason is not None, gold


@pytest.mark.parametrize(
    ("gold", "prediction"),
    [
        ("SELECT id AS x, a AS x FROM t ORDER BY a;", "SELECT id AS x, a AS x FROM t ORDER BY a -- x"),
        ("SELECT a FROM t UNION SELECT id FROM t", "SELECT id FROM t UNION SELECT a FROM t"),
        ("SELECT a FROM t ORDER BY id LIMIT 3", "SELECT r.a FROM t AS r ORDER BY r.id LIMIT 3"),
        ("WITH r AS (SELECT a FROM t) SELECT a FROM r", "SELECT a FROM t"),
    ],
)  # fmt: skip
def test_what_it_runs_is_proved_in_every_form(db: str, gold: str, prediction: str) -> None:
    assert isinstance(sv.prove_pair(gold, prediction, db=db), Proof)


def test_the_reason_names_the_query(tmp_path: Path) -> None:
    with database_of("duckdb", tmp_path, TABLE) as db:
        sql = "SELECT a FROM t JOIN t AS r USING (b)"
        derivation = sv.prove_pair(sql, sql, db=db)
    assert isinstance(derivation, NotProved)
    assert derivation.reason is Reason.EXECUTION_ERROR
    assert derivation.message.startswith("the gold does not run: ")
