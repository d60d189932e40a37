"""Parsing: what a query holds, and failures as values with a place."""

from __future__ import annotations

import pickle
import subprocess
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sqlverdict.parse.grammar import sqlite_complaint
from sqlverdict.parse.measure import MAX_LENGTH
from sqlverdict.parse.query import parse
from sqlverdict.parse.tokens import word_set
from sqlverdict.records import ParseFailure, Query, Reason


def read(sql: str) -> Query:
    query = parse(sql)
    assert isinstance(query, Query), query
    return query


def failure(sql: str, dialect: str = "sqlite") -> ParseFailure:
    query = parse(sql, dialect)
    assert isinstance(query, ParseFailure), query
    return query


@pytest.mark.parametrize(
    ("sql", "tables", "columns"),
    [
        ("SELECT 1", (), ()),
        ("SELECT b, A, a FROM T JOIN s ON T.x = s.X", ("s", "T"), ("A", "b", "x")),
        ("SELECT a FROM t UNION SELECT a FROM T", ("t",), ("a",)),
        ("SELECT * FROM t WHERE a IN (SELECT b FROM u)", ("t", "u"), ("a", "b")),
        ("SELECT x.a FROM t AS x JOIN u USING (k)", ("t", "u"), ("a", "k")),
        ("WITH c AS (SELECT a FROM t) SELECT a FROM C", ("t",), ("a",)),
        ("WITH c AS (SELECT 1 AS a), d AS (SELECT a FROM c) SELECT a FROM d", (), ("a",)),
        ("WITH c AS (SELECT 1 AS a) SELECT a FROM main.c", ("c",), ("a",)),
        ("SELECT * FROM (WITH c AS (SELECT 1) SELECT * FROM c), c", ("c",), ()),
        ("SELECT value FROM json_each('[1]')", (), ("value",)),
        ('SELECT "a b", [c d], `e f` FROM "my table"', ("my table",), ("a b", "c d", "e f")),
        ("VALUES (1, 2)", (), ()),
        ("-- first\nSELECT /* a */ b FROM t; -- last", ("t",), ("b",)),
    ],
)
def test_tables_and_columns(sql: str, tables: tuple[str, ...], columns: tuple[str, ...]) -> None:
    query = read(sql)
    assert (query.tables, query.columns) == (tables, columns)
    assert (query.sql, query.dialect) == (sql, "sqlite")


def test_double_quoted_word_stays_a_column_since_only_a_schema_can_tell() -> None:
    assert read('SELECT a FROM t WHERE b = "x"').columns == ("a", "b", "x")


@pytest.mark.parametrize(
    ("sql", "reason"),
    [
        ("", Reason.NO_SQL_PRODUCED),
        (" \n; -- nothing", Reason.NO_SQL_PRODUCED),
        ("SELECT 1; SELECT 2", Reason.UNSUPPORTED_FEATURE),
        ("SELECT 1; DROP TABLE t", Reason.UNSUPPORTED_FEATURE),
        ("EXPLAIN SELECT 1", Reason.UNSUPPORTED_FEATURE),
        ("DROP TABLE t", Reason.WRITE_BLOCKED),
        ("/* x */ insert into t values (1)", Reason.WRITE_BLOCKED),
        ("UPDATE t SET a = 1", Reason.WRITE_BLOCKED),
        ("PRAGMA table_info(t)", Reason.WRITE_BLOCKED),
        ("ATTACH 'x' AS y", Reason.WRITE_BLOCKED),
        ("VACUUM INTO 'x'", Reason.WRITE_BLOCKED),
        ("WITH c AS (SELECT 1) DELETE FROM t", Reason.WRITE_BLOCKED),
        ("I would not answer; sorry", Reason.PARSE_ERROR),
        ("(" * 10_000, Reason.PARSE_ERROR),
        ("SELECT a FROM t WHERE a = '\ud800'", Reason.PARSE_ERROR),
        ("SELECT '" + "x" * MAX_LENGTH, Reason.BUDGET_EXHAUSTED),
    ],
)
def test_failures_have_a_reason(sql: str, reason: Reason) -> None:
    result = failure(sql)
    assert result.reason is reason
    assert result.message
    assert (result.line is None) == (reason is not Reason.PARSE_ERROR)


@pytest.mark.parametrize(
    ("sql", "line", "column"),
    [
        ("foo bar", 1, 1),
        ("  -- it\n  foo", 2, 3),
        ("SELECT a,, b FROM t", 1, 10),
        ("SELECT a\nFROM t\nWHERE a == = 1", 3, 12),
        ("SELECT a FROM t GROUP BY", 1, 25),
        ("SELECT a FROM t WHERE", 1, 22),
        ("SELECT a FROM t LIMIT 1 ORDER BY a", 1, 25),
        ("SELECT TOP 3 a FROM t", 1, 12),
        ("SELECT a::int FROM t", 1, 9),
        ("SELECT 'abc", 1, 8),
        ("SELECT a FROM t WHERE b = 'it's'", 1, 31),
        ("SELECT \x00", 1, 8),
        ("SELECT (1", 1, 10),
        ("SELECT 1)", 1, 9),
        ("SELECT FROM t", 1, 8),
        ("SELECT a b c FROM t", 1, 12),
        ("(SELECT 1) UNION (SELECT 2)", 1, 1),
        ("SELECT a FROM t WHERE b ILIKE 'x'", 1, 25),
    ],
)
def test_syntax_errors_have_a_place(sql: str, line: int, column: int) -> None:
    result = failure(sql)
    assert result.reason is Reason.PARSE_ERROR
    assert (result.line, result.column) == (line, column)
    assert f"line {line}, column {column}" in result.message
    assert ">>>" in result.message


