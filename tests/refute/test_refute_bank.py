"""The bank: best first, by content, shared, bounded; and the suites made of it."""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from error_parts import refuses_data
from sqlverdict.error_reasons import DataReason
from sqlverdict.errors import DataError
from sqlverdict.load.databases import suite_of
from sqlverdict.parse.schema import Schema
from sqlverdict.parse.schemas.ddl import read_ddl
from sqlverdict.records import Answer, Reason, Row
from sqlverdict.refute.bank.store import Bank, default_bank, schema_digest
from sqlverdict.refute.bank.suite import (
    cover,
    distil,
    export_bank,
    export_suite,
    import_bank,
    separated_by,
    smallest_suite,
)
from sqlverdict.refute.witness import Instance, Witness
from timeouts import HANG_SECONDS

DDL = "CREATE TABLE t (a, b); CREATE TABLE u (c);"
SCHEMA = read_ddl(DDL, "tiny")
COUNT = ("SELECT count(*) FROM t", "SELECT count(a) FROM t")
DISTINCT = ("SELECT b FROM t", "SELECT DISTINCT b FROM t")
EMPTY = ("SELECT max(a) FROM t", "SELECT a FROM t ORDER BY a DESC LIMIT 1")
NULL_ROW: Row = (None, 1)


def instance(*rows: Row, schema: Schema = SCHEMA) -> Instance:
    return Instance(schema, {"t": rows})


def witness(pair: tuple[str, str], *rows: Row) -> Witness:
    answers = Answer(("x",), [(1,)]), Answer(("x",), [(2,)])
    return Witness(*pair, instance(*rows), *answers, (Reason.VALUE_MISMATCH,))


@pytest.fixture
def bank(tmp_path: Path) -> Iterator[Bank]:
    with closing(Bank(tmp_path / "bank.sqlite")) as bank:
        yield bank


def rows_of(result: Instance) -> tuple[Row, ...]:
    return tuple(result.rows["t"])


def test_what_separated_the_most_pairs_comes_first(bank: Bank) -> None:
    bank.add(witness(COUNT, NULL_ROW))
    bank.add(witness(COUNT, (None, 1), (None, 1)))
    bank.add(witness(DISTINCT, (None, 1), (None, 1)))
    assert [rows_of(result) for result in bank.instances(SCHEMA)] == [
        ((None, 1), (None, 1)),
        ((None, 1),),
    ]
    assert bank.counts() == [("tiny", 2, 2)]


def test_the_same_rows_are_one_instance_and_the_same_pair_one_pair(bank: Bank) -> None:
    for _ in range(3):
        bank.add(witness(COUNT, NULL_ROW))
    bank.record(Instance(SCHEMA, {"t": (NULL_ROW,)}), [COUNT])
    assert bank.counts() == [("tiny", 1, 1)]


def test_another_schema_sees_nothing_of_it(bank: Bank) -> None:
    bank.add(witness(COUNT, NULL_ROW))
    for ddl in (
        "CREATE TABLE t (a, b);",
        "CREATE TABLE t (b, a); CREATE TABLE u (c);",
        "CREATE TABLE t (a NOT NULL, b); CREATE TABLE u (c);",
        "CREATE TABLE t (a, b UNIQUE); CREATE TABLE u (c);",
    ):
        assert list(bank.instances(read_ddl(ddl, "tiny"))) == []
    renamed = read_ddl(DDL, "another name")
    assert schema_digest(renamed) == schema_digest(SCHEMA)
    assert len(list(bank.instances(renamed))) == 1


def test_it_lasts_and_is_shared_by_open_banks(tmp_path: Path) -> None:
    path = tmp_path / "new" / "bank.sqlite"
    with Bank(path) as one, Bank(path) as two:
        one.add(witness(COUNT, NULL_ROW))
        assert len(list(two.instances(SCHEMA))) == 1
    with Bank(path) as later:
        assert len(list(later.instances(SCHEMA))) == 1


WORKER = """
import sys
from pathlib import Path
from sqlverdict.parse.schemas.ddl import read_ddl
from sqlverdict.refute.bank.store import Bank
from sqlverdict.refute.witness import Instance
bank = Bank(Path(sys.argv[1]))
schema = read_ddl("CREATE TABLE t (a, b); CREATE TABLE u (c);", "tiny")
for number in range(int(sys.argv[3])):
    bank.record(Instance(schema, {"t": ((int(sys.argv[2]), number),)}), [("SELECT 1", "SELECT 2")])
    print(number, flush=True)
assert bank.problem is None, bank.problem
"""


def _worker(path: Path, number: int, count: int) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", WORKER, str(path), str(number), str(count)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)


