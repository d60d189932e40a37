"""Witness files: readable, exact, replayable, and harmless whatever the queries say."""

from __future__ import annotations

import json
import math
import sqlite3
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from error_parts import refuses_data
from sqlverdict.error_reasons import DataReason
from sqlverdict.errors import DataError, FileFailure
from sqlverdict.execute.engines.sqlite.instance import SqliteInstance
from sqlverdict.parse.schema import Column, ForeignKey, Schema, Table
from sqlverdict.parse.schemas.ddl import read_ddl
from sqlverdict.parse.tokens import leading_keyword, statements
from sqlverdict.records import Answer, Cell, Contract, Failure, Reason, Row
from sqlverdict.refute.witness import Instance, Witness
from sqlverdict.refute.witness_files import NOTES, replay, safe_name, write

SCHEMA = read_ddl("CREATE TABLE t (a, b); CREATE TABLE other (c TEXT);", "tiny")
GOLD, PREDICTION = "SELECT count(*) FROM t", "SELECT count(a) FROM t"


def witness(
    rows: dict[str, tuple[Row, ...]] | None = None,
    gold: str = GOLD,
    prediction: str = PREDICTION,
    schema: Schema = SCHEMA,
) -> Witness:
    content = {"t": ((None, 1),)} if rows is None else rows
    return Witness(
        gold,
        prediction,
        Instance(schema, content),
        Answer(("count(*)",), [(1,)]),
        Answer(("count(a)",), [(0,)]),
        (Reason.VALUE_MISMATCH,),
        sentence="they differ when a t has no a (NULL)",
    )


def text_of(one: Witness) -> str:
    with TemporaryDirectory() as folder:
        return write(one, Path(folder), "one")[0].read_text()


def test_the_text_shows_queries_answers_sentence_and_only_touched_tables() -> None:
    text = text_of(witness())
    for part in (GOLD, PREDICTION, "they differ when a t has no a (NULL)", "Grade: ungraded"):
        assert part in text
    assert 'INSERT INTO "t" ("a", "b") VALUES\n  (NULL, 1);' in text
    assert "other" not in text
    assert [leading_keyword(s) for s in statements(text)] == ["CREATE", "INSERT"]


@pytest.mark.parametrize("suffix", [".sql", ".sqlite"])
def test_a_written_witness_replays(tmp_path: Path, suffix: str) -> None:
    paths = write(witness(), tmp_path / "new" / "folder", "case 1")
    assert {path.suffix for path in paths} == {".sql", ".sqlite"}
    again = replay(next(path for path in paths if path.suffix == suffix))
    assert again.differ
    assert isinstance(again.gold, Answer)
    assert (again.gold.rows, again.header.gold, again.header.prediction) == (
        [(1,)],
        GOLD,
        PREDICTION,
    )
    assert again.header.sentence == "they differ when a t has no a (NULL)"
    assert set(paths[0].parent.iterdir()) == set(paths)


