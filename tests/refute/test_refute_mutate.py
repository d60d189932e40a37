"""Instances made of real rows: legal, the same for a seed, around the constants; the checker."""

from __future__ import annotations

import sqlite3
from collections import Counter
from contextlib import closing
from functools import cache
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from real_parts import REAL, file_of

from error_parts import refuses_database
from sqlverdict.parse.facts import Fact, NotNull, facts_of
from sqlverdict.parse.schema import Schema
from sqlverdict.parse.schemas.ddl import read_ddl
from sqlverdict.parse.schemas.sqlite import read_sqlite
from sqlverdict.records import Cell, Row
from sqlverdict.refute.data import real_rows
from sqlverdict.refute.data.mine import store
from sqlverdict.refute.data.mine.across import Inclusion
from sqlverdict.refute.data.mutate import real_instances
from sqlverdict.refute.data.regularities import mine
from sqlverdict.refute.trial.legal import as_stored, legal
from sqlverdict.refute.witness import Instance
from timeouts import cpu_limit

SCRIPT = """
CREATE TABLE land (code TEXT PRIMARY KEY NOT NULL, name TEXT UNIQUE);
CREATE TABLE town (id INTEGER PRIMARY KEY, land TEXT NOT NULL REFERENCES land(code),
                   people INTEGER CHECK (people >= 0), twin INTEGER REFERENCES town(id));
CREATE TABLE fair (town_id INTEGER, held TEXT);
"""
TABLES = ("land", "town", "fair")
CONSTANTS: dict[tuple[str, str], list[Cell]] = {
    ("town", "people"): [500],
    ("fair", "held"): ["May"],
}


