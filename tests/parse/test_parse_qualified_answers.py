"""Queries over tables with schemas, written with plain names, give the same answers.

Every query runs on a database with three schemas, and with plain names on one that has all tables
in one schema. What runs on both must agree; what fails on the first must not run on the second.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from sqlverdict.execute.engine import ENGINES
from sqlverdict.parse.qualified import with_plain_names
from sqlverdict.parse.query import parse
from sqlverdict.parse.schema import Schema
from sqlverdict.records import Query
from tiers import sampled

duckdb = pytest.importorskip("duckdb", reason="duckdb is not installed: extra 'duckdb'")
TABLES = [("main", "a"), ("main", "b"), ("s", "a"), ("s", "b"), ("s", "s"), ("b", "a")]
ALIASES = ["a", "b", "s", "q"]
QUERIES = sampled(300, 6_000)


@pytest.fixture(scope="module")
def real(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Any, Schema]]:
    path: Path = tmp_path_factory.mktemp("names") / "shop.duckdb"
    with duckdb.connect(str(path)) as connection:
        connection.execute("CREATE SCHEMA s; CREATE SCHEMA b")
        for number, (schema, name) in enumerate(TABLES):
            rows = [f"({row * (number + 3) % 7}, {row + 10 * number})" for row in range(5)]
            connection.execute(f"CREATE TABLE {schema}.{name} (x INTEGER, y INTEGER)")
            connection.execute(f"INSERT INTO {schema}.{name} VALUES {', '.join(rows)}")
    schema = ENGINES.get("duckdb").schema(str(path))
    with duckdb.connect(str(path), read_only=True) as connection:
        yield connection, schema


@pytest.fixture(scope="module")
def plain(real: tuple[Any, Schema]) -> Iterator[Any]:
    with duckdb.connect() as connection:
        for table in real[1].tables:
            rows = real[0].execute(f"SELECT x, y FROM {table.source_text()}").fetchall()
            connection.execute(f'CREATE TABLE "{table.name}" (x INTEGER, y INTEGER)')
            connection.executemany(f'INSERT INTO "{table.name}" VALUES (?, ?)', rows)
        yield connection


class Writer:
    """Writes queries that name tables in all ways, also in ways that are errors."""

    def __init__(self, seed: int) -> None:
        self.rng = random.Random(seed)

    def query(self) -> str:
        common: list[str] = []
        parts = []
        for name in self.rng.sample(ALIASES, self.rng.choice([0, 0, 1, 2])):
            parts.append(f"{name}(x, y) AS ({self.select(1, [], common, 2)})")
            common.append(name)
        start = f"WITH {', '.join(parts)} " if parts else ""
        return start + self.select(2, [], common, 1)

    def select(self, depth: int, outer: Sequence[str], common: Sequence[str], width: int) -> str:
        items, names = [], list[str]()
        for _ in range(self.rng.choice([1, 1, 2, 3])):
            item = self.item(depth, common)
            alias = self.rng.choice(ALIASES)
            if item.startswith("("):
                items.append(f"{item} AS {alias}(x, y)")
                names.append(alias)
            elif self.rng.random() < 0.4:
                items.append(f"{item} AS {alias}")
                names.append(alias)
            else:
                items.append(item)
                names += [item, item.rpartition(".")[2]]
        around = [*names, *outer]
        conditions = [f"{self.column(around)} < {self.rng.randrange(40)}"]
        if depth and self.rng.random() < 0.5:
            inner = self.select(depth - 1, around, common, 1)
            conditions.append(f"{self.column(around)} IN ({inner})")
        outputs = ", ".join(self.column(names) for _ in range(width))
        return f"SELECT {outputs} FROM {', '.join(items)} WHERE {' AND '.join(conditions)}"

    def item(self, depth: int, common: Sequence[str]) -> str:
        if common and self.rng.random() < 0.3:
            return self.rng.choice(common)
        if depth and self.rng.random() < 0.1:
            return f"({self.select(depth - 1, [], common, 2)})"
        schema, name = self.rng.choice(TABLES)
        if schema == "main" and self.rng.random() < 0.5:
            return name
        spellings = [f"{schema}.{name}", f"shop.{schema}.{name}", f'"{schema}"."{name}"']
        return self.rng.choice(spellings)

    def column(self, names: Sequence[str]) -> str:
        column = self.rng.choice("xy")
        return column if self.rng.random() < 0.2 else f"{self.rng.choice(names)}.{column}"


def answer(connection: Any, sql: str) -> list[tuple[Any, ...]] | None:
    """The sorted rows; ``None`` where the engine refuses the query."""
    try:
        return sorted(connection.execute(sql).fetchall())
    except duckdb.Error:
        return None


@pytest.mark.slow
@pytest.mark.sampled
def test_plain_names_keep_every_answer(real: tuple[Any, Schema], plain: Any) -> None:
    connection, schema = real
    same = rejections = 0
    for seed in range(QUERIES):
        sql = Writer(seed).query()
        query = parse(sql, "duckdb")
        assert isinstance(query, Query)
        rewritten = with_plain_names(query, schema)
        expected = answer(connection, sql)
        if not isinstance(rewritten, Query):
            rejections += expected is not None
            continue
        rows = answer(plain, rewritten.sql)
        assert rows == expected or rows is None, f"{sql}\n{rewritten.sql}"
        same += rows is not None and rewritten is not query
    # Most of what runs can be written so.
    assert same > QUERIES / 12 > rejections