@pytest.mark.slow
def test_processes_begin_and_fill_one_bank_at_once(tmp_path: Path) -> None:
    path = tmp_path / "bank.sqlite"
    workers = [_worker(path, number, 30) for number in range(3)]
    for worker in workers:
        worker.communicate(timeout=HANG_SECONDS)
    assert [worker.returncode for worker in workers] == [0, 0, 0]
    with Bank(path) as bank:
        assert bank.counts() == [("tiny", 90, 1)]


def test_a_killed_process_loses_nothing_that_it_added(tmp_path: Path) -> None:
    path = tmp_path / "bank.sqlite"
    worker = _worker(path, 1, 1_000_000)
    assert worker.stdout is not None
    for _ in range(25):
        last = int(worker.stdout.readline())
    os.kill(worker.pid, signal.SIGKILL)
    worker.wait()
    worker.stdout.close()
    with Bank(path) as bank:
        assert bank.problem is None
        ((_, instances, _),) = bank.counts()
    assert instances > last


def test_a_damaged_file_is_set_aside_and_a_new_one_begun(tmp_path: Path) -> None:
    path = tmp_path / "bank.sqlite"
    path.write_bytes(b"no database at all" * 100)
    bank = Bank(path)
    bank.add(witness(COUNT, NULL_ROW))
    assert len(list(bank.instances(SCHEMA))) == 1
    assert "damaged" in (bank.problem or "")
    assert list(tmp_path.glob("bank.sqlite.damaged-*"))
    bank.close()


def test_without_a_usable_file_there_is_a_problem_and_no_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    bank = Bank(tmp_path / "file" / "bank.sqlite")
    bank.add(witness(COUNT, NULL_ROW))
    assert (list(bank.instances(SCHEMA)), bank.counts(), bank.size) == ([], [], 0)
    assert "not used" in (bank.problem or "")
    bank.close()


def test_an_entry_that_cannot_be_read_is_passed_over(bank: Bank) -> None:
    bank.add(witness(COUNT, (None, 1), (None, 1)))
    bank.add(witness(DISTINCT, (None, 1), (None, 1)))
    bank.add(witness(COUNT, NULL_ROW))
    with closing(sqlite3.connect(bank.path, isolation_level=None)) as other:
        other.execute("UPDATE instances SET payload = x'00112233' WHERE size = 2")
    assert [rows_of(result) for result in bank.instances(SCHEMA)] == [(NULL_ROW,)]
    assert bank.pairs(SCHEMA) == {COUNT: {0}}
    assert len(smallest_suite(bank, SCHEMA)) == 1


def test_the_size_is_bounded_and_the_useful_stay(tmp_path: Path) -> None:
    bank = Bank(tmp_path / "bank.sqlite", limit=200_000)
    bank.record(instance(("useful", 1)), [COUNT, DISTINCT, EMPTY])
    for number in range(600):
        bank.record(instance(("x" * 1000, number)), [(f"SELECT {number}", "SELECT 0")])
    assert bank.size > 200_000
    assert bank.trim() > 0
    assert bank.size <= 200_000
    survivors = [rows_of(result) for result in bank.instances(SCHEMA)]
    assert survivors[0] == (("useful", 1),)
    assert survivors[1:]
    assert set(bank.pairs(SCHEMA)) >= {COUNT, DISTINCT, EMPTY}
    assert len(bank.pairs(SCHEMA)) < 600
    bank.close()


def test_the_default_lies_beside_the_cache_of_answers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SQLVERDICT_BANK", raising=False)
    monkeypatch.setenv("SQLVERDICT_CACHE", "/somewhere/answers.sqlite")
    assert default_bank() == Path("/somewhere/bank.sqlite")
    monkeypatch.setenv("SQLVERDICT_BANK", "/elsewhere/b.sqlite")
    assert default_bank() == Path("/elsewhere/b.sqlite")


SETS = st.dictionaries(
    st.integers(0, 6), st.sets(st.sampled_from([(c, c) for c in "abcdef"])), max_size=6
)


@settings(max_examples=100)
@given(SETS)
def test_a_cover_covers_without_idle_members(sets: dict[int, set[tuple[str, str]]]) -> None:
    choice = cover(sets)
    expected = set().union(*sets.values()) if sets else set()
    assert set().union(*(sets[number] for number in choice)) == expected if choice else not expected
    assert len(choice) == len(set(choice))
    seen: set[tuple[str, str]] = set()
    for number in choice:
        assert sets[number] - seen
        seen |= sets[number]


def test_the_suite_is_smaller_than_the_bank(bank: Bank) -> None:
    bank.add(witness(COUNT, NULL_ROW))
    bank.add(witness(COUNT, (None, 1), (None, 1)))
    bank.add(witness(DISTINCT, (None, 1), (None, 1)))
    assert [rows_of(result) for result in smallest_suite(bank, SCHEMA)] == [((None, 1), (None, 1))]


