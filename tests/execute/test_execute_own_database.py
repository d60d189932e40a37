"""Databases of our own on servers: made, filled, and dropped whatever happens."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest

from servers import mysql_server
from sqlverdict.errors import DatabaseError
from sqlverdict.execute.engine import ENGINES, Engine, Limits, ServerEngine
from sqlverdict.records import Answer

NAME = f"sqlverdict_own_{os.getpid()}"


@pytest.fixture(params=["postgres", "mysql"])
def target(request: pytest.FixtureRequest) -> Iterator[tuple[Engine, str]]:
    engine = ENGINES.get(request.param)
    if engine.name == "mysql":
        yield engine, mysql_server()
    else:
        yield engine, request.getfixturevalue("postgres_database")


def test_a_database_is_there_until_the_end(target: tuple[Engine, str]) -> None:
    engine, server = target
    assert isinstance(engine, ServerEngine)
    statements = ["CREATE TABLE t (a VARCHAR(9))", "INSERT INTO t VALUES ('a'), ('A'), ('a ')"]
    with engine.own_database(server, NAME, statements) as url:
        session = engine.open(url, Limits())
        outcome = session.run("SELECT count(*) FROM t WHERE a = 'a'")
        # A session that is still open does not keep it.
        with pytest.raises(DatabaseError, match=r"already exists|database exists"):
            engine.own_database(server, NAME, ()).__enter__()
    session.close()
    assert isinstance(outcome, Answer)
    assert outcome.rows == [(1,)]
    with pytest.raises(DatabaseError):
        engine.open(url, Limits())


@pytest.mark.parametrize("problem", ["content", "caller"])
def test_nothing_stays_after_an_error(target: tuple[Engine, str], problem: str) -> None:
    engine, server = target
    assert isinstance(engine, ServerEngine)
    statements = ["CREATE TABLE t (a INT)", *(["NO SQL"] if problem == "content" else [])]
    expected = DatabaseError if problem == "content" else KeyboardInterrupt

    def interrupted() -> None:
        with engine.own_database(server, NAME, statements) as url:
            assert url.partition("?")[0].endswith(f"/{NAME}")
            raise KeyboardInterrupt

    with pytest.raises(expected):
        interrupted()
    with engine.own_database(server, NAME, ()):
        pass


def test_a_url_that_leads_elsewhere_is_not_filled(postgres_database: str) -> None:
    engine = ENGINES.get("postgres")
    assert isinstance(engine, ServerEngine)
    name = postgres_database.partition("?")[0].rpartition("/")[2]
    mark = "&" if "?" in postgres_database else "?"
    elsewhere = f"{postgres_database}{mark}dbname={name}"
    with (
        pytest.raises(DatabaseError, match="leads to the database"),
        engine.own_database(elsewhere, NAME, ["CREATE TABLE t (a INT)"]),
    ):
        pass
