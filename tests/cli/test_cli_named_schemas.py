"""Queries that name a schema: the commands about two queries read them as a run does."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from click.testing import Result

from small_databases import database_of

Invoke = Callable[..., Result]
pytestmark = pytest.mark.slow
STATEMENTS = (
    "CREATE SCHEMA analytics",
    "CREATE TABLE analytics.orders (id INT PRIMARY KEY, amount INT)",
    "INSERT INTO analytics.orders VALUES (1, 60)",
)
GOLD = "SELECT count(*) FROM analytics.orders WHERE amount > 50"


@pytest.fixture(scope="module", params=["duckdb", "postgres"])
def db(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    folder = tmp_path_factory.mktemp("db")
    with database_of(request.param, folder, *STATEMENTS) as database:
        yield database


def test_refute_finds_a_witness(invoke: Invoke, db: str) -> None:
    result = invoke("refute", GOLD, GOLD.replace("50", "55"), "--db", db)
    assert result.exit_code == 0, result.output
    assert result.output.startswith("refuted")


def test_prove_finds_a_proof(invoke: Invoke, db: str) -> None:
    other = "SELECT count(id) FROM analytics.orders WHERE amount >= 51"
    result = invoke("prove", GOLD, other, "--db", db)
    assert result.exit_code == 0, result.output
    assert result.output.startswith("proved")


def test_two_tables_of_one_name_are_told_apart(invoke: Invoke, db: str) -> None:
    gold = f"{GOLD} AND id IN (SELECT o.id FROM orders AS o)"
    other = "WITH recent AS (SELECT id FROM orders) SELECT id FROM recent"
    result = invoke("pair", gold, other, "--db", db)
    (line,) = (each for each in result.output.splitlines() if each.startswith("tables"))
    assert "analytics.orders, orders" in line
    assert line.rstrip().endswith("orders")
    assert "recent" not in line
