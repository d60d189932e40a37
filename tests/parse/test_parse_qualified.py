"""Tables that a query names with their schema: one plain name for each, or a refusal."""

from __future__ import annotations

import pytest

from sqlverdict.parse.qualified import with_plain_names, with_real_names
from sqlverdict.parse.query import parse
from sqlverdict.parse.schema import Column, Schema, Table
from sqlverdict.parse.schemas.hidden import hidden_name, with_plain_views
from sqlverdict.records import ParseFailure, ParseResult, Query


def table(schema: str, name: str, *, hidden: bool = False, sql: str | None = None) -> Table:
    return Table(
        f"{schema}.{name}" if hidden else name,
        (Column("id"), Column("amount")),
        sql=sql,
        paths=((schema, name), ("shop", schema, name)),
    )


SHOP = Schema(
    "shop",
    (
        table("public", "emp"),
        table("public", "orders"),
        table("abroad", "orders", hidden=True),
        table("Odd", "Orders", hidden=True),
        table("sales", "sales", hidden=True),
    ),
    "catalogue",
)


def plain(sql: str, dialect: str = "postgres", schema: Schema = SHOP) -> str:
    result = with_plain_names(parse(sql, dialect), schema)
    assert isinstance(result, Query), result.message
    return result.sql


def refusal(sql: str, dialect: str = "postgres") -> str:
    result = with_plain_names(parse(sql, dialect), SHOP)
    assert isinstance(result, ParseFailure), result
    return result.message


@pytest.mark.parametrize(
    ("sql", "expected"),
    [
        ("SELECT id FROM emp WHERE emp.id > 1.5", "SELECT id FROM emp WHERE emp.id > 1.5"),
        ("SELECT id FROM public.emp", 'SELECT id FROM "emp"'),
        ("SELECT id FROM PUBLIC . Emp /* x */ e", 'SELECT id FROM "emp" /* x */ e'),
        ("SELECT id FROM shop.public.emp", 'SELECT id FROM "emp"'),
        ("SELECT id FROM abroad.orders", 'SELECT id FROM "abroad.orders" AS "orders"'),
        ("SELECT o.id FROM abroad.orders o", 'SELECT o.id FROM "abroad.orders" o'),
        ('SELECT id FROM "Odd"."Orders"', 'SELECT id FROM "Odd.Orders" AS "Orders"'),
        (
            "SELECT orders.id, abroad.orders.amount, abroad.orders.* FROM shop.abroad.orders",
            'SELECT orders.id, "orders".amount, "orders".* FROM "abroad.orders" AS "orders"',
        ),
        (
            "SELECT count(*) FROM abroad.orders WHERE id IN (SELECT id FROM sales.sales "
            "WHERE sales.sales.amount = abroad.orders.amount)",
            'SELECT count(*) FROM "abroad.orders" AS "orders" WHERE id IN (SELECT id FROM '
            '"sales.sales" AS "sales" WHERE "sales".amount = "orders".amount)',
        ),
        (
            "SELECT public.orders.id FROM orders JOIN abroad.orders ON public.orders.id = "
            "abroad.orders.id",
            'SELECT "orders".id FROM orders JOIN "abroad.orders" ON "orders".id = '
            '"abroad.orders".id',
        ),
        (
            "WITH x AS (SELECT id FROM abroad.orders) SELECT x.id FROM x",
            'WITH x AS (SELECT id FROM "abroad.orders" AS "orders") SELECT x.id FROM x',
        ),
        (
            "WITH orders AS (SELECT 1 AS id) SELECT orders.id FROM orders, abroad.orders AS o",
            'WITH orders AS (SELECT 1 AS id) SELECT orders.id FROM orders, "abroad.orders" AS o',
        ),
        (
            "WITH emp AS (SELECT id FROM emp) SELECT emp.id FROM emp, public.emp AS e",
            'WITH "emp_1" AS (SELECT id FROM emp) SELECT emp.id FROM "emp_1" AS "emp", "emp" AS e',
        ),
        (
            "WITH emp AS (SELECT id FROM emp), x AS (SELECT id FROM emp) SELECT emp.id FROM emp, x",
            'WITH "emp_1" AS (SELECT id FROM emp), x AS (SELECT id FROM "emp_1" AS "emp") '
            'SELECT emp.id FROM "emp_1" AS "emp", x',
        ),
        (
            "WITH RECURSIVE emp AS (SELECT 1 AS id UNION SELECT id FROM emp) SELECT id FROM emp",
            "WITH RECURSIVE emp AS (SELECT 1 AS id UNION SELECT id FROM emp) SELECT id FROM emp",
        ),
    ],
)
def test_each_table_stands_under_its_one_name(sql: str, expected: str) -> None:
    assert plain(sql) == expected


