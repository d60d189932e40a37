"""GROUP BY over a primary key gets the columns that depend on it, and no others."""

from __future__ import annotations

import pytest

from sqlverdict.parse.schema import Column, Table

pytest.importorskip("postgast", reason="PostgreSQL's parser is not installed: extra 'postgres'")

from sqlverdict.execute.engines.postgres.grouping import with_dependent_columns
from sqlverdict.execute.engines.postgres.sandbox import canonical

EMP = Table(
    "emp",
    (Column("id", "int"), Column("name", "text"), Column("dep", "int"), Column("doc", "json")),
    primary_key=("id",),
)
DEP = Table("dep", (Column("id", "int"), Column("title", "text")), primary_key=("id",))
PAIR = Table(
    "pair", (Column("a", "int"), Column("b", "int"), Column("c", "int")), primary_key=("a", "b")
)
LOG = Table("log", (Column("id", "int"), Column("note", "text")))
TABLES = {table.name: table for table in (EMP, DEP, PAIR, LOG)}


@pytest.mark.parametrize(
    ("sql", "group"),
    [
        ("SELECT id, name FROM emp GROUP BY id", '"emp"."name", id'),
        ("SELECT e.name FROM emp AS e GROUP BY e.id", '"e"."name", e.id'),
        ("SELECT name, dep FROM emp GROUP BY 1, id", '1, "emp"."dep", id'),
        ("SELECT id, name FROM emp GROUP BY 1", '"emp"."name", 1'),
        ("SELECT id AS k, name FROM emp GROUP BY k", '"emp"."name", k'),
        (
            "SELECT e.name, d.title FROM emp AS e JOIN dep AS d ON d.id = e.dep GROUP BY e.id, d.id",
            '"e"."name", "e"."dep", e.id, "d"."title", d.id',
        ),
        (
            "SELECT e.name FROM emp AS e JOIN dep AS d USING (id) GROUP BY e.id",
            '"e"."name", "e"."dep", e.id',
        ),
        ("SELECT c FROM pair GROUP BY a, b", '"pair"."c", a, b'),
        ("SELECT max(name) FROM emp GROUP BY 'é', id", '\'é\', "emp"."name", id'),
    ],
)
def test_columns_that_depend_on_the_key_are_added(sql: str, group: str) -> None:
    text = canonical(sql)
    assert isinstance(text, str)
    assert with_dependent_columns(text, TABLES).rpartition("GROUP BY ")[2] == group


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT dep, name FROM emp GROUP BY dep",
        "SELECT c FROM pair GROUP BY a",
        "SELECT id, note FROM log GROUP BY id",
        "SELECT id, doc FROM emp GROUP BY id",
        "SELECT id, name FROM emp GROUP BY ROLLUP (id)",
        "SELECT id, name FROM emp GROUP BY id + 0",
        "WITH emp AS (SELECT 1 AS id, 2 AS name) SELECT id, name FROM emp GROUP BY id",
        "SELECT id, title FROM emp JOIN dep USING (id) GROUP BY id",
        "SELECT id, title FROM emp NATURAL JOIN dep GROUP BY id",
        "SELECT x, y FROM emp AS e (x, y, z, d) GROUP BY x",
        "SELECT j.id, j.name FROM (emp JOIN log ON true) AS j GROUP BY j.id",
        "SELECT s.id, s.name FROM (SELECT * FROM emp) AS s GROUP BY s.id",
        "SELECT e.id, k AS id, name FROM emp AS e, (SELECT 1 AS k) AS o GROUP BY k",
        "SELECT emp.* FROM emp GROUP BY emp.*",
        "SELECT (SELECT e.name FROM log GROUP BY e.id) FROM emp AS e",
    ],
)
def test_a_group_by_that_is_not_sure_is_left_alone(sql: str) -> None:
    text = canonical(sql)
    assert isinstance(text, str), text
    assert with_dependent_columns(text, TABLES) == text