@pytest.fixture(scope="module")
def database(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path: Path = tmp_path_factory.mktemp("real") / "towns.sqlite"
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(SCRIPT)
        connection.executemany(
            "INSERT INTO land VALUES (?, ?)", [(f"L{n}", f"Land {n}") for n in range(15)]
        )
        towns = [(n, f"L{n % 15}", n * 10, n % 40 if n % 3 else None) for n in range(100)]
        # A town of a land that is not there: no legal instance can hold it.
        towns.append((999, "gone", 5, None))
        connection.executemany("INSERT INTO town VALUES (?, ?, ?, ?)", towns)
        fairs = [(n % 30, ("May", "June")[n % 2]) for n in range(80)]
        connection.executemany("INSERT INTO fair VALUES (?, ?)", fairs)
        connection.commit()
    return path


def instances_of(database: Path, **sizes: int) -> list[Instance]:
    schema = read_sqlite(database)
    options = {"seed": 1, "count": 60} | sizes
    return list(real_instances(database, schema, TABLES, CONSTANTS, **options))


@pytest.fixture(scope="module")
def instances(database: Path) -> list[Instance]:
    """So many that a test takes as many as it needs: more of them only adds to the end."""
    return instances_of(database, count=300)


@pytest.mark.slow
def test_all_are_legal_and_the_engine_agrees(database: Path, instances: list[Instance]) -> None:
    schema = read_sqlite(database)
    assert len(instances) == 300
    for instance in instances[:200]:
        assert legal(instance, facts_of(schema)) == []
        with closing(sqlite3.connect(":memory:")) as connection:
            connection.execute("PRAGMA foreign_keys = ON")
            connection.executescript(SCRIPT)
            connection.execute("PRAGMA defer_foreign_keys = ON")
            connection.execute("BEGIN")
            connection.execute("PRAGMA defer_foreign_keys = ON")
            for table, rows in instance.rows.items():
                marks = ", ".join("?" for _ in rows[0])
                connection.executemany(f"INSERT INTO {table} VALUES ({marks})", rows)
            connection.commit()
            assert connection.execute("PRAGMA foreign_key_check").fetchall() == []
            for table, rows in instance.rows.items():
                stored = connection.execute(f"SELECT * FROM {table}").fetchall()
                assert Counter(stored) == Counter(rows), "rows are as SQLite keeps them"


@pytest.mark.slow
def test_the_same_seed_gives_the_same_instances(database: Path) -> None:
    rows = [i.rows for i in instances_of(database)]
    assert rows == [i.rows for i in instances_of(database)]
    assert rows != [i.rows for i in instances_of(database, seed=2)]
    # More of them only adds to the end.
    assert rows == [i.rows for i in instances_of(database, count=90)][:60]


def test_the_first_is_real_and_the_rest_are_mostly_changed(
    database: Path, instances: list[Instance]
) -> None:
    with closing(sqlite3.connect(database)) as connection:
        real = {t: set(connection.execute(f"SELECT * FROM {t}").fetchall()) for t in TABLES}
    unchanged = [
        all(set(rows) <= real[table] for table, rows in instance.rows.items())
        for instance in instances[:100]
    ]
    assert unchanged[0]
    assert 10 < sum(unchanged) < 60


def test_cells_change_around_the_constants(instances: list[Instance]) -> None:
    seen: Counter[Cell] = Counter()
    for instance in instances:
        seen.update(row[2] for row in instance.rows.get("town", ()))
    assert min(seen[value] for value in (499, 500, 501, 0, None)) > 0
    months = {row[1] for i in instances for row in i.rows.get("fair", ())}
    assert {"May", "June", "mAY", "", None} <= months


def test_partners_come_along(instances: list[Instance]) -> None:
    """By declared keys and by the undeclared one from fair to town."""
    joined = 0
    for instance in instances[:100]:
        towns = {row[0] for row in instance.rows.get("town", ())}
        joined += any(row[0] in towns for row in instance.rows.get("fair", ()))
    assert joined > 40


def test_every_second_instance_keeps_what_the_data_show(
    database: Path, instances: list[Instance]
) -> None:
    schema = read_sqlite(database)
    # The fairs before it have an undeclared key: every fair's town is there.
    regularities = mine(database, schema)
    assert Inclusion("fair", "town_id", "town", "id") in regularities.members
    used = {("town", "people"), ("fair", "town_id"), ("town", "id"), ("fair", "held")}
    broken = [bool(regularities.broken(instance, used)) for instance in instances[:120]]
    assert not any(broken[::2])
    assert sum(broken[1::2]) > 10


def test_rows_that_are_checked_once_give_the_instances_of_rows_checked_each_time(
    database: Path, instances: list[Instance], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(store, "_CHECKED_CELLS", -1)
    store._tables.clear()
    real_rows._load.cache_clear()
    again = instances_of(database)
    store._tables.clear()
    real_rows._load.cache_clear()
    assert [item.rows for item in again] == [item.rows for item in instances[: len(again)]]


@pytest.mark.parametrize(
    "stricter",
    [
        "CREATE TABLE t (a INTEGER UNIQUE, b TEXT)",
        "CREATE TABLE t (a INTEGER NOT NULL, b TEXT)",
        "CREATE TABLE t (a INTEGER, b TEXT, CHECK (a < 5))",
        "CREATE TABLE t (a INTEGER, b TEXT) STRICT",
    ],
)
def test_real_rows_that_break_the_schema_are_left_out(tmp_path: Path, stricter: str) -> None:
    path = tmp_path / "loose.sqlite"
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE t (a, b)")
        cells = [*range(8), 3, None, "text"]
        connection.executemany("INSERT INTO t VALUES (?, ?)", [(cell, "b") for cell in cells])
        connection.commit()
    schema = read_ddl(stricter, "loose")
    items = list(real_instances(path, schema, ["t"], {}, seed=3, count=40))
    assert items
    for instance in items:
        assert legal(instance, facts_of(schema)) == []


def test_a_table_keeps_to_its_rows_but_for_parents(database: Path) -> None:
    for instance in instances_of(database, rows=2, count=80):
        # One more where a row was doubled, at most five times.
        assert len(instance.rows.get("fair", ())) <= 2 + 5


def test_empty_and_absent_databases(tmp_path: Path) -> None:
    path = tmp_path / "empty.sqlite"
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(SCRIPT)
    assert instances_of(path) == []
    with refuses_database("missing"):
        list(real_instances(tmp_path / "no.sqlite", read_sqlite(path), TABLES, {}, seed=0, count=1))


LEGAL: dict[str, tuple[Row, ...]] = {
    "land": (("L1", "One"), ("L2", None), ("L3", None)),
    "town": ((1, "L1", 0, None), (2, "L1", None, 2)),
}


@pytest.mark.parametrize(
    ("rows", "words"),
    [
        ({"land": ((None, "One"),)}, "land.code is NULL"),
        ({"land": (("L1", "One"), ("L2", "One"))}, "land(name) repeats ('One',)"),
        ({"land": (("L1", "One"), ("L1", "Two"))}, "land(code) repeats"),
        ({"town": ((1, "L1", 0, None),)}, "('L1',) has no parent"),
        ({**LEGAL, "town": ((1, "L1", 0, 7),)}, "(7,) has no parent"),
        ({**LEGAL, "town": ((1, "L1", -1, None),)}, "town refuses the row"),
        ({**LEGAL, "town": ((1, "L1", "12", None),)}, "SQLite stores as 12"),
        ({"land": ((5, "One"),)}, "SQLite stores as '5'"),
        ({**LEGAL, "town": (("x", "L1", 0, None),)}, "a rowid is a whole number"),
        ({"land": (("L1",),)}, "has 1 cells; expected 2"),
        ({"LAND": (("L1", "One"),)}, "LAND is not a table of the schema"),
        ({"land": (("L1", float("nan")),)}, "cannot keep"),
        ({"fair": ((2**63, "x"),)}, "cannot keep"),
        ({"fair": ((1, "\ud800"),)}, "cannot keep"),
    ],
)
def test_the_checker_says_what_is_wrong(rows: dict[str, tuple[Row, ...]], words: str) -> None:
    schema = read_ddl(SCRIPT, "x")
    assert legal(Instance(schema, LEGAL), facts_of(schema)) == []
    result = legal(Instance(schema, rows), facts_of(schema))
    assert any(words in problem for problem in result), result


KIN = """
CREATE TABLE Land (code TEXT PRIMARY KEY NOT NULL, name TEXT UNIQUE COLLATE NOCASE);
CREATE TABLE town (id INTEGER PRIMARY KEY, land TEXT REFERENCES LAND(Code), people REAL,
                   size INTEGER CHECK (size >= 0), twin INTEGER REFERENCES town(id));
CREATE TABLE fair (town_id NUMERIC NOT NULL REFERENCES Town, land TEXT REFERENCES land, UNIQUE (town_id, land));
"""
CELLS: list[Cell] = [
    None,
    0,
    1,
    2,
    -1,
    "a",
    "A",
    "1",
    "1.5",
    "\ud800",
    1.5,
    2**63,
    float("nan"),
    b"a",
]
WIDTHS = {"Land": 2, "town": 5, "fair": 2}


@cache
def kin() -> tuple[Schema, frozenset[Fact]]:
    schema = read_ddl(KIN, "kin")
    return schema, facts_of(schema)


@settings(max_examples=400, deadline=None)
@given(st.data())
def test_one_changed_table_is_judged_as_the_whole_instance_is(data: st.DataObject) -> None:
    schema, facts = kin()
    rows: dict[str, tuple[Row, ...]] = {
        "Land": (("a", "x"), ("1", "y")),
        "town": ((1, "a", 1.5, 0, None), (2, "1", None, None, 1)),
        "fair": ((1, "a"), (2, "1"), (2, None)),
    }
    assert legal(Instance(schema, rows), facts) == []
    table = data.draw(st.sampled_from(sorted(rows)))
    content = list(rows[table])
    for _ in range(data.draw(st.integers(1, 2))):
        if not content:
            break
        at = data.draw(st.integers(0, len(content) - 1))
        if data.draw(st.booleans()):
            del content[at]
            continue
        cells = list(content[at])
        cells[data.draw(st.integers(0, WIDTHS[table] - 1))] = data.draw(st.sampled_from(CELLS))
        content[at] = tuple(cells)
    changed = Instance(schema, {k: v for k, v in {**rows, table: tuple(content)}.items() if v})
    assert sorted(legal(changed, facts, table)) == sorted(legal(changed, facts))


@settings(max_examples=400, deadline=None)
@given(st.data())
def test_one_changed_cell_is_judged_as_the_whole_instance_is(data: st.DataObject) -> None:
    schema, facts = kin()
    rows: dict[str, tuple[Row, ...]] = {
        "Land": (("a", "x"), ("1", "y")),
        "town": ((1, "a", 1.5, 0, None), (2, "1", None, None, 1), (3, None, None, 2, 2)),
        "fair": ((1, "a"), (2, "1"), (2, None)),
    }
    assert legal(Instance(schema, rows), facts) == []
    table = data.draw(st.sampled_from(sorted(rows)))
    row, column = data.draw(st.integers(0, 1)), data.draw(st.integers(0, WIDTHS[table] - 1))
    content = [list(cells) for cells in rows[table]]
    content[row][column] = data.draw(st.sampled_from([*CELLS, 3, "x", "y", "X"]))
    changed = Instance(schema, {**rows, table: tuple(map(tuple, content))})
    declared = schema.table(table)
    assert declared is not None
    name = declared.columns[column].name
    assert sorted(legal(changed, facts, table, name)) == sorted(legal(changed, facts))


def test_only_the_given_facts_count() -> None:
    schema = read_ddl(SCRIPT, "x")
    instance = Instance(schema, {"town": ((1, None, 3, 9),)})
    assert legal(instance, ()) == []
    assert legal(instance, [NotNull("town", "land")]) == [
        "town.land is NULL; it must never be",
    ]


def test_strict_tables_and_mixed_types() -> None:
    schema = read_ddl("CREATE TABLE s (a INT, b TEXT) STRICT; CREATE TABLE t (a INT)", "x")
    assert legal(Instance(schema, {"s": (("x", "y"),)}), facts_of(schema))
    assert not legal(Instance(schema, {"t": (("x",),)}), facts_of(schema))


def test_a_child_may_point_to_its_parent_in_another_type() -> None:
    script = "CREATE TABLE p (id INTEGER PRIMARY KEY); CREATE TABLE c (p TEXT REFERENCES p(id))"
    schema = read_ddl(script, "x")
    assert not legal(Instance(schema, {"p": ((1,),), "c": (("1",),)}), facts_of(schema))
    assert legal(Instance(schema, {"p": ((1,),), "c": (("2",),)}), facts_of(schema))


NUMBERS = st.one_of(
    st.integers(-(2**40), 2**40).map(str),
    st.sampled_from(
        [" 12 ", "1e3", "-.5", "5.", "0x10", "1_000", "abc", "", "+7", "9007199254740993"]
    ),
)


@settings(max_examples=150, deadline=None)
@given(
    cell=st.one_of(NUMBERS, st.integers(-(2**40), 2**40), st.none(), st.binary(max_size=3)),
    declared=st.sampled_from(["INTEGER", "TEXT", "REAL", "NUMERIC", "BLOB"]),
)
def test_storing_is_foreseen(cell: Cell, declared: str) -> None:
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.execute(f"CREATE TABLE t (a {declared})")
        connection.execute("INSERT INTO t VALUES (?)", (cell,))
        (stored,) = connection.execute("SELECT a FROM t").fetchone()
    foreseen = as_stored(cell, declared)  # type: ignore[arg-type]
    assert foreseen == stored
    assert isinstance(foreseen, str) == isinstance(stored, str)


@pytest.mark.data
@pytest.mark.parametrize("name", REAL)
def test_real_databases_give_legal_instances_quickly(data_root: Path, name: str) -> None:
    path = file_of(data_root, name)
    schema: Schema = read_sqlite(path)
    tables = [table.name for table in schema.tables][:3]
    facts = facts_of(schema)
    next(real_instances(path, schema, tables, {}, seed=0, count=1))
    with cpu_limit(60):  # 0.3 s on a usual machine
        items = list(real_instances(path, schema, tables, {}, seed=0, count=100))
    assert len(items) == 100
    for instance in items[:30]:
        assert legal(instance, facts) == []
