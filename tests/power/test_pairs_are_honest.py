"""What ``pairs.jsonl`` claims is true: the data are tested before the search is tested on them."""

from __future__ import annotations

import random
import sqlite3
from collections import Counter
from collections.abc import Iterable
from contextlib import closing
from itertools import permutations

import pytest
from power_pairs import (
    HERE,
    PowerPair,
    different_pairs,
    equivalent_pairs,
    open_database,
    power_pairs,
    schema_sql,
)

from sqlverdict.compare.answers import compare_answers
from sqlverdict.records import Answer, Row

LEAST = 120
KINDS = 120
ORDERS = 4
UNTYPED = ("", "ANY")
DIFFERENT = different_pairs()
EQUIVALENT = equivalent_pairs()
SCHEMAS = sorted(path.stem for path in (HERE / "schemas").glob("*.sql"))


def answer(connection: sqlite3.Connection, sql: str) -> Answer:
    cursor = connection.execute(sql)
    columns = tuple(column[0] for column in cursor.description)
    return Answer(columns, [tuple(row) for row in cursor])


def same(connection: sqlite3.Connection, pair: PowerPair) -> bool | None:
    """Whether the two answers agree, as the default preset says; None where it cannot tell."""
    gold, prediction = answer(connection, pair.gold), answer(connection, pair.prediction)
    return compare_answers(
        gold,
        prediction,
        gold_sql=pair.gold,
        prediction_sql=pair.prediction,
        probe=lambda sql: answer(connection, sql),
    ).equal


def bag(rows: Iterable[Row]) -> Counter[tuple[str, ...]]:
    """Rows without their order; floats to 9 digits, because sums depend on row order."""
    return Counter(
        tuple(f"{cell:.9g}" if isinstance(cell, float) else repr(cell) for cell in row)
        for row in rows
    )


def tables_of(connection: sqlite3.Connection) -> list[str]:
    result = connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")
    return [name for (name,) in result]


def columns_of(connection: sqlite3.Connection, table: str) -> list[tuple[str, str]]:
    result = connection.execute(f"PRAGMA table_info({table})")
    return [(name, declared) for _, name, declared, *_ in result]


def reordered(connection: sqlite3.Connection, seed: int) -> sqlite3.Connection:
    """The same rows in another order, in tables without keys so that the order is kept.

    ``reverse_unordered_selects`` alone does not do: it leaves queries with ORDER BY as they
    are, and an INTEGER PRIMARY KEY keeps its rows sorted whatever order they are inserted in.
    """
    copy = sqlite3.connect(":memory:", isolation_level=None)
    shuffle = random.Random(seed)
    copy.execute("BEGIN")
    for table in tables_of(connection):
        columns = columns_of(connection, table)
        # Outside a STRICT table ANY would mean NUMERIC.
        declared = ", ".join(f"{name} {'' if kind == 'ANY' else kind}" for name, kind in columns)
        copy.execute(f"CREATE TABLE {table} ({declared})")
        rows = connection.execute(f"SELECT * FROM {table}").fetchall()
        if seed == 1:
            rows.reverse()
        elif seed > 1:
            shuffle.shuffle(rows)
        marks = ", ".join("?" * len(columns))
        copy.executemany(f"INSERT INTO {table} VALUES ({marks})", rows)
    copy.execute("COMMIT")
    return copy


def unsettled(connection: sqlite3.Connection, queries: Iterable[str]) -> set[str]:
    """The queries whose rows are not the same in every order of the stored rows."""
    expected = {sql: bag(answer(connection, sql).rows) for sql in queries}
    values = set()
    for seed in range(1, ORDERS + 1):
        with closing(reordered(connection, seed)) as copy:
            for switch in ("OFF", "ON"):
                copy.execute(f"PRAGMA reverse_unordered_selects = {switch}")
                values |= {sql for sql in expected if bag(answer(copy, sql).rows) != expected[sql]}
    return values


def of_schema(pairs: list[PowerPair], schema: str) -> list[PowerPair]:
    return [pair for pair in pairs if pair.schema == schema]


def off_type(connection: sqlite3.Connection) -> list[str]:
    """Cells whose storage class is not the one that their column declares."""
    return [
        f"{kind} in {table}.{column} {declared}"
        for table in tables_of(connection)
        for column, declared in columns_of(connection, table)
        for (kind,) in connection.execute(f"SELECT DISTINCT typeof({column}) FROM {table}")
        if declared not in UNTYPED and kind not in (declared.lower(), "null")
    ]


