"""The resolver of column names: aliases, queries inside and around, stars, WITH, cycles."""

from __future__ import annotations

import pytest
from sqlglot import exp
from sqlglot.expressions import Expr

from sqlverdict.parse.names import NameResolver
from sqlverdict.parse.query import parse
from sqlverdict.records import Query

COLUMNS = {"t": {"id", "a"}, "u": {"id", "b"}}


class Reader(NameResolver[str]):
    """Columns as ``table.column``."""

    def __init__(self) -> None:
        super().__init__()
        self.columns: dict[int, str | None] = {}

    def base_column(self, table: str, name: str) -> str | None:
        return f"{table}.{name}" if name in COLUMNS.get(table, ()) else None

    def column(self, node: Expr) -> str | None:
        if id(node) not in self.columns:
            self.columns[id(node)] = None
            self.columns[id(node)] = self.follow(node)
        return self.columns[id(node)]


def meaning(sql: str) -> str | None:
    """What the first output of a query means."""
    query = parse(sql)
    assert isinstance(query, Query)
    tree = query.tree
    while isinstance(tree, exp.SetOperation):
        tree = tree.this
    return Reader().column(tree.expressions[0].unalias())


@pytest.mark.parametrize(
    ("sql", "column"),
    [
        ("SELECT A FROM T", "t.a"),
        ("SELECT x.a FROM t AS x", "t.a"),
        ("SELECT b FROM t JOIN u ON t.id = u.id", "u.b"),
        ("SELECT id FROM t JOIN u USING (id)", "t.id"),
        ("SELECT u.id FROM t JOIN u USING (id)", "u.id"),
        ("SELECT b FROM (t JOIN u ON t.id = u.id)", "u.b"),
        ("SELECT c FROM (SELECT a AS c FROM t)", "t.a"),
        ("SELECT c FROM (SELECT (a) AS c FROM t)", "t.a"),
        ("SELECT c FROM (SELECT a + 1 AS c FROM t)", None),
        ("SELECT b FROM (SELECT * FROM t JOIN u ON t.id = u.id)", "u.b"),
        ("SELECT id FROM (SELECT u.* FROM t JOIN u ON t.id = u.id)", "u.id"),
        ("WITH w AS (SELECT a FROM t) SELECT a FROM w", "t.a"),
        ("WITH w AS (SELECT a FROM t) SELECT a FROM w UNION SELECT b FROM u", "t.a"),
        ("WITH u AS (SELECT a FROM t) SELECT b FROM u", None),
        ("WITH RECURSIVE w AS (SELECT x FROM w) SELECT x FROM w", None),
        ("SELECT a FROM (SELECT a FROM t UNION SELECT b FROM u)", "t.a"),
        ("SELECT missing FROM t", None),
        ("SELECT nobody.a FROM t", None),
    ],
)
def test_a_name_means_the_base_column_behind_it(sql: str, column: str | None) -> None:
    assert meaning(sql) == column


def test_a_name_that_no_source_has_is_one_of_the_query_around() -> None:
    query = parse("SELECT b FROM u WHERE EXISTS (SELECT 1 FROM t WHERE a = b AND u.id = t.id)")
    assert isinstance(query, Query)
    inner = query.tree.find(exp.Exists)
    assert inner is not None
    columns = {node.sql(): Reader().column(node) for node in inner.find_all(exp.Column)}
    assert columns == {"a": "t.a", "b": "u.b", "u.id": "u.id", "t.id": "t.id"}


def test_a_chain_of_queries_is_followed() -> None:
    sql = "SELECT a FROM t"
    for _ in range(12):
        sql = f"SELECT a FROM ({sql})"
    assert meaning(sql) == "t.a"
