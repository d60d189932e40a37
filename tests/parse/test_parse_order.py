"""Ordering, and tie probes held against SQLite itself."""

from __future__ import annotations

import itertools
import json
import random
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from sqlverdict.parse.order import Ordering, TieProbe, ordering, tie_probe
from sqlverdict.parse.query import parse
from sqlverdict.records import ParseFailure, Query


def read(sql: str) -> Query:
    query = parse(sql)
    assert isinstance(query, Query), query
    return query


def probe(sql: str) -> TieProbe:
    result = tie_probe(read(sql))
    assert result is not None, sql
    return result


@pytest.mark.parametrize(
    ("sql", "expected"),
    [
        ("SELECT a FROM t", Ordering(False, False)),
        ("SELECT a FROM t ORDER BY a", Ordering(True, False)),
        ("SELECT a FROM t ORDER BY a LIMIT 3", Ordering(True, True, 3)),
        ("SELECT a FROM t LIMIT 3 OFFSET 2", Ordering(False, True, 3, 2)),
        ("SELECT a FROM t LIMIT 2, 3", Ordering(False, True, 3, 2)),
        ("SELECT a FROM t LIMIT -1", Ordering(False, False)),
        ("SELECT a FROM t LIMIT -1 OFFSET 4", Ordering(False, False, None, 4)),
        ("SELECT a FROM t LIMIT 1 + 1", Ordering(False, True)),
        ("SELECT a FROM t LIMIT (SELECT 2)", Ordering(False, True)),
        ("SELECT * FROM (SELECT a FROM t ORDER BY a LIMIT 1)", Ordering(False, False)),
        ("SELECT a FROM t WHERE a IN (SELECT b FROM t ORDER BY b)", Ordering(False, False)),
        ("SELECT a FROM t UNION SELECT b FROM t ORDER BY 1 LIMIT 1", Ordering(True, True, 1)),
        ("SELECT rank() OVER (ORDER BY a) FROM t", Ordering(False, False)),
        ("SELECT 'order by' FROM t -- order by\n", Ordering(False, False)),
        ("WITH c AS (SELECT 1 AS a) SELECT a FROM c ORDER BY a", Ordering(True, False)),
    ],
)
def test_ordering(sql: str, expected: Ordering) -> None:
    assert ordering(read(sql)) == expected


def test_fetch_first_is_a_limit() -> None:
    for text, expected in (
        ("SELECT a FROM t ORDER BY a FETCH FIRST 3 ROWS ONLY", Ordering(True, True, 3)),
        ("SELECT a FROM t OFFSET 2 ROWS FETCH NEXT ROW ONLY", Ordering(False, True, 1, 2)),
        ("SELECT a FROM t ORDER BY a FETCH FIRST 3 ROWS WITH TIES", Ordering(True, True)),
    ):
        query = parse(text, "postgres")
        assert isinstance(query, Query)
        assert ordering(query) == expected, text


