"""Searches spend work, not seconds; wide and large databases are searched like others."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import closing
from itertools import count
from pathlib import Path
from random import Random

import pytest

from sqlverdict.execute.in_memory import in_memory_engine
from sqlverdict.parse.schema import Schema
from sqlverdict.parse.schemas.sqlite import read_sqlite
from sqlverdict.records import Reason
from sqlverdict.refute.data.mine import pairs, sample
from sqlverdict.refute.data.mine.across import Inclusion
from sqlverdict.refute.data.regularities import mine
from sqlverdict.refute.read.part import schema_part
from sqlverdict.refute.search import find_witness
from sqlverdict.refute.witness import NotRefuted, SearchBudget, Witness

EQUAL = ("SELECT c0_1 FROM t0 WHERE c0_1 > 3", "SELECT c0_1 FROM t0 WHERE 3 < c0_1")
DIFFERENT = ("SELECT c0_1 FROM t0 WHERE c0_1 > 3", "SELECT c0_1 FROM t0 WHERE c0_1 >= 3")
Make = Callable[..., Path]


@pytest.fixture
def make(tmp_path: Path) -> Make:
    """Makes a database of so many tables, columns and rows."""
    numbers = count()

    def build(tables: int, columns: int, rows: int, extra: str = "") -> Path:
        path = tmp_path / f"{next(numbers)}.sqlite"
        rng = Random(1)
        with closing(sqlite3.connect(path)) as connection, connection:
            for t in range(tables):
                names = ["id INTEGER PRIMARY KEY", *(f"c{t}_{n} INT" for n in range(1, columns))]
                connection.execute(f"CREATE TABLE t{t} ({', '.join(names)})")
                marks = ", ".join("?" * columns)
                content = [
                    [i, *(rng.randint(0, 50) for _ in range(columns - 1))] for i in range(rows)
                ]
                connection.executemany(f"INSERT INTO t{t} VALUES ({marks})", content)
            connection.executescript(f"BEGIN;{extra};COMMIT")
        connection.close()
        return path

    return build


@pytest.fixture
def slow_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    """A machine on which a tenth of a second goes by between two looks at the clock."""
    ticks = count()
    monkeypatch.setattr("sqlverdict.refute.meter.monotonic", lambda: next(ticks) / 10)


@pytest.mark.usefixtures("slow_clock")
def test_a_slow_machine_finds_what_a_fast_one_finds(make: Make) -> None:
    schema = read_sqlite(make(1, 5, 30))
    assert find_witness(*EQUAL, schema) == NotRefuted(100)
    assert find_witness(*DIFFERENT, schema).refuted


def test_what_the_clock_cuts_says_so(make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    ticks = count()
    for clock in ("monotonic", "thread_time"):
        monkeypatch.setattr(f"sqlverdict.refute.meter.{clock}", lambda: next(ticks) * 50.0)
    witness = find_witness(*EQUAL, read_sqlite(make(1, 5, 30)))
    assert isinstance(witness, NotRefuted)
    assert (witness.cut_by_time, witness.reason) == (True, Reason.BUDGET_EXHAUSTED)
    assert 0 < witness.instances < 100


@pytest.mark.slow
def test_work_cuts_a_search_at_the_same_instance_whatever_ran_before(make: Make) -> None:
    schema = read_sqlite(make(1, 5, 30))
    heavy = "SELECT count(*) FROM t0 a, t0 b, t0 c, t0 d WHERE a.c0_1 + b.c0_1 + c.c0_1 > d.c0_1"
    pair = (heavy, heavy.replace(">", ">= 1 +"))
    budget = SearchBudget(work=3_000_000, alike=1)
    first = find_witness(*pair, schema, budget=budget)
    assert isinstance(first, NotRefuted)
    assert (first.cut_by_time, first.reason) == (False, Reason.BUDGET_EXHAUSTED)
    assert 0 < first.instances < 400
    for other in (EQUAL, DIFFERENT, pair, pair):
        find_witness(*other, schema, budget=budget)
        assert find_witness(*pair, schema, budget=budget) == first


def test_a_prediction_that_alone_spends_the_budget_is_blamed_for_it(make: Make) -> None:
    """Steps that say nothing bought a search of few databases, and a match that it did not refute."""
    schema = read_sqlite(make(1, 5, 30))
    busy = "(WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c WHERE x < 5000) "
    light = "SELECT count(*) FROM t0 WHERE c0_1 > 3"
    heavy = f"SELECT count(*) FROM t0 WHERE c0_1 > 3 AND {busy} SELECT max(x) FROM c) > 0"
    budget = SearchBudget(work=1_000_000)
    worn = find_witness(light, heavy, schema, budget=budget)
    assert isinstance(worn, NotRefuted)
    assert (worn.instances, worn.reason, worn.blame) == (0, Reason.BUDGET_EXHAUSTED, "prediction")
    by_gold = find_witness(heavy, light, schema, budget=budget)
    assert isinstance(by_gold, NotRefuted)
    assert by_gold.blame == ""


@pytest.mark.slow
@pytest.mark.parametrize("columns", [300, 1_200])
def test_a_wide_table_is_searched(make: Make, columns: int) -> None:
    path = make(1, columns, 25)
    witness = find_witness(*DIFFERENT, read_sqlite(path), database=path)
    assert isinstance(witness, Witness)
    assert witness.grade == "ordinary"


@pytest.mark.slow
def test_a_large_schema_is_searched(make: Make) -> None:
    path = make(700, 3, 1)
    schema = read_sqlite(path)
    witness = find_witness(*DIFFERENT, schema, database=path)
    assert isinstance(witness, Witness)
    assert witness.instance.schema == schema
    in_memory_engine().scratch_database(schema, frozenset()).close()


def test_only_touched_tables_are_read(make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    path = make(12, 4, 30)
    seen: list[str] = []
    before = sample._read

    def spy(*arguments: object) -> sample.Sample:
        read = before(*arguments)  # type: ignore[arg-type]
        seen.append(read.table.name)
        return read

    monkeypatch.setattr(sample, "_read", spy)
    schema = read_sqlite(path)
    for _ in range(2):
        find_witness(*DIFFERENT, schema, database=path)
    assert seen == ["t0"], "once, and no other table"


def test_what_a_table_shows_does_not_depend_on_who_asked_first(make: Make) -> None:
    extra = "CREATE TABLE child (t0_id INTEGER REFERENCES t0, note TEXT);" + "".join(
        f"INSERT INTO child VALUES ({n % 25}, 'n{n}');" for n in range(60)
    )
    samples = []
    for words in (["t0", "child"], ["child", "t0"], ["t0"], ["t1"]):
        path = make(2, 4, 30, extra)
        schema = read_sqlite(path)
        mine(path, schema_part(schema, words))
        samples.append(mine(path, schema_part(schema, ["t0", "child"])).members)
    assert all(result == samples[0] for result in samples)
    assert Inclusion("child", "t0_id", "t0", "id") in samples[0]


@pytest.mark.slow
def test_pairs_of_columns_grow_with_the_width_and_not_with_its_square(
    make: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls: list[int] = []
    before = pairs._determines
    monkeypatch.setattr(pairs, "_determines", lambda *two: calls.append(1) or before(*two))
    numbers = []
    for columns in (70, 140, 280):
        calls.clear()
        mine(make(1, columns, 25))
        numbers.append(len(calls))
    assert numbers[2] - numbers[1] == 2 * (numbers[1] - numbers[0])


class TestThePartOfASchema:
    SCHEMA = """
        CREATE TABLE a (id INTEGER PRIMARY KEY, b_id INTEGER REFERENCES b (id));
        CREATE TABLE b (id INTEGER PRIMARY KEY, c_id INTEGER REFERENCES c (id));
        CREATE TABLE c (id INTEGER PRIMARY KEY);
        CREATE TABLE d (id INTEGER PRIMARY KEY, a_id INTEGER REFERENCES a (id));
        CREATE VIEW v AS SELECT id FROM c;
        CREATE VIEW w AS SELECT id FROM "V";
    """

    @pytest.fixture
    def schema(self, make: Make) -> Schema:
        return read_sqlite(make(0, 0, 0, self.SCHEMA))

    @pytest.mark.parametrize(
        ("words", "tables"),
        [
            (["A"], "a b c"),
            (["c"], "c"),
            (["[d]", "other"], "a b c d"),
            (["w"], "c v w"),
            ([], ""),
            (["sqlite_master"], "a b c d v w"),
        ],
    )
    def test_holds_what_the_words_need(self, schema: Schema, words: list[str], tables: str) -> None:
        part = schema_part(schema, words)
        assert " ".join(table.name for table in part.tables) == tables
        assert schema_part(schema, words) is part

    def test_is_enough_for_a_witness_of_the_whole(self, schema: Schema) -> None:
        witness = find_witness("SELECT count(*) FROM a", "SELECT count(b_id) FROM a", schema)
        assert isinstance(witness, Witness)
        assert witness.instance.schema == schema

    def test_holds_the_facts_that_are_given(self, schema: Schema) -> None:
        from sqlverdict.parse.facts import facts_of

        queries = ("SELECT id FROM c", "SELECT DISTINCT id FROM c")
        assert not find_witness(*queries, schema, facts=facts_of(schema)).refuted
        assert find_witness(*queries, schema, facts=frozenset()).refuted
