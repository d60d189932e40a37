"""Queries of every shape on rows that are written into them, beside the same rows in tables."""

from __future__ import annotations

from contextlib import closing
from urllib.parse import urlsplit

import pytest
from test_execute_rows import PATIENT, database, same

from sqlverdict.execute.engine import ENGINES, ScratchEngine
from sqlverdict.records import Failure, Row

pytestmark = pytest.mark.slow  # servers

POSTGRES = (
    "SELECT t FROM t ORDER BY id",
    "SELECT row_to_json(t) FROM t ORDER BY id",
    "SELECT count(DISTINCT t) FROM t",
    "SELECT to_jsonb(t) FROM t ORDER BY t.id",
    "SELECT t.x, t.*::text FROM t ORDER BY id",
    "SELECT (t).x FROM t ORDER BY id",
    "SELECT e.t FROM (SELECT t FROM t) AS e",
    "SELECT (e.q).x FROM (SELECT t AS q FROM t) AS e",
    "SELECT * FROM ONLY t ORDER BY id",
    'SELECT * FROM "My Tab" ORDER BY 1',
    'SELECT "SELECT" FROM "My Tab" ORDER BY 1',
    "TABLE t",
    "SELECT * FROM v ORDER BY id",
    "SELECT * FROM w ORDER BY a",
    "SELECT id, x, n FROM t GROUP BY id ORDER BY id",
    "SELECT t.id, x FROM t JOIN u USING (x) GROUP BY t.id ORDER BY 1",
    "SELECT pg_typeof(x), pg_typeof(d), pg_typeof(j), pg_typeof(g) FROM t",
    "SELECT pg_collation_for(x) FROM t",
    "SELECT g, n FROM t ORDER BY id",
    "SELECT j->'a'->0 FROM t ORDER BY id",
    "SELECT x FROM public.t ORDER BY 1",
    "SELECT public.t.x FROM public.t ORDER BY 1",
    "WITH RECURSIVE t(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM t WHERE n < 3) SELECT * FROM t",
    "WITH RECURSIVE r(n) AS (SELECT min(id) FROM t UNION ALL SELECT n + 1 FROM r WHERE n < 3) SEARCH DEPTH FIRST BY n SET o SELECT n FROM r",
    "WITH a AS MATERIALIZED (SELECT * FROM t), u AS NOT MATERIALIZED (SELECT * FROM u) SELECT count(*) FROM a, u",
    "SELECT id FROM t ORDER BY id FETCH FIRST ROW ONLY",
    "SELECT DISTINCT ON (d) id, x FROM t ORDER BY d",
    "SELECT array_agg(x ORDER BY id) FROM t",
    "SELECT string_agg(x, ',' ORDER BY x) FROM t",
    "SELECT count(*) FILTER (WHERE n > 1) FROM t",
    "SELECT id, x, sum(n) OVER () FROM t ORDER BY id",
    "SELECT x FROM t GROUP BY GROUPING SETS ((x), ()) ORDER BY 1",
    "SELECT * FROM t, LATERAL (SELECT u.x AS y FROM u WHERE u.t_id = t.id) AS l",
    "SELECT * FROM unnest(ARRAY(SELECT id FROM t ORDER BY id)) AS q(a)",
    "SELECT EXISTS (SELECT FROM u WHERE t_id = 1)",
    "SELECT id FROM t WHERE (id, x) = ANY (SELECT t_id, u.x FROM u)",
    "SELECT 10 / n FROM t WHERE n <> 0",
    "SELECT CASE WHEN id = 1 THEN 1 ELSE 1 / (id - 1) END FROM t ORDER BY id",
    "SELECT x::int FROM t",
    "SELECT x FROM t UNION SELECT x FROM u EXCEPT SELECT 'a' ORDER BY 1",
    "VALUES (1), (2)",
    "SELECT id, x FROM t WHERE id IN (SELECT id FROM u GROUP BY u.id HAVING max(u.x) >= u.x) ORDER BY 1",
    "SELECT t.id, t.x, u.x FROM t FULL JOIN u ON u.t_id = t.id GROUP BY t.id, u.id ORDER BY 1, 3",
    "SELECT d.id, d.x FROM t AS d GROUP BY d.id, d.x, d.n ORDER BY d.n, d.id",
    "SELECT id AS x, x AS id FROM t GROUP BY id ORDER BY 1",
    "SELECT upper(x) AS k, id FROM t GROUP BY id ORDER BY k",
)
POSTGRES_REFUSALS = (
    "SELECT ctid FROM t",
    "SELECT t.xmin FROM t",
    "SELECT tableoid::regclass FROM t",
    "SELECT * FROM t TABLESAMPLE SYSTEM (100)",
    "SELECT id, x FROM t JOIN u USING (id, x) GROUP BY id ORDER BY 1",
    "WITH t AS (SELECT 5 AS id) SELECT id FROM public.t",
)
"""What only a table has, or an expression that hides one: refused, with rows or without."""
MYSQL = (
    "SELECT collation(x), charset(x), coercibility(x), collation(s), coercibility(s) FROM t",
    "SELECT id FROM t WHERE d IS NULL",
    "SELECT * FROM `My Tab` ORDER BY `a b`",
    "SELECT t.*, u.* FROM t NATURAL JOIN u",
    "SELECT T.id FROM T",
    "SELECT t.id FROM t AS T",
    "SELECT x FROM t HAVING x='a'",
    "SELECT id, x FROM t GROUP BY s ORDER BY id",
    "SELECT group_concat(x ORDER BY id) FROM t",
    "SELECT x FROM t WHERE x = s",
    "SELECT id FROM t PROCEDURE ANALYSE()",
    "SELECT VALUES(x) FROM t",
    "SELECT id FROM t WHERE MATCH (x) AGAINST ('a')",
    "SELECT a.id FROM t a STRAIGHT_JOIN u b ON a.id=b.t_id",
    "SELECT id, ifnull(n, x) FROM t ORDER BY id",
    "SELECT concat(n,x) c, length(c) FROM t",
    "SELECT sum(n)/count(*) FROM t",
    "SELECT n DIV 2, n % 2, n/2 FROM t ORDER BY id",
    "SELECT weight_string(x) FROM t ORDER BY id",
    "SELECT json_object('a',x,'b',n) FROM t ORDER BY id",
    "SELECT json_arrayagg(x) FROM t",
    "SELECT bit_or(n) FROM t",
    "SELECT id FROM t LIMIT 1,1",
    "SELECT count(*) FROM t, u",
    "SELECT * FROM (t, u) ORDER BY t.id, u.id",
    "SELECT t.id FROM t LEFT JOIN (u CROSS JOIN t AS z) ON u.t_id = t.id ORDER BY 1",
    "SELECT max(d), min(d) FROM t",
    "SELECT date_format(d,'%M') FROM t ORDER BY id",
    "SELECT d + 0, d + interval 1 day FROM t ORDER BY id",
    "SELECT id IN (SELECT t_id FROM u) FROM t ORDER BY id",
    "SELECT id FROM t WHERE id NOT IN (SELECT t_id FROM u) ORDER BY id",
    "SELECT * FROM t WHERE (id, x) IN (SELECT t_id, x FROM u)",
    "SELECT t.id, (SELECT u.x FROM u WHERE u.t_id = t.id LIMIT 1) FROM t ORDER BY 1",
    "WITH a AS (SELECT * FROM t), b AS (SELECT * FROM a JOIN a AS c USING (id)) SELECT count(*) FROM b, a",
    "SELECT id, lag(x) OVER (ORDER BY id), sum(n) OVER (PARTITION BY d) FROM t ORDER BY id",
    "SELECT x, count(*) FROM t GROUP BY x WITH ROLLUP",
    "SELECT 1 FROM dual",
    "VALUES (1),(2)",
    "TABLE t",
    "SELECT * FROM t EXCEPT SELECT * FROM t",
    "(SELECT id FROM t) UNION (WITH w AS (SELECT id FROM u) SELECT id FROM w) ORDER BY 1",
    "SELECT id FROM {name}.t ORDER BY id",
    "SELECT {name}.t.id FROM {name}.t, u ORDER BY 1",
    "SELECT t.id FROM {name}.t JOIN `{name}`.`u` ON u.id = t.id ORDER BY 1",
)
MYSQL_REFUSALS = (
    "SELECT DEFAULT(x) FROM t",
    "SELECT id FROM t USE INDEX (PRIMARY)",
    "SELECT id FROM t FORCE INDEX (PRIMARY) ORDER BY id",
    "WITH t AS (SELECT 5 AS id) SELECT id FROM {name}.t",
)

