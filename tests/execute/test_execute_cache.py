"""The cache of answers: the same answer back, by everything that can change it, come what may."""

from __future__ import annotations

import multiprocessing
import os
import signal
import sqlite3
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec import structs

from sqlverdict.execute.cache import AnswerCache, default_path, scope_key
from sqlverdict.execute.engine import ENGINES, Limits
from sqlverdict.execute.fold_sql import answer_key, fold_sql
from sqlverdict.execute.query_runner import QueryRunner
from sqlverdict.records import Answer, Failure, Fault, Outcome, Reason
from sqlverdict.testing import make_database
from timeouts import wait_until

SCOPE = scope_key("digest", Limits().key(), "sqlite", "3.40.1")
CELLS = st.one_of(
    st.none(),
    st.integers(-(2**63), 2**63 - 1),
    st.floats(allow_nan=False),
    st.text(),
    st.binary(max_size=50),
)
FAILURES = st.builds(
    Failure,
    reason=st.sampled_from(Reason),
    message=st.text(),
    seconds=st.floats(0, 1e6),
)


@st.composite
def answers(draw: st.DrawFn) -> Answer:
    width = draw(st.integers(1, 4))
    columns = draw(st.tuples(*[st.text(max_size=5)] * width))
    rows = draw(st.lists(st.tuples(*[CELLS] * width), max_size=8))
    return Answer(columns, rows, draw(st.floats(0, 1e6)))


def exact(outcome: Outcome) -> object:
    """With types: 1 is not 1.0 here, and 0.0 is not -0.0."""
    if isinstance(outcome, Failure):
        return outcome
    cells = [[(type(cell), repr(cell)) for cell in row] for row in outcome.rows]
    return outcome.columns, cells, outcome.seconds, all(type(r) is tuple for r in outcome.rows)


@settings(max_examples=60, deadline=None)
@given(outcome=st.one_of(answers(), FAILURES), large=st.booleans())
def test_what_went_in_comes_out(
    outcome: Outcome, large: bool, tmp_path_factory: pytest.TempPathFactory
) -> None:
    if large and isinstance(outcome, Answer):
        outcome = structs.replace(outcome, rows=outcome.rows * 300)
    path = tmp_path_factory.getbasetemp() / "round.sqlite"
    path.unlink(missing_ok=True)
    cache = AnswerCache(path)
    key = answer_key(SCOPE, "SELECT 1")
    assert cache.get(SCOPE, key) is None
    cache.put(SCOPE, key, outcome)
    waiting = cache.get(SCOPE, key)
    assert waiting is not None
    assert exact(waiting) == exact(outcome)
    cache.close()
    again = AnswerCache(path)
    stored = again.get(SCOPE, key)
    again.close()
    assert stored is not None
    assert exact(stored) == exact(outcome)


def test_the_key_changes_with_whatever_can_change_an_answer() -> None:
    limits = Limits()
    base = ("digest", limits.key(), "sqlite", "3.40.1")
    scopes = {
        scope_key(*base),
        scope_key("other", *base[1:]),
        scope_key("digest", "other", "sqlite", "3.40.1"),
        scope_key("digest", limits.key(), "duckdb", "3.40.1"),
        scope_key("digest", limits.key(), "sqlite", "3.54.0"),
    }
    for name in ("steps", "rows", "bytes", "memory", "cell", "sql_length"):
        changed = replace(limits, **{name: getattr(limits, name) + 1})
        scopes.add(scope_key("digest", changed.key(), "sqlite", "3.40.1"))
    assert len(scopes) == 1 + 4 + 6
    longer = replace(limits, seconds=99)
    assert scope_key("digest", longer.key(), "sqlite", "3.40.1") == scope_key(*base)
    keys = {
        answer_key(scope, sql) for scope in scopes for sql in ("SELECT 1", "SELECT 2", "\ud800")
    }
    assert len(keys) == 3 * len(scopes)


def test_changed_content_is_asked_anew(tmp_path: Path) -> None:
    database = make_database(tmp_path / "people.sqlite")
    sql = "SELECT count(*) FROM city"

    def ask() -> tuple[Outcome, int]:
        runner = QueryRunner("sqlite", Limits(), AnswerCache(tmp_path / "cache.sqlite"))
        outcome = runner.run(str(database), sql)
        runner.close()
        return outcome, runner.executed

    first, executed = ask()
    assert executed == 1
    again, executed = ask()
    assert executed == 0
    assert exact(again) == exact(first)
    with closing(sqlite3.connect(database)) as connection, connection:
        connection.execute("DELETE FROM city WHERE id = 1")
    connection.close()
    changed, executed = ask()
    assert executed == 1
    assert isinstance(changed, Answer)
    assert changed.rows == [(39,)]