# Each: a query without its LIMIT, and its tie groups as SQLite ranks them (or None).
SHAPES: list[tuple[str, str | None]] = [
    ("SELECT a FROM t", None),
    ("SELECT a, b FROM t ORDER BY a", "a"),
    ("SELECT a FROM t ORDER BY b", "b"),
    ("SELECT a FROM t ORDER BY b DESC, c", "b DESC, c"),
    ("SELECT a x FROM t ORDER BY x", "a"),
    ("SELECT b AS a FROM t ORDER BY a", "b"),
    ("SELECT b AS a FROM t ORDER BY a + 0", "a + 0"),
    ("SELECT b AS a, c FROM t ORDER BY c, t.a", "c, a"),
    ("SELECT a + b AS 's', c FROM t ORDER BY s DESC", "a + b"),
    ("SELECT a, b FROM t ORDER BY 2", "b"),
    ("SELECT a, b FROM t ORDER BY 2, c", "b, c"),
    ("SELECT * FROM t ORDER BY 2", "b"),
    ("SELECT * FROM t ORDER BY c", "c"),
    ("SELECT *, a + c AS d FROM t ORDER BY d", "a + c"),
    ("SELECT t.*, a AS d FROM t ORDER BY d, b", "a, b"),
    ("SELECT a FROM t ORDER BY n", "n"),
    ("SELECT a FROM t ORDER BY n DESC NULLS LAST", "n"),
    ("SELECT a FROM t ORDER BY n NULLS LAST, b ASC", "n, b"),
    ("SELECT a FROM t ORDER BY s COLLATE NOCASE", "s COLLATE NOCASE"),
    ("SELECT a, s AS q FROM t ORDER BY q COLLATE NOCASE DESC", "s COLLATE NOCASE"),
    ("SELECT a FROM t ORDER BY s COLLATE RTRIM, b", "s COLLATE RTRIM, b"),
    ("SELECT s FROM t ORDER BY s COLLATE NOCASE, s COLLATE BINARY", "s COLLATE BINARY"),
    ("SELECT s FROM t ORDER BY 1 COLLATE NOCASE", "s COLLATE NOCASE"),
    ("SELECT a FROM t WHERE s = 'A' COLLATE NOCASE ORDER BY b", "b"),
    ("SELECT a FROM t ORDER BY CASE WHEN b > 1 THEN 'x' ELSE c END", None),
    ("SELECT a FROM t ORDER BY (SELECT count(*) FROM u WHERE u.a = t.a), b", None),
    ("SELECT a FROM t /* LIMIT 1 */ ORDER BY b -- , c\n DESC", "b"),
    ("SELECT a, count(*) FROM t GROUP BY a ORDER BY count(*) DESC", None),
    ("SELECT a FROM t GROUP BY a ORDER BY COUNT ( * ) DESC, a", None),
    ("SELECT a FROM t GROUP BY a HAVING count(*) > 1 ORDER BY sum(b) DESC", None),
    ("SELECT a, max(b) AS m FROM t GROUP BY a ORDER BY m", None),
    ("SELECT max(b) FROM t ORDER BY 1", None),
    ("SELECT DISTINCT a, b FROM t ORDER BY b", None),
    ("SELECT DISTINCT t.a FROM t ORDER BY a", None),
    ("SELECT DISTINCT a AS x FROM t ORDER BY x DESC", None),
    ("SELECT ALL a FROM t ORDER BY b", "b"),
    ("SELECT a FROM t UNION SELECT b FROM u ORDER BY a DESC", None),
    ("SELECT a, b FROM t UNION ALL SELECT b, a FROM u ORDER BY 2", None),
    ("SELECT a AS k FROM t EXCEPT SELECT b FROM u ORDER BY k", None),
    ("SELECT a FROM t UNION ALL SELECT b FROM u", None),
    ("SELECT t.a, u.b FROM t JOIN u ON t.a = u.a ORDER BY u.b, t.c", None),
    ("SELECT x.a FROM t AS x, u AS y WHERE x.a = y.a ORDER BY y.b DESC", None),
    ("SELECT t.a FROM t LEFT JOIN u ON t.b = u.b ORDER BY u.a", None),
    ("SELECT a FROM t JOIN u USING (a) ORDER BY t.b", None),
    ("SELECT a, rank() OVER (ORDER BY b) FROM t ORDER BY c", "c"),
    ("SELECT a FROM t ORDER BY rank() OVER (PARTITION BY a ORDER BY b)", None),
    ("SELECT rank() OVER w AS r FROM t WINDOW w AS (ORDER BY b) ORDER BY r", None),
    ("WITH v AS (SELECT a, b FROM t ORDER BY a LIMIT 9) SELECT a FROM v ORDER BY b", None),
    ("WITH RECURSIVE v(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM v WHERE n < 9)"
     " SELECT n FROM v ORDER BY n % 3", None),
    ("SELECT * FROM (SELECT a, b FROM t ORDER BY c) ORDER BY b", None),
    ("SELECT a IS NOT b AS d, c FROM t ORDER BY d", None),
    ("SELECT 1 AS x ORDER BY x", None),
    ("SELECT a FROM t ORDER BY NULL", None),
    ("SELECT a FROM t ORDER BY 1.0", None),
    ('SELECT a AS "the key", b FROM t ORDER BY "the key"', "a"),
    ("SELECT [a] FROM [t] ORDER BY `b`", "b"),
    ("SELECT 'x, y' AS z, a FROM t ORDER BY z, replace(s, ',', ' LIMIT ')", None),
    ("SELECT a FROM t WHERE b IN (SELECT b FROM u ORDER BY a LIMIT 2) ORDER BY c", "c"),
]  # fmt: skip


@pytest.fixture(params=range(3))
def database(request: pytest.FixtureRequest) -> Iterator[sqlite3.Connection]:
    """Two small tables full of ties, NULLs, and texts that differ in case or final spaces."""
    chance = random.Random(request.param)
    texts = ["a", "A", "b", "B", "b ", "B  ", 1, "1", None, 2.0, 2]
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.execute("CREATE TABLE t (a INTEGER, b INTEGER, c REAL, n INTEGER, s)")
        connection.execute("CREATE TABLE u (a INTEGER, b INTEGER)")
        for _ in range(30):
            row = [chance.randrange(4), chance.randrange(3), chance.choice([0, 0.5, 1])]
            row += [chance.choice([None, 1, 2]), chance.choice(texts)]  # type: ignore[list-item]
            connection.execute("INSERT INTO t VALUES (?, ?, ?, ?, ?)", row)
            connection.execute("INSERT INTO u VALUES (?, ?)", row[:2])
        yield connection