def test_distilling_asks_every_instance_about_every_pair(bank: Bank) -> None:
    bank.add(witness(COUNT, NULL_ROW))
    bank.add(witness(DISTINCT, (None, 2), (None, 2)))
    bank.add(witness(EMPTY))
    assert len(smallest_suite(bank, SCHEMA)) == 3
    result = distil(bank, SCHEMA)
    assert [rows_of(one) for one in result] == [((None, 2), (None, 2)), ()]
    assert len(bank.pairs(SCHEMA)[COUNT]) == 2


def test_an_undetermined_answer_separates_nothing() -> None:
    chance = ("SELECT b FROM t ORDER BY a LIMIT 1", "SELECT b FROM t ORDER BY a DESC LIMIT 1")
    tied = instance((1, 1), (1, 2))
    assert separated_by(tied, [chance]) == []
    assert separated_by(instance((1, 1), (2, 2)), [chance]) == [chance]


def test_a_written_suite_serves_test_suite_accuracy(bank: Bank, tmp_path: Path) -> None:
    bank.add(witness(COUNT, NULL_ROW))
    bank.add(witness(DISTINCT, (1, 1), (2, 1)))
    count = export_suite(bank, tmp_path / "suites")
    assert [path.relative_to(tmp_path) for path in count] == [
        Path("suites/tiny/1.sqlite"),
        Path("suites/tiny/2.sqlite"),
    ]
    result = suite_of(str(count[0]), "tiny", (".sqlite",))
    assert {Path(path).name for path in result} == {"1.sqlite", "2.sqlite"}
    with closing(sqlite3.connect(count[0])) as database:
        assert database.execute("SELECT name FROM sqlite_master ORDER BY 1").fetchall() == [
            ("t",),
            ("u",),
        ]


def test_two_schemas_of_one_name_are_not_mixed(bank: Bank, tmp_path: Path) -> None:
    other = read_ddl("CREATE TABLE t (a INT, b INT);", "tiny")
    bank.add(witness(COUNT, NULL_ROW))
    bank.record(instance(NULL_ROW, schema=other), [COUNT])
    count = export_suite(bank, tmp_path)
    assert sorted(path.parent.name for path in count) == ["tiny", "tiny-2"]


CELL = st.one_of(
    st.none(),
    st.integers(-(2**63), 2**63 - 1),
    st.floats(allow_nan=False),
    st.text(st.characters(exclude_categories=["Cs"]), max_size=5),
    st.binary(max_size=4),
)


@settings(max_examples=25, deadline=None)
@given(rows=st.lists(st.tuples(CELL, CELL), max_size=3))
def test_export_and_import_keep_everything(
    tmp_path_factory: pytest.TempPathFactory, rows: list[Row]
) -> None:
    folder = tmp_path_factory.mktemp("bank")
    with Bank(folder / "a.sqlite") as one, Bank(folder / "b.sqlite") as two:
        one.record(instance(*rows), [COUNT, ("SELECT 'ü\0'", "SELECT 2")])
        assert export_bank(one, folder / "bank.jsonl") == 1
        assert import_bank(two, folder / "bank.jsonl") == 1
        assert import_bank(two, folder / "bank.jsonl") == 1
        (result,) = two.instances(SCHEMA)
        assert [[(type(c), c) for c in row] for row in rows_of(result)] == [
            [(type(c), c) for c in row] for row in rows
        ]
        assert two.pairs(SCHEMA) == one.pairs(SCHEMA)
        assert two.schemas() == [SCHEMA]


@pytest.mark.parametrize(
    ("text", "reason", "says"),
    [
        ("", "unreadable", "line 1"),
        ("{}", "wrong_kind", "its first line should be"),
        ("[]", "wrong_kind", "line 1"),
        ('{"sqlverdict_bank": 1}\n{"rows": {}}', "wrong_value", "line 2"),
        ('{"sqlverdict_bank": 1}\nnothing', "unreadable", "line 2"),
    ],
)
def test_what_is_no_bank_is_said(
    bank: Bank, tmp_path: Path, text: str, reason: DataReason, says: str
) -> None:
    path = tmp_path / "bank.jsonl"
    path.write_text(text)
    with refuses_data(DataError, reason, says):
        import_bank(bank, path)
    with refuses_data(DataError, "missing", "missing.jsonl"):
        import_bank(bank, tmp_path / "missing.jsonl")


def test_rows_of_another_width_are_refused_whole(bank: Bank, tmp_path: Path) -> None:
    path = tmp_path / "bank.jsonl"
    bank.add(witness(COUNT, NULL_ROW))
    export_bank(bank, path)
    path.write_text(path.read_text().replace("[[null, 1]]", "[[null, 1, 2]]"))
    with Bank(tmp_path / "other.sqlite") as other, refuses_data(DataError, "mismatch", "line 2"):
        import_bank(other, path)
