"""A damaged database is looked for by reading it, and is blamed on no prediction."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from fault_parts import (
    GOOD,
    STATEMENTS,
    UNAVAILABLE,
    Proxy,
    database_of,
    is_gone,
    proxied,
    sqlite_file,
)

from engine_examples import examples_of
from sqlverdict.errors import DatabaseError
from sqlverdict.execute.engine import ENGINES, Limits
from sqlverdict.execute.fault_probe import readings
from sqlverdict.execute.query_runner import QueryRunner
from sqlverdict.records import Answer, Failure, Fault, Outcome, Reason


def damaged(path: Path) -> str:
    """A SQLite file whose table ``u`` has a page that cannot be read; ``t`` is whole."""
    with closing(sqlite3.connect(path)) as connection, connection:
        for statement in STATEMENTS:
            connection.execute(statement)
        connection.execute("CREATE TABLE u (a INTEGER, b TEXT)")
        rows = [(number, "x" * 500) for number in range(200)]
        connection.executemany("INSERT INTO u VALUES (?, ?)", rows)
        root = connection.execute("SELECT rootpage FROM sqlite_master WHERE name = 'u'").fetchone()
        size = connection.execute("PRAGMA page_size").fetchone()[0]
    content = bytearray(path.read_bytes())
    start = (root[0] - 1) * size
    content[start : start + 200] = b"\x99" * 200
    path.write_bytes(content)
    return str(path)


def test_a_damaged_file_is_not_blamed_on_the_prediction_that_meets_it(
    tmp_path: Path, open_runner: Callable[[str], QueryRunner]
) -> None:
    runner, database = open_runner("sqlite"), damaged(tmp_path / "t.sqlite")
    outcome = runner.run(database, "SELECT max(b) FROM u", (GOOD,))
    assert isinstance(outcome, Failure)
    assert outcome.fault is Fault.ENGINE, outcome
    assert isinstance(runner.run(database, GOOD), Answer)


@pytest.mark.slow
def test_a_damaged_duckdb_file_is_not_blamed_on_the_prediction_that_meets_it(
    tmp_path: Path, open_runner: Callable[[str], QueryRunner]
) -> None:
    duckdb = pytest.importorskip("duckdb", reason="the extra duckdb is not installed")
    path = tmp_path / "t.duckdb"
    with closing(duckdb.connect(str(path))) as connection:
        connection.execute("CREATE TABLE t AS SELECT 1 AS a, 'x' AS b")
        connection.execute(
            "CREATE TABLE u AS SELECT i AS a, md5(i::text) || md5((i + 1)::text) AS b"
            " FROM range(100000) AS r (i)"
        )
    content = bytearray(path.read_bytes())
    # A block has 256 KiB, and three headers stand before the first.
    start = 3 * 4096 + (len(content) // 2**18 // 2) * 2**18 + 1_000
    content[start : start + 5_000] = b"\x99" * 5_000
    path.write_bytes(content)
    runner = open_runner("duckdb")
    outcome = runner.run(str(path), "SELECT count(DISTINCT b) FROM u", ("SELECT a FROM t",))
    assert isinstance(outcome, Failure)
    assert outcome.fault is Fault.ENGINE, outcome
    assert isinstance(runner.run(str(path), "SELECT a FROM t"), Answer)


def test_a_whole_file_is_not_called_damaged_by_an_error_that_looks_like_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, open_runner: Callable[[str], QueryRunner]
) -> None:
    from sqlverdict.execute.engines.sqlite.session import SqliteSession

    true_run = SqliteSession.run

    def run(session: SqliteSession, sql: str) -> Outcome:
        return UNAVAILABLE if "malformed" in sql else true_run(session, sql)

    monkeypatch.setattr(SqliteSession, "run", run)
    runner, database = open_runner("sqlite"), str(sqlite_file(tmp_path / "t.sqlite"))
    outcome = runner.run(database, "SELECT a AS malformed FROM t", (GOOD,))
    assert isinstance(outcome, Failure)
    assert (outcome.reason, outcome.fault) == (Reason.EXECUTION_ERROR, None)
    assert outcome.message.startswith("the disk fails")


@pytest.mark.slow
@pytest.mark.parametrize("engine", ENGINES.names())
def test_a_table_is_read_in_full_whatever_its_types(
    engine: str, tmp_path: Path, open_runner: Callable[[str], QueryRunner]
) -> None:
    """A reading that fails by itself would hide damage."""
    types = examples_of(engine).column_types
    columns = ", ".join(f"c{number} {name}" for number, name in enumerate(types))
    with database_of(engine, tmp_path, f"CREATE TABLE every_type ({columns})") as database:
        runner = open_runner(engine)
        table = runner.engine.schema(database).table("every_type")
        assert table is not None
        outcomes = {
            reading: runner.run(database, reading)
            for reading in readings(table, runner.engine.dialect)
        }
        # No session of ours keeps the database from being dropped.
        runner.close()
    for reading, outcome in outcomes.items():
        assert isinstance(outcome, Answer), (reading, outcome)
        assert len(outcome.columns) == len(types) + 1


@pytest.mark.slow
def test_the_search_for_damage_reads_each_table_once_and_for_a_bounded_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from sqlverdict.execute import fault_probe

    names = [f"t{number}" for number in range(30)]
    path = tmp_path / "t.sqlite"
    with closing(sqlite3.connect(path)) as connection, connection:
        for name in names:
            columns = ", ".join(f"c{number}" for number in range(12))
            connection.execute(f"CREATE TABLE {name} ({columns})")
    queries: list[str] = []
    clock = iter(range(1_000))

    class Session:
        def run(self, sql: str) -> Outcome:
            queries.append(sql)
            return Answer(("a",), [(1,)])

    engine = Proxy(is_gone)
    monkeypatch.setattr(fault_probe, "monotonic", lambda: float(next(clock)))
    text = f"SELECT * FROM {', '.join(names)}"
    limits = Limits(seconds=1_000.0)
    assert fault_probe.find_damage(engine, str(path), text, limits, Session()) is None
    assert len(queries) == len(names)
    queries.clear()
    limits = Limits(seconds=5.0)
    assert fault_probe.find_damage(engine, str(path), text, limits, Session()) is None
    assert len(queries) == 5


def test_a_reading_that_fails_by_itself_is_followed_by_a_plainer_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, open_runner: Callable[[str], QueryRunner]
) -> None:
    """Geometries of MySQL are no text, and a plug-in may have any types."""

    def run(session: Any, sql: str) -> Outcome:
        if "CAST" in sql:
            return Failure(Reason.EXECUTION_ERROR, "no such cast")
        return UNAVAILABLE if "b" in sql.lower() else session.inner(sql)

    proxied(monkeypatch, run)
    runner, database = open_runner("proxy"), str(sqlite_file(tmp_path / "t.sqlite"))
    outcome = runner.run(database, "SELECT b FROM t", (GOOD,))
    assert isinstance(outcome, Failure)
    assert outcome.fault is Fault.ENGINE
    assert "cannot be read in full" in outcome.message


def test_a_new_session_of_which_nothing_can_be_told_is_closed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, open_runner: Callable[[str], QueryRunner]
) -> None:
    url = "postgresql://nobody@nowhere.example/t"
    proxy, file = proxied(monkeypatch, is_gone), sqlite_file(tmp_path / "t.sqlite")
    closed: list[int] = []

    def digest(session: Any) -> str:
        if session.number > 1:
            raise DatabaseError("the connection is lost", reason="unreachable")
        return "one"

    true_open = proxy.open

    def open_session(database: Any, limits: Limits, **options: Any) -> Any:
        session = true_open(file, limits, **options)
        session.digest = lambda: digest(session)
        session.close = lambda: closed.append(session.number)
        return session

    monkeypatch.setattr(proxy, "open", open_session)
    runner = open_runner("proxy")
    monkeypatch.setitem(runner._engines, url, proxy)
    outcome = runner.run(url, "SELECT b FROM t", (GOOD,))
    assert isinstance(outcome, Failure)
    assert outcome.fault is Fault.ENGINE
    assert closed == list(range(2, proxy.opened + 1)), "the first is in use"