@pytest.mark.parametrize(
    ("sql", "limits", "stored"),
    [
        ("SELECT count(*) FROM city", Limits(), True),
        ("SELECT nothing FROM city", Limits(), True),
        ("SELECT a.id FROM person a, person b, person c", Limits(rows=99), True),
        ("SELECT count(*) FROM person a, person b, person c", Limits(steps=90_000), True),
        ("SELECT random()", Limits(), False),
        ("SELECT date('now')", Limits(), False),
        ("SELECT strftime('%s')", Limits(), False),
        ("SELECT CURRENT_TIMESTAMP", Limits(), False),
        ("SELECT id FROM person ORDER BY random() LIMIT 1", Limits(), False),
        ("SELECT count(*) FROM person a, person b, person c", Limits(seconds=0.05), False),
    ],
)
def test_only_what_lasts_is_stored(sql: str, limits: Limits, stored: bool, tmp_path: Path) -> None:
    database = make_database(tmp_path / "people.sqlite")
    executed = []
    for _ in range(2):
        runner = QueryRunner("sqlite", limits, AnswerCache(tmp_path / "cache.sqlite"))
        runner.run(str(database), sql)
        runner.close()
        executed.append(runner.executed)
    assert executed == [1, 0 if stored else 1]


def test_an_engine_that_is_at_fault_is_not_remembered(tmp_path: Path) -> None:
    cache = AnswerCache(tmp_path / "cache.sqlite")
    fault = Failure(Reason.DATABASE_UNAVAILABLE, "gone", Fault.ENGINE, repeatable=False)
    cache.put(SCOPE, b"k" * 16, fault)
    assert cache.get(SCOPE, b"k" * 16) is None
    cache.close()


def _write(path: Path, writer: int, count: int, start: Any) -> None:
    start.wait()
    cache = AnswerCache(path)
    for number in range(count):
        # Half of the entries are everybody's, half the writer's own.
        text = f"shared {number}" if number % 2 else f"{writer} {number}"
        cache.put(SCOPE, answer_key(SCOPE, text), Answer(("a",), [(text,)]))
        if number % 10 == 9:
            cache.flush()
    cache.close()
    os._exit(1 if cache.problem else 0)


@pytest.mark.slow
def test_several_processes_write_at_once(tmp_path: Path) -> None:
    path = tmp_path / "new" / "cache.sqlite"
    context = multiprocessing.get_context("fork")
    start = context.Barrier(6)
    writers = [context.Process(target=_write, args=(path, n, 200, start)) for n in range(6)]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()
    assert [writer.exitcode for writer in writers] == [0] * 6
    cache = AnswerCache(path)
    for n in range(6):
        for number in range(200):
            text = f"shared {number}" if number % 2 else f"{n} {number}"
            result = cache.get(SCOPE, answer_key(SCOPE, text))
            assert isinstance(result, Answer)
            assert result.rows == [(text,)]
    cache.close()


def _write_on(path: Path) -> None:
    cache = AnswerCache(path)
    number = 0
    while True:
        text = f"{os.getpid()} {number}"
        cache.put(SCOPE, answer_key(SCOPE, text), Answer(("a",), [(text, "x" * 5_000)]))
        cache.flush()
        number += 1


def _row_count(path: Path) -> int:
    """How many answers a cache has; none before it has a file and a table."""
    if not path.exists():
        return 0
    with closing(sqlite3.connect(path)) as connection:
        try:
            (count,) = connection.execute("SELECT count(*) FROM answers").fetchone()
        except sqlite3.OperationalError:
            return 0
    return int(count)


@pytest.mark.slow
def test_kill_9_while_writing_leaves_a_usable_file(tmp_path: Path) -> None:
    path = tmp_path / "cache.sqlite"
    context = multiprocessing.get_context("fork")
    for most in (5, 10, 15, 20):
        writers = [context.Process(target=_write_on, args=(path,)) for _ in range(2)]
        for writer in writers:
            writer.start()
        assert wait_until(lambda most=most: _row_count(path) >= most)
        for writer in writers:
            assert writer.pid is not None
            os.kill(writer.pid, signal.SIGKILL)
            writer.join()
    cache = AnswerCache(path)
    assert cache.problem is None
    cache.put(SCOPE, b"n" * 16, Answer(("a",), [(1,)]))
    cache.close()
    assert cache.problem is None
    with closing(sqlite3.connect(path)) as connection, connection:
        assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        (count,) = connection.execute("SELECT count(*) FROM answers").fetchone()
    connection.close()
    assert count >= 20
    again = AnswerCache(path)
    assert isinstance(again.get(SCOPE, b"n" * 16), Answer)
    again.close()


def filled(path: Path, count: int = 3_000) -> AnswerCache:
    cache = AnswerCache(path)
    for number in range(count):
        key = answer_key(SCOPE, str(number))
        cache.put(SCOPE, key, Answer(("a",), [(number, "x" * 200)]))
    return cache