def test_the_message_shows_the_place() -> None:
    long = "SELECT " + ", ".join(f"column_{n}" for n in range(50)) + " FORM t WHERE a = 1"
    message = failure(long).message
    assert ">>>t WHERE" in message
    assert len(message) < 250


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT " + "(" * 10_000 + "1" + ")" * 10_000,
        "SELECT " + "(" * 90 + "1" + ")" * 90,
        "SELECT " + "NOT " * 5_000 + "1",
        "SELECT " + "CASE WHEN 1 THEN " * 90 + "1" + " END" * 90,
        "SELECT " + " + ".join("1" * 5_000),
        "SELECT 1 FROM " + "(SELECT 1 FROM " * 60 + "t" + ")" * 60,
    ],
    ids=lambda sql: sql[7:17],
)
def test_deep_nesting_is_a_failure_and_no_crash(sql: str) -> None:
    query = parse(sql)
    if isinstance(query, ParseFailure):
        beyond = (Reason.UNSUPPORTED_FEATURE, Reason.PARSE_ERROR, Reason.BUDGET_EXHAUSTED)
        assert query.reason in beyond


def test_what_sqlite_accepts_is_never_called_a_syntax_error() -> None:
    for sql in ("SELECT ?1", "SELECT nosuch(1) FROM nowhere", "SELECT 1 IS NOT DISTINCT FROM 2"):
        query = parse(sql)
        assert isinstance(query, Query) or query.reason is Reason.UNSUPPORTED_FEATURE


def test_meaning_is_no_complaint_of_the_grammar() -> None:
    assert sqlite_complaint("SELECT sum(sum(a)), x FROM t UNION SELECT 1") is None
    assert sqlite_complaint("SELECT a FROM t WHERE ? AND :b") is None


def test_other_dialects() -> None:
    query = parse("SELECT a::int FROM t LIMIT 3", "postgres")
    assert isinstance(query, Query)
    assert failure("SELECT a FROM t WHERE", "postgres").reason is Reason.PARSE_ERROR
    assert failure("SELECT a FROM t WHERE", "postgres").line == 1
    assert failure("SELECT 1; SELECT 2", "mysql").reason is Reason.UNSUPPORTED_FEATURE
    assert failure("SELECT 'abc", "mysql").reason is Reason.PARSE_ERROR


@pytest.mark.parametrize(
    ("statement", "tail"),
    [
        ("PIVOT t ON a IN (1, 2) USING sum(b) GROUP BY c", "ORDER BY c DESC LIMIT 2"),
        ("pivot t on a using sum(b)", "LIMIT 3"),
        ("UNPIVOT t ON a, b INTO NAME k VALUE v", "order by k limit 1 -- the end"),
    ],
)
def test_rows_that_were_turned_may_be_ordered_and_cut(statement: str, tail: str) -> None:
    query = parse(f"{statement} {tail}", "duckdb")
    assert isinstance(query, Query)
    assert query.sql == f"FROM ({statement} ) {tail}"
    assert query.tree.args.get("limit") is not None
    assert isinstance(parse(f"{statement} {tail}", "postgres"), ParseFailure)


def test_the_same_text_is_parsed_once() -> None:
    assert parse("SELECT 42 AS answer") is parse("SELECT 42 AS answer")


def test_a_query_travels_between_processes() -> None:
    query = read("SELECT a FROM t WHERE b = 1")
    copy = pickle.loads(pickle.dumps(query))
    assert copy.tree == query.tree
    assert copy.features == query.features


WORDS = sorted(
    word_set(
        "SELECT FROM WHERE a b t ( ) , * 1 'x' \"y\" = < AND OR NOT IN BETWEEN LIKE CASE WHEN THEN "
        "END GROUP BY ORDER LIMIT UNION ALL JOIN LEFT ON AS WITH VALUES CAST EXISTS IS NULL count "
        "; -- \x00 :: [ ` { } @ # ? % || -> INTERVAL OVER PARTITION"
    )
)


@settings(max_examples=150, deadline=None)
@given(st.one_of(st.text(max_size=60), st.lists(st.sampled_from(WORDS), max_size=25).map(" ".join)))
def test_no_text_raises(text: str) -> None:
    assert isinstance(parse(text), Query | ParseFailure)
    assert isinstance(parse("SELECT " + text), Query | ParseFailure)


def test_tokens_and_failures_do_not_import_sqlglot() -> None:
    code = (
        "import sys, sqlverdict.parse.query as q, sqlverdict.parse.schemas.load, "
        "sqlverdict.parse.order, sqlverdict.parse.hardness, sqlverdict.parse.facts\n"
        "q.parse('DROP TABLE t')\n"
        "sys.exit('sqlglot' in sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
