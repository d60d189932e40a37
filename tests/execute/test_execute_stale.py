"""No stored answer outlives what it was an answer to: its database, its query, its moment."""

from __future__ import annotations

import os
import sqlite3
from contextlib import closing
from pathlib import Path
from random import Random

import pytest

from sqlverdict.execute.cache import AnswerCache, scope_key
from sqlverdict.execute.clock import may_read_clock
from sqlverdict.execute.engine import Limits
from sqlverdict.execute.fold_sql import answer_key
from sqlverdict.execute.query_runner import QueryRunner
from sqlverdict.files.digests import sha256_file
from sqlverdict.records import Answer, Outcome

SCOPE = scope_key("digest", Limits().key(), "sqlite", "3.40.1")
COUNT = "SELECT sum(a) FROM t"


def make(path: Path, *statements: str) -> Path:
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript("CREATE TABLE t (a, day TEXT); INSERT INTO t VALUES (1, '2020');")
        for statement in statements:
            connection.execute(statement)
        connection.commit()
    return path


def write(path: Path, statement: str) -> None:
    with closing(sqlite3.connect(path)) as connection:
        connection.execute(statement)
        connection.commit()


def runner_at(folder: Path) -> QueryRunner:
    return QueryRunner("sqlite", Limits(), AnswerCache(folder / "cache.sqlite"))


def rows(outcome: Outcome) -> list[tuple[object, ...]]:
    assert isinstance(outcome, Answer)
    return outcome.rows


def test_a_database_that_changes_during_a_run_leaves_nothing_under_its_old_digest(
    tmp_path: Path,
) -> None:
    database = make(tmp_path / "d.sqlite")
    old = database.read_bytes()
    runner = runner_at(tmp_path)
    runner.run(str(database), "SELECT 1")
    write(database, "UPDATE t SET a = 2")
    assert rows(runner.run(str(database), COUNT)) == [(2,)]
    runner.flush()
    assert runner.changed == {str(database)}
    runner.close()
    database.write_bytes(old)
    again = runner_at(tmp_path)
    assert rows(again.run(str(database), COUNT)) == [(1,)]
    again.close()


def test_a_large_batch_that_is_written_early_is_checked_too(tmp_path: Path) -> None:
    database = make(tmp_path / "d.sqlite")
    old = database.read_bytes()
    runner = runner_at(tmp_path)
    runner.run(str(database), "SELECT 1")
    write(database, "UPDATE t SET a = 2")
    large = "SELECT a, hex(zeroblob(2000000)) FROM t"
    for number in range(5):
        runner.run(str(database), f"{large} WHERE {number} < 9")
    assert runner.cache is not None
    runner.cache.close()
    database.write_bytes(old)
    again = runner_at(tmp_path)
    for number in range(5):
        assert rows(again.run(str(database), f"{large} WHERE {number} < 9"))[0][0] == 1
    again.close()


def test_a_runner_asks_anew_after_a_change(tmp_path: Path) -> None:
    database = make(tmp_path / "d.sqlite")
    runner = runner_at(tmp_path)
    assert rows(runner.run(str(database), COUNT)) == [(1,)]
    write(database, "UPDATE t SET a = 2")
    runner.flush()
    assert rows(runner.run(str(database), COUNT)) == [(2,)]
    runner.close()


def test_a_copy_of_a_database_that_stays_does_not_vouch_for_the_one_that_changed(
    tmp_path: Path,
) -> None:
    first = make(tmp_path / "first.sqlite")
    second = tmp_path / "second.sqlite"
    second.write_bytes(first.read_bytes())
    runner = runner_at(tmp_path)
    runner.run(str(first), "SELECT 1")
    runner.run(str(second), "SELECT 2")
    write(first, "UPDATE t SET a = 2")
    assert rows(runner.run(str(first), COUNT)) == [(2,)]
    runner.close()
    again = runner_at(tmp_path)
    assert rows(again.run(str(second), COUNT)) == [(1,)]
    again.close()


@pytest.mark.parametrize("journal", ["delete", "wal"])
def test_a_change_that_keeps_size_and_time_changes_the_digest(tmp_path: Path, journal: str) -> None:
    database = make(tmp_path / "d.sqlite")
    with closing(sqlite3.connect(database)) as connection:
        connection.execute(f"PRAGMA journal_mode={journal}")
        connection.execute("UPDATE t SET a = 5")
        connection.commit()
        file = database.with_name(database.name + "-wal") if journal == "wal" else database
        state, before = file.stat(), sha256_file(file)
        if journal == "wal":
            connection.execute("PRAGMA wal_checkpoint(FULL)")
        connection.execute("UPDATE t SET a = 7")
        connection.commit()
        os.utime(file, ns=(state.st_atime_ns, state.st_mtime_ns))
        now = file.stat()
        assert (now.st_size, now.st_mtime_ns) == (state.st_size, state.st_mtime_ns)
        assert sha256_file(file) != before


def test_a_file_put_in_the_place_of_another_has_its_own_digest(tmp_path: Path) -> None:
    file, other = tmp_path / "a", tmp_path / "b"
    file.write_bytes(b"x" * 200 + b"1")
    other.write_bytes(b"x" * 200 + b"2")
    state, before = file.stat(), sha256_file(file)
    os.utime(other, ns=(state.st_atime_ns, state.st_mtime_ns))
    other.replace(file)
    assert sha256_file(file) != before


