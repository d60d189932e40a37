"""Random queries with what only PostgreSQL reads: no proved pair differs on random rows.

Each pair is a query and the same in other words: parts of a condition in another order, a query
around it, DISTINCT, another column of equal values, another kind of join, sums of one row. What is
proved is run: both sides give the same rows, or fail both.

A long run by hand: ``python tests/prove/test_prove_native_random.py 2000``.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path
from random import Random

import pytest

sys.path.insert(0, str(Path(__file__).parents[1]))
sys.path.insert(0, str(Path(__file__).parent))
from servers import postgres_server
from sqlverdict.parse.schemas.ddl import read_ddl
from sqlverdict.prove.check import check_proof
from sqlverdict.prove.proof import Proof
from sqlverdict.prove.prover import prove
from tiers import sampled

PAIRS = sampled(80, 600)
DATABASES = 6
_TABLES = """
CREATE TABLE t (id INTEGER PRIMARY KEY, a INTEGER, b INTEGER, big BIGINT, n NUMERIC,
  m NUMERIC(8, 2), r DOUBLE PRECISION, s TEXT, c CHAR(3), d DATE, ts TIMESTAMP, tz TIMESTAMPTZ,
  iv INTERVAL, j JSONB, ok BOOLEAN);
CREATE TABLE u (id INTEGER PRIMARY KEY, t_id BIGINT, n NUMERIC, r DOUBLE PRECISION, s TEXT, a INTEGER)
"""
_ROWS = {
    "id": ("1", "2", "3", "4", "5"),
    "a": ("0", "1", "2", "3", "-1", "7"),
    "b": ("0", "0", "1", "2"),
    "big": ("0", "1", "2", "3"),
    "t_id": ("1", "2", "3", "9"),
    "n": ("0", "1.0", "1.00", "2", "2.50", "2.5"),
    "m": ("0", "1", "2.5"),
    "r": ("0", "'-0'", "1.5", "2"),
    "s": ("''", "'a'", "'A'", "'ab'", "'1'", "'2'", "'2020-01-31'"),
    "c": ("'a'", "'A'", "'ab'"),
    "d": ("'2020-01-31'", "'2020-02-29'", "'2021-01-01'"),
    "ts": ("'2020-01-31 23:59'", "'2020-02-29'", "'2021-01-01 12:30'"),
    "tz": ("'2020-01-31 23:59+00'", "'2020-01-31 22:59-01'", "'2021-01-01 12:30+00'"),
    "iv": ("'1 day'", "'24:00:00'", "'1 month'", "'30 days'"),
    "j": ("""'{"a": 1}'""", """'{"a": "1", "b": null}'""", "'[1]'", "'null'"),
    "ok": ("true", "false"),
}
_VALUES = (
    *("date_trunc('month', t.ts)", "date_trunc('day', t.tz)", "date_trunc('day', t.iv)"),
    *("date_trunc('day', t.ts - t.d)", "extract(year FROM t.d)", "extract(hour FROM t.d)"),
    *("to_char(t.ts, 'YYYY-MM')", "t.n::text", "t.m::text", "t.a::text", "t.r::text"),
    *("t.a / t.b", "t.a % t.b", "t.a / 2", "t.big / 2", "t.n / 2", "t.a::numeric / NULLIF(t.b, 0)"),
    *("t.s::int", "t.s || t.c", "t.j->>'a'", "(t.j->>'a')::int", "COALESCE(t.s, 'x') || 'y'"),
    *("round(t.n, 1)", "round(t.n)", "CASE WHEN t.b <> 0 THEN t.a / t.b END", "t.d - t.ts::date"),
    *("CASE WHEN t.a / t.b > 1 THEN 1 ELSE 0 END", "GREATEST(t.a, t.b)", "t.a + t.b * 2"),
    *("t.iv::text", "concat(t.s, t.a)", "left(t.s, 1)", "t.d + interval '1 month'", "t.a / 7.0"),
    *("t.c", "t.c", "extract(year FROM t.ts)", "date_part('year', t.d)", "t.iv", "t.s"),
    *("date_part('year', t.ts) / 7", "extract(month FROM t.ts)::text"),
)
_CONDITIONS = (
    *("t.a / t.b > 1", "t.b <> 0", "t.s::int > 0", "t.s ~ '^[0-9]+$'", "t.s ILIKE 'a%'"),
    *("t.a > 1", "t.a = 1", "t.d >= DATE '2020-02-01'", "t.ts > t.d", "t.j->>'a' = '1'"),
    *("t.j IS NOT NULL", "t.ok", "t.ok IS TRUE", "COALESCE(t.a, 0)::text = '0'", "7 % 7 = 0"),
    *("t.tz < now()", "t.iv >= interval '1 day'", "extract(hour FROM t.d) = 0", "t.a + t.b > 2"),
    *("t.a = ANY(ARRAY[1, 2])", "t.n::text = '1.0'", "(t.a > 1 OR t.a / t.b = 1)", "t.c = 'a'"),
    *("t.s ~ '^a'", "t.c ~ 'a'", "DATE(t.ts) = t.d", "t.c ILIKE 'a%'", "t.c = ANY(ARRAY['ab '])"),
    *("date_part('year', t.d) = 2020", "extract(month FROM t.ts) IN (1, 2)", "t.c = 'a '"),
)
# PostgreSQL computes what costs less first, and of two conditions of one cost the first.
_GUARDED = (
    ("abs(t.b) > 0", "t.a / t.b > 1"),
    ("t.b + t.b > 0", "t.a % t.b = 1"),
    ("t.s ~ '^[0-9]+$'", "t.s::int > 0"),
    ("t.ok", "t.s::date > '2020-01-01'"),
)
_AGGREGATES = (
    *("sum({})", "avg({})", "count({})", "max({})", "min({})", "count(DISTINCT {})"),
    *("sum({}) FILTER (WHERE t.a > 1)", "count(*) FILTER (WHERE t.s ILIKE 'a%')"),
)
_OVER = ("{}::text", "{} / 2", "round({}, 1)", "{}::float / NULLIF(count(*), 0)", "{} / count(t.b)")
_NUMBERS = (
    "t.a",
    "t.big",
    "t.big",
    "t.n",
    "t.m",
    "t.r",
    "t.a / t.b",
    "CASE WHEN t.a > 1 THEN t.n END",
)


class PairMaker:
    """Makes a query, and another one that looks the same."""

    def __init__(self, rng: Random) -> None:
        self.rng = rng

    def pair(self) -> tuple[str, str]:
        """Two queries."""
        one, other = self._pair()
        if self.rng.random() < 0.5:
            other = re.sub(r"extract\((\w+) FROM", r"date_part('\1',", other)
        return one, other

    def _pair(self) -> tuple[str, str]:
        choice = self.rng.choice
        conditions = self.rng.sample(_CONDITIONS, self.rng.randrange(3))
        if self.rng.random() < 0.4:
            conditions = list(choice(_GUARDED))
        source, other = choice(
            [
                *[("t", "t")] * 4,
                ("t JOIN u ON t.id = u.t_id", "u JOIN t ON u.t_id = t.id"),
                ("t JOIN u ON t.a = u.a", "t CROSS JOIN u"),
                ("t LEFT JOIN u ON t.id = u.t_id", "t LEFT JOIN u ON u.t_id = t.id"),
                ("u LEFT JOIN t ON t.id = u.t_id", "u JOIN t ON t.id = u.t_id"),
            ]
        )
        joined = [*conditions, "t.a = u.a"] if "CROSS" in other else list(conditions)
        self.rng.shuffle(joined)
        if self.rng.random() < 0.5:
            values = [choice(_VALUES) for _ in range(choice((1, 1, 2)))]
            if choice((True, False)):
                values.append("t.id")
            return self._rows(values, source, conditions, other, joined)
        return self._groups(source, conditions, other, joined)

    def _rows(
        self, values: list[str], source: str, conditions: list[str], other: str, joined: list[str]
    ) -> tuple[str, str]:
        one = f"SELECT {', '.join(values)} FROM {source}{_where(conditions)}"
        names = [f"x{number}" for number in range(len(values))]
        terms = ", ".join(f"{value} AS {name}" for value, name in zip(values, names, strict=True))
        columns, rng = ", ".join(names), self.rng
        swapped = ", ".join(values).replace("t.a", "u.a") if "t.a = u.a" in joined else None
        others = [
            f"SELECT {', '.join(values)} FROM {other}{_where(joined)}",
            f"SELECT DISTINCT {', '.join(values)} FROM {other}{_where(joined)}",
            f"SELECT {columns} FROM (SELECT {terms} FROM {other}{_where(joined)}) y",
            f"WITH y AS (SELECT {terms}, t.* FROM {other}) SELECT {columns} FROM y AS t"
            f"{_where(conditions)}",
            f"SELECT {', '.join(values)} FROM {other}{_where(joined)} GROUP BY {', '.join(values)}",
            f"SELECT {columns} FROM (SELECT {terms} FROM {other}{_where(joined)}) y WHERE 4 % 2 = 0",
            f"SELECT {swapped or columns} FROM {other}{_where(joined)}",
            f"SELECT * FROM (SELECT {terms} FROM {other}{_where(joined)} ORDER BY 1) y",
            f"SELECT DISTINCT {', '.join(values)} FROM {other}{_where(joined)} ORDER BY 1 LIMIT 1",
            f"SELECT DISTINCT ON ({', '.join(values)}) {', '.join(values)} FROM {other}"
            f"{_where(joined)}",
        ]
        if rng.random() < 0.3:
            one = one.replace("SELECT", "SELECT DISTINCT", 1)
        elif rng.random() < 0.3:
            one += " ORDER BY 1" + rng.choice(("", " LIMIT 1"))
        return one, rng.choice(others)

    def _groups(
        self, source: str, conditions: list[str], other: str, joined: list[str]
    ) -> tuple[str, str]:
        rng = self.rng
        if rng.random() < 0.15:
            return self._first(source, conditions, other, joined)
        value = rng.choice(_AGGREGATES).format(rng.choice(_NUMBERS))
        if rng.random() < 0.7:
            value = rng.choice(_OVER).format(value)
        key = rng.choice(("t.id", "t.id", "t.a", "t.n", "t.c", rng.choice(_VALUES)))
        one = f"SELECT {key}, {value} FROM {source}{_where(conditions)} GROUP BY {key}"
        plain = value.replace("sum(", "(").replace("max(", "(").replace("avg(", "(")
        return one, rng.choice(
            [
                f"SELECT {key}, {value} FROM {other}{_where(joined)} GROUP BY 1",
                f"SELECT x, y FROM (SELECT {key} AS x, {value} AS y FROM {other}{_where(joined)} "
                f"GROUP BY {key}) z",
                f"SELECT DISTINCT {key}, {value} FROM {other}{_where(joined)} GROUP BY {key}",
                f"SELECT {key}, {plain} FROM {other}{_where(joined)}",
                f"SELECT {key}, {value} FROM {other}{_where(joined)} GROUP BY {key}, t.id",
            ]
        )

    def _first(
        self, source: str, conditions: list[str], other: str, joined: list[str]
    ) -> tuple[str, str]:
        """The first row of each group, and an aggregate that may be the same."""
        rng = self.rng
        key, value = (
            rng.choice(("t.a", "t.c", "t.s", "t.d")),
            rng.choice((*_NUMBERS, "t.iv", "t.s")),
        )
        extreme, order = rng.choice(("min", "max")), rng.choice(("", " DESC"))
        order += rng.choice(("", " NULLS LAST", " NULLS FIRST"))
        between = rng.choice(("", "", "t.id, "))
        return (
            f"SELECT DISTINCT ON ({key}) {key}, {value} FROM {source}{_where(conditions)} "
            f"ORDER BY {key}, {between}{value}{order}",
            f"SELECT {key}, {extreme}({value}) FROM {other}{_where(joined)} GROUP BY {key}"
            f"{rng.choice(('', f' ORDER BY {key}'))}",
        )


def _where(conditions: list[str]) -> str:
    return f" WHERE {' AND '.join(conditions)}" if conditions else ""


def proved_pairs(seeds: range) -> list[tuple[str, str, tuple[int, ...]]]:
    """The pairs that are proved, with the column of the second for each of the first."""
    schema = read_ddl(_TABLES, "postgres")
    pairs = []
    for seed in seeds:
        one, other = PairMaker(Random(seed)).pair()
        proof = prove(one, other, schema, dialect="postgres")
        if isinstance(proof, Proof):
            verdict = check_proof(proof, schema)
            assert verdict.holds, (one, other, verdict)
            pairs.append((one, other, proof.columns))
    return pairs


def broken_pairs(pairs: list[tuple[str, str, tuple[int, ...]]], databases: int) -> Iterator[str]:
    """The pairs that differ on random rows."""
    import psycopg

    with postgres_server() as url, psycopg.connect(url) as connection:
        connection.execute("SET SESSION TIME ZONE 'Europe/Berlin'")
        for number in range(databases):
            with connection.transaction(force_rollback=True):
                for statement in _temporary_tables(Random(f"rows {number}")):
                    connection.execute(statement)
                for one, other, columns in pairs:
                    first = _answer(connection, one, ())
                    second = _answer(connection, other, columns)
                    if first != second:
                        yield f"{one}\n{other}\n  {first}\n  {second}"


def _temporary_tables(rng: Random) -> Iterator[str]:
    for table in _TABLES.split(";"):
        yield table.replace("CREATE TABLE", "CREATE TEMPORARY TABLE")
    for table in read_ddl(_TABLES, "postgres").tables:
        for key in range(1, rng.choice((1, 6, 6, 6))):
            cells = [
                str(key) if column.name == "id" else _cell(column.name, rng)
                for column in table.columns
            ]
            yield f"INSERT INTO {table.name} VALUES ({', '.join(cells)})"


def _cell(column: str, rng: Random) -> str:
    return "NULL" if rng.random() < 0.15 else rng.choice(_ROWS[column])


def _answer(connection: object, sql: str, columns: tuple[int, ...]) -> list[str] | str:
    import psycopg

    assert isinstance(connection, psycopg.Connection)
    try:
        with connection.transaction():
            rows = connection.execute(sql).fetchall()
    except psycopg.Error:
        return "error"
    places = columns or range(len(rows[0]) if rows else 0)
    return sorted(repr([_plain(row[index]) for index in places]) for row in rows)


def _plain(cell: object) -> object:
    """Numbers up to rounding, whatever type they have."""
    if isinstance(cell, str | bool | dict | list) or cell is None:
        return cell
    try:
        return float(f"{float(str(cell)):.8g}") + 0.0
    except ValueError:
        return cell


@pytest.mark.slow
@pytest.mark.sampled
def test_no_proved_pair_of_native_queries_differs_on_random_rows() -> None:
    pytest.importorskip("postgast", reason="postgast is not installed: extra 'postgres'")
    pairs = proved_pairs(range(PAIRS))
    assert list(broken_pairs(pairs, DATABASES)) == []
    assert len(pairs) > PAIRS // 10


if __name__ == "__main__":
    last = int(sys.argv[1])
    results = proved_pairs(range(last))
    sys.stdout.write(f"{len(results)} of {last} proved\n")
    for text in broken_pairs(results, 12):
        sys.stdout.write(f"{text}\n")