@pytest.mark.parametrize("suffix", ["", " LIMIT 5", " LIMIT 3 OFFSET 2;", "\nlimit 2, 4 -- x"])
def test_probe_returns_the_rows_without_limit_in_the_same_order(
    suffix: str, database: sqlite3.Connection
) -> None:
    wrong = []
    for shape, _ in SHAPES:
        result = probe(shape + suffix)
        rows = [result.split(row)[0] for row in database.execute(result.sql)]
        if rows != database.execute(shape).fetchall() or (result.keys and result.key_columns):
            wrong.append(shape)
    assert wrong == []


@pytest.mark.parametrize(("shape", "keys"), [(s, k) for s, k in SHAPES if k])
def test_keys_are_equal_exactly_where_sqlite_ties(
    shape: str, keys: str, database: sqlite3.Connection
) -> None:
    result = probe(shape + " LIMIT 1")
    ours = [result.split(row)[1] for row in database.execute(result.sql)]
    where = " WHERE s = 'A' COLLATE NOCASE" if "'A'" in shape else ""
    where = " WHERE b IN (SELECT b FROM u ORDER BY a LIMIT 2)" if "IN (" in shape else where
    ranks = database.execute(
        f"SELECT dense_rank() OVER (ORDER BY {keys}) AS r FROM t{where} ORDER BY r"
    ).fetchall()
    sizes = sorted(ranks.count(rank) for rank in set(ranks))
    # Equal keys stand together, and the groups are as large as the engine's.
    groups = [1]
    for before, after in itertools.pairwise(ours):
        groups = [*groups[:-1], groups[-1] + 1] if before == after else [*groups, 1]
    assert sorted(groups) == sizes
    assert len(set(ours)) == len(groups)


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT DISTINCT a FROM t ORDER BY b LIMIT 1",
        "SELECT DISTINCT s FROM t ORDER BY s COLLATE NOCASE LIMIT 1",
        "SELECT s FROM t UNION SELECT s FROM t ORDER BY s COLLATE NOCASE LIMIT 1",
        "SELECT a FROM t ORDER BY random() LIMIT 1",
        "SELECT a FROM t ORDER BY s COLLATE NOCASE || b LIMIT 1",
        "SELECT a FROM (SELECT a, s COLLATE NOCASE AS s FROM t) ORDER BY s LIMIT 1",
        "SELECT a FROM t ORDER BY s COLLATE mine LIMIT 1",
        'SELECT a AS x FROM t ORDER BY "x" || b LIMIT 1',
        "SELECT DISTINCT a FROM t JOIN u USING (a) ORDER BY t.a LIMIT 1",
    ],
)
def test_no_probe_where_the_keys_cannot_be_shown(sql: str) -> None:
    assert tie_probe(read(sql)) is None


def test_no_order_by_means_no_keys() -> None:
    assert probe("SELECT a FROM t LIMIT 3") == TieProbe("SELECT a FROM t")
    assert probe("VALUES (1), (2)") == TieProbe("VALUES (1), (2)")


def test_keys_that_are_output_columns_are_named_not_appended() -> None:
    assert probe("SELECT a, count(*) FROM t GROUP BY a ORDER BY count(*) DESC LIMIT 1") == TieProbe(
        "SELECT a, count(*) FROM t GROUP BY a ORDER BY count(*) DESC", key_columns=(1,)
    )


@pytest.mark.data
def test_golds_with_limit_have_probes_that_run(data_root: Path) -> None:
    """Every Spider dev gold with LIMIT that can run: the probe runs and begins with its rows."""
    without, wrong, done = [], [], 0
    for case in json.loads((data_root / "spider" / "dev.json").read_text()):
        file = data_root / "spider" / "database" / case["db_id"] / f"{case['db_id']}.sqlite"
        query = parse(case["query"])
        assert not isinstance(query, ParseFailure)
        if not file.is_file() or "limit" not in query.features or not ordering(query).limited:
            continue
        result = tie_probe(query)
        if result is None:
            without.append(case["query"])
            continue
        with closing(sqlite3.connect(f"file:{file}?mode=ro&immutable=1", uri=True)) as connection:
            connection.text_factory = lambda data: data.decode(errors="replace")
            rows = [result.split(row)[0] for row in connection.execute(result.sql)]
            gold = connection.execute(case["query"]).fetchall()
        done += 1
        if sorted(map(repr, rows[: len(gold)])) != sorted(map(repr, gold)):
            wrong.append(case["query"])
    assert done >= 150
    assert without == []
    assert wrong == []