POSTGRES_TABLES = (
    "CREATE TABLE t (id int PRIMARY KEY, x varchar(10) NOT NULL DEFAULT 'q', d date NOT NULL, "
    "n int, j jsonb, g int GENERATED ALWAYS AS (n * 2) STORED)",
    "CREATE TABLE u (id int PRIMARY KEY, x text, t_id int REFERENCES t)",
    'CREATE TABLE "My Tab" ("a b" int, "SELECT" text)',
    "CREATE VIEW v AS SELECT t.id, t.x, count(u.id) AS c FROM t LEFT JOIN u ON u.t_id = t.id "
    "GROUP BY t.id",
    "CREATE VIEW w(a) AS WITH t AS (SELECT id FROM v) SELECT id + 1 FROM t",
    """INSERT INTO t VALUES (1, 'a', '2020-01-01', 3, '{"a": [1]}')""",
    "INSERT INTO t VALUES (2, 'B', '2020-02-01')",
    "INSERT INTO u VALUES (1, 'a', 1), (2, 'b', NULL)",
    """INSERT INTO "My Tab" VALUES (1, 'z'), (2, NULL)""",
)
POSTGRES_ROWS: dict[str, list[Row]] = {
    "t": [
        (1, "a", "2020-01-01", 3, '{"a": [1]}', None),
        (2, "B", "2020-02-01", None, None, None),
    ],
    "u": [(1, "a", 1), (2, "b", None)],
    "My Tab": [(1, "z"), (2, None)],
}
MYSQL_TABLES = (
    "CREATE TABLE t (id int PRIMARY KEY, x varchar(10) NOT NULL DEFAULT 'q', d date NOT NULL, "
    "n int, s varchar(5) CHARACTER SET latin1)",
    "CREATE TABLE u (id int PRIMARY KEY, x varchar(10), t_id int, KEY k (t_id))",
    "CREATE TABLE `My Tab` (`a b` int, `SELECT` text)",
    "INSERT INTO t VALUES (1, 'a', '2020-01-01', 3, 'x'), (2, 'B', '2020-02-01', NULL, 'X')",
    "INSERT INTO u VALUES (1, 'a', 1), (2, 'b', 9)",
    "INSERT INTO `My Tab` VALUES (1, 'z'), (2, NULL)",
)
MYSQL_ROWS: dict[str, list[Row]] = {
    "t": [(1, "a", "2020-01-01", 3, "x"), (2, "B", "2020-02-01", None, "X")],
    "u": [(1, "a", 1), (2, "b", 9)],
    "My Tab": [(1, "z"), (2, None)],
}


@pytest.mark.parametrize(
    ("engine", "tables", "rows", "queries", "refusals"),
    [
        ("postgres", POSTGRES_TABLES, POSTGRES_ROWS, POSTGRES, POSTGRES_REFUSALS),
        ("mysql", MYSQL_TABLES, MYSQL_ROWS, MYSQL, MYSQL_REFUSALS),
    ],
)
def test_every_shape_answers_as_on_tables(
    engine: str,
    tables: tuple[str, ...],
    rows: dict[str, list[Row]],
    queries: tuple[str, ...],
    refusals: tuple[str, ...],
) -> None:
    member = ENGINES.get(engine)
    assert isinstance(member, ScratchEngine)
    with database(engine, *tables) as url:
        name = urlsplit(url).path.removeprefix("/")
        with (
            closing(member.scratch(member.schema(url), PATIENT, url)) as scratch,
            closing(member.open(url, PATIENT)) as real,
        ):
            for content in ({}, rows):
                assert scratch.load(content)
                for sql in refusals:
                    assert isinstance(scratch.run(sql.replace("{name}", name)), Failure), sql
            for sql in queries:
                text = sql.replace("{name}", name)
                expected, answer = real.run(text), scratch.run(text)
                assert same(expected, answer), (sql, expected, answer)