@pytest.mark.parametrize("file_part", ["header", "schema", "middle"])
def test_a_damaged_file_is_set_aside(file_part: str, tmp_path: Path) -> None:
    path = tmp_path / "cache.sqlite"
    filled(path).close()
    content = bytearray(path.read_bytes())
    start, end = {"header": (0, 100), "schema": (100, 4096), "middle": (8192, len(content))}[
        file_part
    ]
    content[start:end] = Random(file_part).randbytes(end - start)
    path.write_bytes(content)
    cache = AnswerCache(path)
    for number in range(3_000):
        cache.get(SCOPE, answer_key(SCOPE, str(number)))
    assert cache.problem is not None
    assert "damaged" in cache.problem
    cache.put(SCOPE, b"n" * 16, Answer(("a",), [(1,)]))
    cache.close()
    (aside,) = tmp_path.glob("cache.sqlite.damaged-*")
    assert aside.stat().st_size == len(content)
    again = AnswerCache(path)
    assert again.problem is None
    assert isinstance(again.get(SCOPE, b"n" * 16), Answer)
    again.close()


def test_a_damaged_entry_is_asked_anew_and_mended(tmp_path: Path) -> None:
    path = tmp_path / "cache.sqlite"
    key = answer_key(SCOPE, "0")
    filled(path, 1).close()
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("UPDATE answers SET payload = substr(payload, 1, 9)")
    connection.close()
    cache = AnswerCache(path)
    assert cache.get(SCOPE, key) is None
    cache.put(SCOPE, key, Answer(("a",), [(0,)]))
    cache.close()
    again = AnswerCache(path)
    assert again.get(SCOPE, key) == Answer(("a",), [(0,)])
    again.close()


@pytest.mark.parametrize("kind", ["a file is in the way", "a folder is in the way"])
def test_without_a_usable_file_all_works_uncached(kind: str, tmp_path: Path) -> None:
    path = tmp_path / "place" / "cache.sqlite"
    if kind == "a file is in the way":
        (tmp_path / "place").write_text("not a folder")
    else:
        path.mkdir(parents=True)
    cache = AnswerCache(path)
    assert cache.problem is not None
    assert str(path) in cache.problem
    assert "not cached" in cache.problem
    database = make_database(tmp_path / "people.sqlite")
    runner = QueryRunner("sqlite", Limits(), cache)
    outcome = runner.run(str(database), "SELECT count(*) FROM city")
    runner.flush()
    runner.close()
    assert isinstance(outcome, Answer)
    assert outcome.rows == [(40,)]


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_a_folder_that_may_not_be_written(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    cache = AnswerCache(tmp_path / "cache.sqlite")
    tmp_path.chmod(0o700)
    assert cache.problem is not None


def test_the_size_limit_drops_the_oldest(tmp_path: Path) -> None:
    path = tmp_path / "cache.sqlite"
    cache = filled(path, 5_000)
    cache.limit = 500_000
    cache.close()
    again = AnswerCache(path)
    survivors = [n for n in range(5_000) if again.get(SCOPE, answer_key(SCOPE, str(n))) is not None]
    again.close()
    assert 500 < len(survivors) < 2_500
    assert survivors == list(range(5_000 - len(survivors), 5_000))


def test_the_place_can_be_chosen(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SQLVERDICT_CACHE", "/somewhere/answers.sqlite")
    assert default_path() == Path("/somewhere/answers.sqlite")
    monkeypatch.delenv("SQLVERDICT_CACHE")
    monkeypatch.setenv("XDG_CACHE_HOME", "/xdg")
    assert default_path() == Path("/xdg/sqlverdict/answers.sqlite")


def test_the_engine_version_is_part_of_the_key(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    database = make_database(tmp_path / "people.sqlite")
    executed = []
    for version in ("1", "1", "2"):
        monkeypatch.setattr(type(ENGINES.get("sqlite")), "version", version)
        runner = QueryRunner("sqlite", Limits(), AnswerCache(tmp_path / "cache.sqlite"))
        runner.run(str(database), "SELECT count(*) FROM city")
        runner.close()
        executed.append(runner.executed)
    assert executed == [1, 0, 1]


@pytest.mark.parametrize(
    ("sql", "other"),
    [
        ("SELECT 'it\\'S'", "SELECT 'it\\'s'"),
        ("SELECT a # x\n, b FROM t", "SELECT a # x , b FROM t"),
        ("SELECT $$A$$", "SELECT $$a$$"),
        ("SELECT $x$A$x$", "SELECT $x$a$x$"),
    ],
)
def test_texts_that_differ_on_some_engine_have_answers_of_their_own(sql: str, other: str) -> None:
    assert fold_sql(sql) != fold_sql(other)