def test_names_in_quotes_of_another_dialect_stay_names() -> None:
    assert plain("SELECT `o`.id FROM `abroad`.`orders` AS `o`", "mysql") == (
        "SELECT `o`.id FROM `abroad.orders` AS `o`"
    )


def test_letter_case_counts_as_the_dialect_says() -> None:
    assert plain("SELECT id FROM ABROAD.ORDERS") == 'SELECT id FROM "abroad.orders" AS "orders"'
    assert "none of the tables" in refusal('SELECT id FROM "ABROAD".orders')
    assert '"abroad.orders"' in plain('SELECT id FROM "ABROAD"."Orders"', "duckdb")
    assert "none of the tables" in refusal("SELECT id FROM odd.orders")


@pytest.mark.parametrize(
    ("sql", "words"),
    [
        ("SELECT id FROM nowhere.orders", "nowhere.orders is none of the tables of shop"),
        ("SELECT id FROM other.public.emp", "other.public.emp is none of the tables of shop"),
        ("SELECT relname FROM pg_catalog.pg_class", "is none of the tables"),
        ('SELECT id FROM "abroad.orders"', "there is no table abroad.orders"),
        ("SELECT orders.id FROM orders, abroad.orders", "orders may mean several tables"),
        (
            "SELECT id FROM abroad.orders WHERE id IN (SELECT orders.id FROM public.orders WHERE "
            "abroad.orders.id = 1)",
            "orders means another table in a query inside",
        ),
        ("SELECT id FROM abroad.orders TABLESAMPLE SYSTEM (10)", "with more than an alias"),
    ],
)
def test_what_cannot_be_named_without_doubt_is_refused(sql: str, words: str) -> None:
    assert words in refusal(sql)


def test_the_field_of_a_value_is_no_schema() -> None:
    sql = "SELECT orders.amount.cents FROM abroad.orders"
    assert plain(sql, "duckdb") == ('SELECT orders.amount.cents FROM "abroad.orders" AS "orders"')


def test_a_schema_without_paths_changes_nothing() -> None:
    query: ParseResult = parse("SELECT id FROM main.emp", "sqlite")
    assert with_plain_names(query, Schema("s", (Table("emp", ()),), "sqlite")) is query


def test_a_failure_is_given_back() -> None:
    failure = parse("SELECT", "postgres")
    assert with_plain_names(failure, SHOP) is failure


def test_queries_of_ours_get_the_real_names_back() -> None:
    sql = """SELECT "id" FROM "abroad.orders" AS t, "emp" WHERE x = '"abroad.orders"'"""
    assert with_real_names(sql, SHOP) == (
        """SELECT "id" FROM "abroad"."orders" AS t, "emp" WHERE x = '"abroad.orders"'"""
    )


def test_views_read_tables_under_their_one_name() -> None:
    text = 'CREATE VIEW "abroad.big" AS SELECT orders.id FROM abroad.orders;'
    view = table("abroad", "big", hidden=True, sql=text)
    odd = table("abroad", "odd", hidden=True, sql="CREATE VIEW x AS SELECT 1 FROM nowhere.orders")
    schema = Schema("shop", (*SHOP.tables, view, odd), "catalogue")
    plain_views = with_plain_views(schema, "postgres", '"')
    assert plain_views.tables[-2].sql == (
        'CREATE VIEW "abroad.big" AS SELECT orders.id FROM "abroad.orders" AS "orders"'
    )
    assert plain_views.tables[-1] == odd


def test_a_long_name_is_cut_and_no_name_is_used_twice() -> None:
    first = hidden_name("s" * 40, "t" * 40, ())
    second = hidden_name("s" * 40, "t" * 40, (first,))
    assert first != second
    assert max(len(first), len(second)) <= 63
    assert hidden_name("a", "b", ("a.b",)) != "a.b"