def test_a_witness_that_cannot_be_written_leaves_nothing_half(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (old, *_), usual = write(witness(), tmp_path, "w"), Path.replace
    before = old.read_bytes()

    def fail(self: Path, target: Path) -> Path:
        if target.suffix == ".sql":
            raise OSError(28, "No space left on device")
        return usual(self, target)

    monkeypatch.setattr(Path, "replace", fail)
    with pytest.raises(FileFailure, match="No space"):
        write(witness(), tmp_path, "w")
    assert old.read_bytes() == before
    assert sorted(path.name for path in tmp_path.iterdir()) == ["w.sql", "w.sqlite"]


def test_a_witness_that_no_longer_differs_says_so(tmp_path: Path) -> None:
    path, _ = write(witness(), tmp_path, "w")
    path.write_text(path.read_text().replace("(NULL, 1)", "(2, 1)"))
    again = replay(path)
    assert not again.differ
    assert again.comparison.equal is True


def test_the_preset_and_the_contract_travel_with_the_file(tmp_path: Path) -> None:
    twice = witness({"t": ((1, 1), (1, 1))}, "SELECT a FROM t", "SELECT DISTINCT a FROM t")
    for path in write(twice, tmp_path, "w", preset="bird", contract=Contract(order="ignore")):
        again = replay(path)
        assert (again.header.preset, again.differ) == ("bird", False)
        assert again.header.contract == Contract(order="ignore")
        assert replay(path, preset="strict").differ


CELLS = st.one_of(
    st.none(),
    st.integers(-(2**63), 2**63 - 1),
    st.floats(allow_nan=False),
    st.text(st.characters(exclude_categories=["Cs"])),
    st.sampled_from(["it's", '"', "--", "/*", ";", "\0", "a\0b", "\r\n", "\u2028", "\u202e", "1"]),
    st.binary(max_size=8),
)


@settings(max_examples=80, deadline=None)
@given(st.lists(st.tuples(CELLS, CELLS), min_size=1, max_size=4))
def test_values_survive_exactly(rows: list[Row]) -> None:
    text = text_of(witness({"t": tuple(rows)}))
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as database:
        for statement in statements(text):
            database.execute(statement)
        result = database.execute("SELECT a, b FROM t").fetchall()
    assert [tuple(map(_exact, row)) for row in result] == [tuple(map(_exact, row)) for row in rows]


def _literal(cell: Cell, database: sqlite3.Connection) -> str:
    return SqliteInstance(database, {}, {}).literal(cell)


def _exact(cell: Cell) -> tuple[type, Cell]:
    return type(cell), (cell + 0.0 if isinstance(cell, float) else cell)


@settings(max_examples=200, deadline=None)
@given(st.floats(allow_nan=False))
def test_a_float_is_read_back_to_its_last_bit(value: float) -> None:
    with closing(sqlite3.connect(":memory:")) as database:
        (result,) = database.execute(f"SELECT {_literal(value, database)}").fetchone()
    assert result == value


def test_smallest_largest_and_no_number() -> None:
    with closing(sqlite3.connect(":memory:")) as database:
        for value in (5e-324, 1.7976931348623157e308, -math.inf, -(2**63), 2**63 - 1):
            assert database.execute(f"SELECT {_literal(value, database)}").fetchone() == (value,)
        assert _literal(math.nan, database) == "NULL"


HOSTILE = [
    "SELECT 1;\nDROP TABLE t;",
    "SELECT a FROM t -- \n; DELETE FROM t",
    "SELECT 1 /* \r\n */; ATTACH 'x' AS y",
    "SELECT '\x0b\x0c\x85\u2028\u2029 DROP TABLE t'",
    "-- witness {}\nSELECT 1",
    "*/ SELECT 1; .shell rm",
    "\0SELECT",
    "SELECT '\ud800'",
]


@pytest.mark.parametrize("sql", HOSTILE)
def test_no_query_text_leaves_its_comment(sql: str) -> None:
    text = text_of(witness(gold=sql, prediction=sql))
    assert [leading_keyword(s) for s in statements(text)] == ["CREATE", "INSERT"]
    head = text[: text.index("CREATE")]
    assert all(line.startswith("--") for line in head.strip().splitlines())
    marks = [line for line in text.splitlines() if line.startswith("-- witness ")]
    assert len(marks) == 1
    assert json.loads(marks[0].removeprefix("-- witness "))["gold"] == sql


def test_the_queries_of_a_file_are_guarded(tmp_path: Path) -> None:
    target = tmp_path / "made.sqlite"
    attack = f"ATTACH '{target}' AS x"
    for path in write(witness(gold=attack), tmp_path, "w"):
        again = replay(path)
        assert isinstance(again.gold, Failure)
        assert again.gold.reason is Reason.WRITE_BLOCKED
    assert not target.exists()


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("ATTACH '{target}' AS x;", "wrong_value"),
        ("DROP TABLE t;", "wrong_value"),
        ("DELETE FROM t;", "wrong_value"),
        ("PRAGMA writable_schema=1;", "wrong_value"),
        ("VACUUM INTO '{target}';", "wrong_value"),
        ("CREATE VIRTUAL TABLE v USING fts5(x);", "unreadable"),
        ("CREATE TRIGGER r AFTER INSERT ON t BEGIN SELECT 1; END;", "unreadable"),
        ("INSERT INTO t SELECT load_extension('x'), 1;", "unreadable"),
        (
            "CREATE TABLE z AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n) SELECT * FROM n;",
            "unreadable",
        ),
    ],
)
def test_a_file_can_only_make_and_fill_tables(
    tmp_path: Path, line: str, reason: DataReason
) -> None:
    target = tmp_path / "made"
    path, _ = write(witness(), tmp_path, "w")
    path.write_text(path.read_text() + line.format(target=target) + "\n")
    with refuses_data(DataError, reason, "w.sql"):
        replay(path)
    assert not target.exists()


@pytest.mark.parametrize(
    ("content", "reason", "says"),
    [
        (b"CREATE TABLE t (a);", "wrong_kind", "'-- witness'"),
        (b"-- witness {broken\n", "unreadable", "'-- witness'"),
        (b'-- witness {"gold": 1}\n', "wrong_value", "$.gold"),
        (
            b'-- witness {"format": 99, "gold": "SELECT 1", "prediction": "SELECT 2"}\n',
            "another_version",
            "format 99",
        ),
        (b"\xff\xfe", "unreadable", "UTF-8"),
        (b"SQLite format 3\0 and then nothing", "damaged", "w.sql"),
    ],
)
def test_what_is_no_witness_is_said(
    tmp_path: Path, content: bytes, reason: DataReason, says: str
) -> None:
    path = tmp_path / "w.sql"
    path.write_bytes(content)
    with refuses_data(DataError, reason, says):
        replay(path)
    with refuses_data(DataError, "missing", "missing.sql"):
        replay(tmp_path / "missing.sql")