def test_enough_pairs_of_either_sort() -> None:
    counts = Counter(pair.different for pair in power_pairs())
    assert counts[True] >= LEAST, f"{counts[True]} different pairs; at least {LEAST} are promised"
    assert counts[False] >= LEAST, f"{counts[False]} equal pairs; at least {LEAST} are promised"


def test_kinds_are_many() -> None:
    kinds = {pair.kind for pair in power_pairs() if pair.different}
    assert len(kinds) >= KINDS, f"{len(kinds)} kinds of difference; at least {KINDS} are promised"


def test_ids_name_their_pair() -> None:
    repeated = [name for name, n in Counter(pair.id for pair in power_pairs()).items() if n > 1]
    assert not repeated, f"ids must be unique; repeated: {repeated}"
    for pair in power_pairs():
        word = "different" if pair.different else "equal"
        assert pair.id.rsplit("-", 1)[0] == f"{word}-{pair.kind}", pair.id


def test_no_pair_stands_twice() -> None:
    seen = Counter((pair.schema, pair.gold, pair.prediction) for pair in power_pairs())
    assert [key for key, n in seen.items() if n > 1] == []


def test_fields_are_filled() -> None:
    for pair in power_pairs():
        assert pair.schema in SCHEMAS, f"{pair.id}: {pair.schema} is none of {SCHEMAS}"
        assert pair.because.endswith("."), f"{pair.id}: because must be a sentence"
        has = pair.witness is not None
        assert has == pair.different, f"{pair.id}: a witness belongs to a different pair only"


@pytest.mark.parametrize("schema", SCHEMAS)
def test_schema_builds_and_is_used(schema: str) -> None:
    with closing(open_database(schema)) as connection:
        assert len(tables_of(connection)) >= 3
        assert connection.execute("PRAGMA foreign_key_check").fetchall() == []
    assert {pair.different for pair in power_pairs() if pair.schema == schema} == {True, False}


@pytest.mark.parametrize("schema", SCHEMAS)
def test_witnesses_are_legal(schema: str) -> None:
    for pair in of_schema(DIFFERENT, schema):
        rows = pair.witness or ""
        for statement in filter(None, (part.strip() for part in rows.split(";"))):
            assert statement.startswith("INSERT INTO "), f"{pair.id}: not an INSERT: {statement}"
        with closing(open_database(schema, rows)) as connection:
            assert connection.execute("PRAGMA foreign_key_check").fetchall() == [], pair.id
            assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)], pair.id
            assert not off_type(connection), f"{pair.id}: {off_type(connection)}"


@pytest.mark.slow
@pytest.mark.parametrize("schema", SCHEMAS)
def test_witnesses_separate(schema: str) -> None:
    for pair in of_schema(DIFFERENT, schema):
        with closing(open_database(schema, pair.witness or "")) as connection:
            assert same(connection, pair) is False, f"{pair.id}: the witness does not separate"
            loose = unsettled(connection, (pair.gold, pair.prediction))
            assert not loose, f"{pair.id}: the answer depends on row order: {loose}"


@pytest.mark.parametrize("schema", SCHEMAS)
def test_witnesses_separate_without_our_comparison(schema: str) -> None:
    """The bags differ whatever the column order; only where order is the point, the lists."""
    for pair in of_schema(DIFFERENT, schema):
        with closing(open_database(schema, pair.witness or "")) as connection:
            gold, prediction = answer(connection, pair.gold), answer(connection, pair.prediction)
        if len(gold.columns) != len(prediction.columns):
            continue
        # 4 is 4.0 here as well, so plain equality of cells is what is wanted.
        equal = any(
            Counter(gold.rows) == Counter(tuple(row[i] for i in order) for row in prediction.rows)
            for order in permutations(range(len(gold.columns)))
        )
        by_order = pair.kind.startswith("order_") and gold.rows != prediction.rows
        assert not equal or by_order, f"{pair.id}: both give {gold.rows}"


@pytest.mark.slow
@pytest.mark.parametrize("schema", SCHEMAS)
def test_equal_pairs_agree_on_every_witness(schema: str) -> None:
    """Each different pair's witness is a database on which no equal pair may fall apart."""
    witnesses = {pair.witness or "" for pair in of_schema(DIFFERENT, schema)}
    for witness in sorted(witnesses):
        with closing(open_database(schema, witness)) as connection:
            apart = [
                pair.id
                for pair in of_schema(EQUIVALENT, schema)
                if same(connection, pair) is not True
            ]
        assert not apart, f"{apart} fall apart on {witness or 'the empty database'}"


def test_schema_files_hold_declarations_only() -> None:
    for schema in SCHEMAS:
        assert "INSERT" not in schema_sql(schema).upper()
