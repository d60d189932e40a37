"""Databases of our own on servers: made, filled, and dropped whatever happens."""

from __future__ import annotations

import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from typing import Any

import pytest

from error_parts import refuses_database
from servers import database_name, mysql_server
from sqlverdict.errors import DatabaseError
from sqlverdict.execute.engine import ENGINES, Engine, Limits, ServerEngine
from sqlverdict.records import Answer
from timeouts import wait_until

pytestmark = pytest.mark.slow  # servers


@pytest.fixture
def name() -> str:
    """A name for a database of one test."""
    return database_name("own")


@pytest.fixture(params=["postgres", "mysql"])
def target(request: pytest.FixtureRequest) -> Iterator[tuple[Engine, str]]:
    engine = ENGINES.get(request.param)
    if engine.name == "mysql":
        yield engine, mysql_server()
    else:
        yield engine, request.getfixturevalue("postgres_database")


def test_a_database_is_there_until_the_end(target: tuple[Engine, str], name: str) -> None:
    engine, server = target
    assert isinstance(engine, ServerEngine)
    statements = ["CREATE TABLE t (a VARCHAR(9))", "INSERT INTO t VALUES ('a'), ('A'), ('a ')"]
    with engine.own_database(server, name, statements) as url:
        session = engine.open(url, Limits())
        outcome = session.run("SELECT count(*) FROM t WHERE a = 'a'")
        # A session that is still open does not keep it.
        with refuses_database("failed", "already exists|database exists"):
            engine.own_database(server, name, ()).__enter__()
    session.close()
    assert isinstance(outcome, Answer)
    assert outcome.rows == [(1,)]
    with refuses_database("missing"):
        engine.open(url, Limits())


@pytest.mark.parametrize("problem", ["content", "caller"])
def test_nothing_stays_after_an_error(target: tuple[Engine, str], problem: str, name: str) -> None:
    engine, server = target
    assert isinstance(engine, ServerEngine)
    statements = ["CREATE TABLE t (a INT)", *(["NO SQL"] if problem == "content" else [])]
    expected = DatabaseError if problem == "content" else KeyboardInterrupt

    def interrupted() -> None:
        with engine.own_database(server, name, statements) as url:
            assert url.partition("?")[0].endswith(f"/{name}")
            raise KeyboardInterrupt

    with pytest.raises(expected):
        interrupted()
    with engine.own_database(server, name, ()):
        pass


@pytest.mark.parametrize("forever", [False, True])
def test_a_connection_that_ends_late_is_waited_for_but_not_for_ever(
    forever: bool, postgres_database: str, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """PostgreSQL itself waits for five seconds, and gives up then."""
    import psycopg

    engine = ENGINES.get("postgres")
    assert isinstance(engine, ServerEngine)
    usual, refusals = psycopg.Cursor.execute, 0

    def execute(cursor: Any, query: Any, *more: Any, **options: Any) -> Any:
        nonlocal refusals
        text = query if isinstance(query, str | bytes) else query.as_string(cursor)
        if "DROP DATABASE" in str(text) and (forever or refusals < 2):
            refusals += 1
            raise psycopg.errors.ObjectInUse("it is being accessed by other users")
        return usual(cursor, query, *more, **options)

    expected = refuses_database("failed", "Drop it by hand") if forever else nullcontext()
    with monkeypatch.context() as patch, expected:
        patch.setattr(psycopg.Cursor, "execute", execute)
        with engine.own_database(postgres_database, name, ()):
            pass
    assert refusals >= 2
    if forever:
        assert _dropped(engine, postgres_database, name) == (name,)
    assert engine.drop_leftovers(postgres_database, name) == ()


KILLED = """
import os, signal, sys
from sqlverdict.execute.engine import ENGINES

engine = ENGINES.get(sys.argv[1])
with engine.own_database(sys.argv[2], sys.argv[3], ["CREATE TABLE t (a INT)"]):
    os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="no signal kills at once there")
def test_what_a_killed_process_left_is_dropped_and_nothing_else(
    target: tuple[Engine, str],
) -> None:
    engine, server = target
    assert isinstance(engine, ServerEngine)
    prefix = f"{database_name('left')}_"
    left, used = f"{prefix}00000001_a", f"{prefix}00000002_a"
    arguments = [sys.executable, "-c", KILLED, engine.name, server, left]
    killed = subprocess.run(arguments, check=False)
    assert killed.returncode == -signal.SIGKILL
    with engine.own_database(server, used, ["CREATE TABLE t (a INT)"]) as url:
        dropped = _dropped(engine, server, prefix)
        session = engine.open(url, Limits())
        assert isinstance(session.run("SELECT * FROM t"), Answer)
        session.close()
    assert dropped == (left,)
    assert engine.drop_leftovers(server, prefix) == ()


def _dropped(engine: ServerEngine, server: str, prefix: str) -> tuple[str, ...]:
    """What is dropped once the server has noticed that a client is gone."""
    dropped: list[str] = []

    def drop() -> bool:
        dropped.extend(engine.drop_leftovers(server, prefix))
        return bool(dropped)

    wait_until(drop)
    return tuple(dropped)


def test_a_database_that_is_not_ours_is_no_leftover(target: tuple[Engine, str], name: str) -> None:
    """Nobody uses it, and its name begins as ours do; yet we did not make it."""
    engine, server = target
    assert isinstance(engine, ServerEngine)
    quote = '"' if engine.name == "postgres" else "`"
    with _administrator(engine.name, server) as execute:
        execute(f"CREATE DATABASE {quote}{name}{quote}")
        try:
            assert engine.drop_leftovers(server, name[:-1]) == ()
        finally:
            execute(f"DROP DATABASE {quote}{name}{quote}")


@contextmanager
def _administrator(engine: str, server: str) -> Iterator[Callable[[str], object]]:
    if engine == "postgres":
        import psycopg

        with psycopg.connect(server, autocommit=True) as postgres:
            yield lambda text: postgres.execute(text.encode())
    else:
        from sqlverdict.execute.engines.mysql.connection import connect, rows_of

        with connect(server, Limits(), name="") as mysql:
            yield lambda text: rows_of(mysql, text)


def test_a_url_that_leads_elsewhere_is_not_filled(postgres_database: str) -> None:
    engine = ENGINES.get("postgres")
    assert isinstance(engine, ServerEngine)
    name = postgres_database.partition("?")[0].rpartition("/")[2]
    mark = "&" if "?" in postgres_database else "?"
    elsewhere = f"{postgres_database}{mark}dbname={name}"
    with (
        refuses_database("changed"),
        engine.own_database(elsewhere, database_name("own"), ["CREATE TABLE t (a INT)"]),
    ):
        pass