def test_a_database_without_notes_is_no_witness(tmp_path: Path) -> None:
    path = tmp_path / "w.sqlite"
    with closing(sqlite3.connect(path)) as database:
        database.execute("CREATE TABLE t (a)")
    with refuses_data(DataError, "wrong_kind", NOTES):
        replay(path)


def test_odd_names_are_quoted() -> None:
    table = Table('we"ird; --', (Column('a "b"', "INT"), Column("select", "TEXT")))
    schema = Schema("odd", (table,), "tables_json")
    name = '"we""ird; --"'
    text = text_of(
        witness(
            {table.name: ((1, None),)},
            f"SELECT count(*) FROM {name}",
            f'SELECT count("select") FROM {name}',
            schema,
        )
    )
    assert [leading_keyword(s) for s in statements(text)] == ["CREATE", "INSERT"]
    assert '("a ""b""", "select")' in text


def test_a_schema_without_declarations_gets_them(tmp_path: Path) -> None:
    parent = Table("parent", (Column("id", "number", True),), ("id",))
    child = Table(
        "child",
        (Column("id", "number"), Column("up", "number")),
        uniques=(("id",),),
        foreign_keys=(ForeignKey(("up",), "parent", ("id",)),),
        checks=("id > 0 -- positive",),
    )
    schema = Schema("made", (parent, child), "tables_json")
    outcome = witness(
        {"parent": ((1,),), "child": ((1, None), (2, 1))},
        "SELECT count(*) FROM child, parent",
        "SELECT count(*) FROM child JOIN parent ON up = parent.id",
        schema,
    )
    path, _ = write(outcome, tmp_path, "w")
    text = path.read_text()
    for part in ('PRIMARY KEY ("id")', 'UNIQUE ("id")', "CHECK (id > 0", 'REFERENCES "parent"'):
        assert part in text
    assert replay(path).differ


def test_rows_that_break_the_declaration_get_a_plain_table(tmp_path: Path) -> None:
    schema = read_ddl("CREATE TABLE t (a INTEGER PRIMARY KEY, b INT NOT NULL UNIQUE);", "keyed")
    for rows in (((None, 1),), ((1, None), (2, None)), ((1, 5), (None, 5))):
        outcome = witness({"t": rows}, "SELECT count(*) FROM t", "SELECT 7", schema)
        for path in write(outcome, tmp_path, "w"):
            again = replay(path)
            assert isinstance(again.gold, Answer)
            assert again.gold.rows == [(len(rows),)]
    assert "PRIMARY KEY" not in path.with_suffix(".sql").read_text()


def test_views_bring_their_tables_and_generated_columns_compute(tmp_path: Path) -> None:
    schema = read_ddl(
        "CREATE TABLE base (a INT, twice INT GENERATED ALWAYS AS (a * 2));"
        "CREATE TABLE unused (z); CREATE VIEW v AS SELECT twice FROM base -- the view",
        "views",
    )
    outcome = witness({"base": ((3, 6),)}, "SELECT twice FROM v", "SELECT twice + 1 FROM v", schema)
    for path in write(outcome, tmp_path, "w"):
        again = replay(path)
        assert isinstance(again.gold, Answer)
        assert (again.differ, again.gold.rows) == (True, [(6,)])
    assert "unused" not in text_of(outcome)


@settings(max_examples=100)
@given(st.text())
def test_any_id_is_a_safe_file_name(text: str) -> None:
    name = safe_name(text)
    assert 0 < len(name) < 100
    assert Path(name).name == name
    assert not name.startswith(".")


def test_different_ids_get_different_files() -> None:
    ids = ["a/b", "a_b", "a b", "../a", "", ".", "CON", "x" * 300, "x" * 301, "7", "ü"]
    assert len({safe_name(one) for one in ids}) == len(ids)
    assert safe_name("bird-17_3.x") == "bird-17_3.x"


def test_a_failure_is_shown_and_replayed(tmp_path: Path) -> None:
    result = replace(
        witness({"t": ((-(2**63), 1),)}, "SELECT a FROM t", "SELECT abs(a) FROM t"),
        prediction=Failure(Reason.EXECUTION_ERROR, "integer overflow"),
    )
    path, _ = write(result, tmp_path, "w")
    assert "It fails: EXECUTION_ERROR: integer overflow" in path.read_text()
    assert replay(path).differ