@pytest.mark.parametrize(
    ("sql", "stored"),
    [
        ("SELECT d FROM v_now", False),
        ("SELECT d FROM v_outer", False),
        ("SELECT d FROM v_column", False),
        ("SELECT d FROM v_fixed", True),
        ("WITH w AS (SELECT date('now') AS d) SELECT d FROM w", False),
        ("WITH w AS (SELECT date(day) AS d FROM t) SELECT d FROM w", False),
        ("SELECT date(day) FROM t", False),
        ("SELECT date(lower('NO') || 'w')", False),
        ("SELECT strftime('%Y', (SELECT 'no' || char(119)))", False),
        ("SELECT \"date\"('now')", False),
        ("SELECT date('2020-01-01 03:00', 'localtime')", False),
        ("SELECT date('2020-01-01')", True),
        ("SELECT strftime('%Y', '2020-01-01', '+1 day'), julianday(2459000.5)", True),
        ("SELECT day FROM t WHERE day > date('2019-01-01', '-1 month')", True),
        ("SELECT abs(-9223372036854775807 - 1)", True),
        ("SELECT abs(-9223372036854775807 - 1 + 0 * random())", False),
    ],
)
def test_what_may_read_the_clock_is_asked_each_time(tmp_path: Path, sql: str, stored: bool) -> None:
    database = make(
        tmp_path / "d.sqlite",
        "CREATE VIEW v_now AS SELECT date('now') AS d FROM t",
        "CREATE VIEW v_outer AS SELECT d FROM v_now",
        "CREATE VIEW v_column AS SELECT date(day) AS d FROM t",
        "CREATE VIEW v_fixed AS SELECT date('2020-01-01') AS d FROM t",
    )
    executed = []
    for _ in range(2):
        runner = runner_at(tmp_path)
        runner.run(str(database), sql)
        runner.close()
        executed.append(runner.executed)
    assert executed == [1, 0 if stored else 1]


def test_a_column_that_says_now_is_asked_each_time(tmp_path: Path) -> None:
    database = make(tmp_path / "d.sqlite", "UPDATE t SET day = 'now'")
    for _ in range(2):
        runner = runner_at(tmp_path)
        runner.run(str(database), "SELECT date(day) FROM t")
        runner.close()
        assert runner.executed == 1


def test_a_view_that_reads_the_clock_makes_its_answer_volatile(tmp_path: Path) -> None:
    database = make(tmp_path / "d.sqlite", "CREATE VIEW v AS SELECT date('now') AS d FROM t")
    runner = runner_at(tmp_path)
    for sql in ("SELECT d FROM v", "SELECT * FROM v, t", "SELECT (SELECT max(d) FROM v)"):
        outcome = runner.run(str(database), sql)
        assert isinstance(outcome, Answer)
        assert outcome.volatile
    # Columns are dates in most databases: such a query is not volatile, only not stored.
    plain = runner.run(str(database), "SELECT date(day) FROM t")
    assert isinstance(plain, Answer)
    assert not plain.volatile
    runner.close()


def test_a_text_in_which_no_date_function_is_seen_is_not_trusted() -> None:
    assert may_read_clock("SELECT x FROM y")
    assert may_read_clock("SELECT date(")
    assert may_read_clock("SELECT date")
    assert may_read_clock("SELECT time(x'6e6f77')")
    assert not may_read_clock("SELECT date( /* now */ '2020' )")


def test_a_damaged_file_serves_no_other_querys_answer(tmp_path: Path) -> None:
    path = tmp_path / "cache.sqlite"
    cache = AnswerCache(path)
    keys = {answer_key(SCOPE, str(number)): number for number in range(120)}
    for key, number in keys.items():
        cache.put(SCOPE, key, Answer(("a",), [(number, "x" * (number % 7))]))
    cache.close()
    whole = path.read_bytes()
    rng = Random(11)
    # 150 files take a second; all 1,500 of the first report were run once with this code.
    for _ in range(150):
        content = bytearray(whole)
        for _ in range(rng.choice((1, 2, 8, 40))):
            content[rng.randrange(100, len(content))] ^= 1 << rng.randrange(8)
        path.write_bytes(content)
        for suffix in ("-wal", "-shm"):
            path.with_name(path.name + suffix).unlink(missing_ok=True)
        damaged = AnswerCache(path)
        for key, number in keys.items():
            result = damaged.get(SCOPE, key)
            assert result is None or rows(result)[0][0] == number
        damaged.close()


def test_an_entry_moved_to_another_key_is_not_served(tmp_path: Path) -> None:
    path = tmp_path / "cache.sqlite"
    first, second = answer_key(SCOPE, "1"), answer_key(SCOPE, "2")
    cache = AnswerCache(path)
    cache.put(SCOPE, first, Answer(("a",), [(1,)]))
    cache.close()
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("UPDATE answers SET key = ?", (second,))
        connection.commit()
    cache = AnswerCache(path)
    assert cache.get(SCOPE, second) is None
    cache.close()
