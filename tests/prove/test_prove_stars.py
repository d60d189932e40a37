"""Stars: a resolved query has the columns that SQLite shows, repeated names and all.

Each query is resolved, written back as SQL and run beside the original, on the same rows.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing

import pytest
from sqlglot import parse_one

from sqlverdict.parse.query import parse
from sqlverdict.parse.schema import Schema
from sqlverdict.parse.schemas.ddl import read_ddl
from sqlverdict.prove.proof import NotProved
from sqlverdict.prove.prover import prove
from sqlverdict.prove.resolve.scope import Unsupported
from sqlverdict.prove.resolve.text import resolved_sql
from sqlverdict.prove.resolve.tree import resolve_tree
from sqlverdict.records import Query, Reason
from sqlverdict.refute.read.columns import Resolver

DDL = """
CREATE TABLE t (id INTEGER PRIMARY KEY, a INTEGER, c TEXT);
CREATE TABLE u (id INTEGER PRIMARY KEY, a INTEGER, d TEXT);
CREATE TABLE v (a INTEGER, e TEXT);
"""
DATA = """
INSERT INTO t VALUES (1, 1, 'x'), (2, 1, 'y'), (3, NULL, 'x');
INSERT INTO u VALUES (1, 1, 'p'), (2, 7, 'q'), (4, 1, NULL);
INSERT INTO v VALUES (1, 'm'), (2, 'n'), (1, 'o');
"""
TWICE = "(SELECT c AS z, a AS z FROM t)"
READ = [
    f"SELECT * FROM {TWICE}",
    f"SELECT * FROM (SELECT * FROM {TWICE})",
    f"SELECT d.* FROM {TWICE} AS d",
    f"SELECT z FROM {TWICE}",
    f"SELECT d.z, d.* FROM {TWICE} AS d JOIN u ON u.d = d.z OR u.id = 1",
    f"SELECT count(*) FROM {TWICE} AS d JOIN t ON t.c = d.z",
    "SELECT * FROM (SELECT a, a, count(*) FROM t GROUP BY a)",
    "SELECT * FROM (SELECT a, A, a + 1, a + 1 FROM t)",
    "SELECT * FROM (SELECT *, * FROM t)",
    "SELECT * FROM (SELECT * FROM t JOIN u ON t.id = u.id)",
    "SELECT * FROM (SELECT t.*, u.* FROM t JOIN u ON t.id = u.id) WHERE id > 0",
    "SELECT * FROM (SELECT t.*, u.* FROM t JOIN u ON t.id = u.id) AS d JOIN v ON v.a = d.a",
    "WITH w AS (SELECT c AS z, a AS z FROM t) SELECT * FROM w",
    f"WITH w(a, b) AS (SELECT * FROM {TWICE} LIMIT -1) SELECT b, a FROM w",
    "WITH w(a, a) AS (SELECT c, a FROM t) SELECT * FROM w",
    f"WITH w(p, q) AS (SELECT * FROM {TWICE}) SELECT x.p, y.q FROM w AS x JOIN w AS y ON x.p = y.p",
    "WITH w AS (SELECT * FROM t JOIN u ON t.id = u.id), x AS (SELECT * FROM w) SELECT * FROM x",
    "SELECT * FROM t JOIN u USING (id)",
    "SELECT *, id FROM t LEFT JOIN u USING (id, a)",
    "SELECT * FROM t NATURAL JOIN u",
    "SELECT * FROM t NATURAL LEFT JOIN v",
    "SELECT u.*, t.* FROM t JOIN u USING (id)",
    "SELECT * FROM t JOIN u USING (a) JOIN v USING (a)",
    "SELECT * FROM t JOIN u USING (id), v",
    "SELECT * FROM t JOIN u USING (a), v",
    "SELECT * FROM v, t JOIN u USING (a)",
    "SELECT * FROM (SELECT * FROM t JOIN u USING (id, a)) NATURAL JOIN v",
    f"SELECT * FROM {TWICE} AS d JOIN (SELECT d AS z FROM u) AS e USING (z)",
    "SELECT * FROM (SELECT * FROM t UNION ALL SELECT * FROM u) AS d",
    f"SELECT * FROM {TWICE} UNION SELECT d, a FROM u",
    f"SELECT z, count(*) FROM {TWICE} GROUP BY z ORDER BY 1, 2",
    f"SELECT * FROM {TWICE} ORDER BY 2, 1",
    "SELECT (SELECT count(*) FROM (SELECT *, * FROM u) AS d WHERE d.a = t.a) FROM t",
    "SELECT id FROM t WHERE (SELECT count(*) FROM (SELECT * FROM u JOIN v ON u.a = v.a)) > 1",
]
NOT_RESOLVED = [
    # SQLite makes names up, or takes texts for names: what they mean is not certain.
    f"""SELECT "z:1" FROM {TWICE}""",
    "SELECT * FROM (SELECT a + 1 FROM t) NATURAL JOIN (SELECT a + 2 FROM t)",
    f"SELECT * FROM {TWICE} NATURAL JOIN t",
    "SELECT * FROM t RIGHT JOIN u USING (id)",
    "SELECT * FROM v RIGHT JOIN t ON v.a = t.id JOIN u USING (id)",
    'SELECT "rowid" FROM (SELECT a FROM t)',
]


@pytest.fixture(scope="module")
def schema() -> Schema:
    return read_ddl(DDL, "stars")


@pytest.fixture(scope="module")
def database() -> Iterator[sqlite3.Connection]:
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.executescript(DDL + DATA)
        yield connection


def resolved_text(sql: str, schema: Schema) -> str:
    query = parse(sql)
    assert isinstance(query, Query), query
    return resolved_sql(resolve_tree(query.tree, schema).tree)


@pytest.mark.parametrize("sql", READ)
def test_a_resolved_star_answers_as_the_star(
    sql: str, schema: Schema, database: sqlite3.Connection
) -> None:
    resolved = resolved_text(sql, schema)
    rows = sorted(map(repr, database.execute(sql).fetchall()))
    assert sorted(map(repr, database.execute(resolved).fetchall())) == rows, resolved


@pytest.mark.parametrize("sql", READ)
def test_a_star_may_be_proved_about_without_harm(sql: str, schema: Schema) -> None:
    proof = prove(sql, f"SELECT * FROM ({sql})", schema)
    assert proof.proved or proof.reason in (None, Reason.UNSUPPORTED_FEATURE), proof


@pytest.mark.parametrize("sql", NOT_RESOLVED)
def test_a_name_that_is_not_certain_is_refused(
    sql: str, schema: Schema, database: sqlite3.Connection
) -> None:
    database.execute(sql).fetchall()
    with pytest.raises(Unsupported):
        resolved_text(sql, schema)


def test_a_repeated_column_counts() -> None:
    """Two columns and three are not the same answer."""
    schema = read_ddl("CREATE TABLE Documents (id INTEGER PRIMARY KEY, template_id INTEGER);", "d")
    proof = prove(
        "SELECT template_id, count(*) FROM Documents GROUP BY template_id",
        "SELECT * FROM (SELECT template_id, template_id, count(*) FROM Documents"
        " GROUP BY template_id)",
        schema,
    )
    assert isinstance(proof, NotProved)


@pytest.mark.parametrize("star", ["*", "a.*"])
def test_a_name_is_looked_for_once_in_queries_that_double(schema: Schema, star: str) -> None:
    """Depth 40: a search that doubles at each step would not end."""
    steps = ["w0 AS (SELECT * FROM t)"]
    steps += [
        f"w{n} AS (SELECT {star} FROM w{n - 1} AS a JOIN w{n - 1} AS b ON a.id = b.id)"
        for n in range(1, 41)
    ]
    # Read by the parser itself: our own reader refuses texts that unfold so far.
    tree = parse_one(f"WITH {', '.join(steps)} SELECT w40.absent, w40.c FROM w40", read="sqlite")
    resolver = Resolver(tree, schema)
    places = [resolver.column(node) for node in tree.expressions]
    assert places[0] is None
    shallow = parse("WITH w AS (SELECT a.* FROM t AS a JOIN u AS b) SELECT w.c, w.d FROM w")
    assert isinstance(shallow, Query)
    resolver = Resolver(shallow.tree, schema)
    assert [resolver.column(node) for node in shallow.tree.expressions] == [("t", "c"), None]
