"""A schema file that declares tables with their schemas: names, keys, and proofs over them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from error_parts import refuses_data
from sqlverdict.cli.main import sqlverdict
from sqlverdict.dialects import DIALECTS
from sqlverdict.errors import SchemaError
from sqlverdict.parse.schema import ForeignKey
from sqlverdict.parse.schemas.ddl import read_ddl
from sqlverdict.prove.prover import prove

TEXT = """
CREATE SCHEMA analytics;
CREATE TABLE public.emp (id INTEGER PRIMARY KEY, sal INTEGER);
CREATE TABLE IF NOT EXISTS analytics . orders (
    id INTEGER PRIMARY KEY, amount INTEGER DEFAULT 1.5, emp_id INTEGER REFERENCES public.emp (id)
);
CREATE TABLE "sales"."Orders" (
    id INTEGER PRIMARY KEY, order_id INTEGER NOT NULL REFERENCES analytics.orders (id),
    note TEXT DEFAULT 'analytics.orders'
);
CREATE UNIQUE INDEX amounts ON analytics.orders (amount);
ALTER TABLE analytics.orders ADD COLUMN note TEXT;
CREATE TABLE plain (id INTEGER);
"""


def test_tables_keep_their_paths() -> None:
    schema = read_ddl(TEXT, "shop")
    assert {table.name: table.paths for table in schema.tables} == {
        "emp": (("public", "emp"),),
        "analytics.orders": (("analytics", "orders"),),
        "sales.Orders": (("sales", "Orders"),),
        "plain": (),
    }
    orders, sales = schema.table("analytics.orders"), schema.table("sales.orders")
    assert orders is not None
    assert sales is not None
    assert orders.is_hidden
    assert orders.foreign_keys == (ForeignKey(("emp_id",), "emp", ("id",)),)
    assert orders.uniques == (("amount",),)
    assert [column.name for column in orders.columns] == ["id", "amount", "emp_id", "note"]
    assert sales.foreign_keys == (ForeignKey(("order_id",), "analytics.orders", ("id",)),)
    assert sales.columns[2].default == "'analytics.orders'"


def test_a_schema_that_is_looked_in_first_gives_way_to_a_plain_table() -> None:
    schema = read_ddl("CREATE TABLE t (a); CREATE TABLE public.t (b)", "x")
    assert {table.name: table.paths for table in schema.tables} == {
        "t": (),
        "public.t": (("public", "t"),),
    }


def test_a_table_called_schema_is_a_table() -> None:
    assert [table.name for table in read_ddl("CREATE TABLE schema (a)", "x").tables] == ["schema"]
    with refuses_data(SchemaError, "empty", "'x'"):
        read_ddl("CREATE SCHEMA analytics", "x")


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize(
    ("gold", "prediction", "equal"),
    [
        (
            "SELECT count(*) FROM analytics.orders WHERE amount > 50",
            "SELECT count(*) FROM analytics.orders AS o WHERE 50 < o.amount",
            True,
        ),
        (
            "SELECT count(*) FROM analytics.orders WHERE amount > 50",
            "SELECT count(*) FROM analytics.orders WHERE amount > 55",
            False,
        ),
        ("SELECT id FROM analytics.orders", "SELECT id FROM sales.Orders", False),
        ("SELECT sal FROM public.emp", "SELECT sal FROM emp", True),
        (
            "SELECT o.id FROM sales.Orders s JOIN analytics.orders o ON s.order_id = o.id",
            "SELECT order_id FROM sales.Orders",
            True,
        ),
        ("SELECT id FROM other.orders", "SELECT x.id FROM other.orders x", False),
    ],
)
def test_proofs_over_qualified_names(dialect: str, gold: str, prediction: str, equal: bool) -> None:
    text = TEXT.replace('"sales"."Orders"', "sales.orders")
    queries = [sql.replace("sales.Orders", "sales.orders") for sql in (gold, prediction)]
    derivation = prove(*queries, read_ddl(text, "shop"), dialect=dialect)
    assert derivation.proved == equal, derivation


def test_main_is_the_schema_of_a_sqlite_table() -> None:
    schema = read_ddl("CREATE TABLE main.t (id INTEGER PRIMARY KEY, a INTEGER)", "x")
    assert prove("SELECT a FROM main.t", "SELECT t.a FROM t", schema).proved


@pytest.mark.parametrize(("bound", "code"), [(50, 0), (55, 1)])
def test_the_command_reads_such_a_file(tmp_path: Path, bound: int, code: int) -> None:
    file = tmp_path / "shop.sql"
    file.write_text(TEXT)
    gold = "SELECT orders.id FROM analytics.orders WHERE amount > 50"
    prediction = f"SELECT o.id FROM analytics.orders o WHERE {bound} < o.amount"
    pair = [gold, prediction, "--schema", str(file)]
    proof = CliRunner().invoke(sqlverdict, ["prove", *pair])
    assert proof.exit_code == code, proof.output
    search = CliRunner().invoke(sqlverdict, ["refute", *pair, "--refute", "20", "--json"])
    assert (json.loads(search.output)["verdict"] == "refuted") == bool(code), search.output
