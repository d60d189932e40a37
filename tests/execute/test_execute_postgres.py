"""The PostgreSQL engine: the public suite, the sandbox, limits, snapshots, lost connections."""

from __future__ import annotations

import subprocess
import sys
from datetime import datetime
from pathlib import Path
from time import sleep
from typing import Any
from urllib.parse import urlsplit, urlunsplit

import pytest
from hostile_postgres import postgres_predictions
from postgres_parts import PATIENT, POSTGRES, execute, session

from error_parts import needs_extra, refuses_database
from servers import fresh_postgres
from sqlverdict.execute.engine import Limits
from sqlverdict.records import LIMIT_REASONS, Answer, Failure, Fault, Outcome, Reason
from sqlverdict.testing.engine_data import ENDLESS_JOIN
from sqlverdict.testing.hostile import ANSWER
from timeouts import wait_until

SHORT = Limits(seconds=3)
"""For what never ends; a session is opened under the same limit, and a server may stall."""
SMALL = Limits(bytes=2**20, cell=2**20)


def rows(outcome: Outcome) -> list[Any]:
    assert isinstance(outcome, Answer), outcome
    return outcome.rows


def test_hostile_texts_end_as_expected_and_leave_nothing(people: str) -> None:
    before = POSTGRES.digest(people)
    wrong = {}
    with session(people) as opened:
        for hostile in postgres_predictions():
            outcome = opened.run(hostile.sql)
            reason = outcome.reason if isinstance(outcome, Failure) else ANSWER
            if reason not in hostile.expected:
                wrong[hostile.name] = outcome
    assert wrong == {}
    assert POSTGRES.digest(people) == before
    assert not Path("/tmp/loot").exists()
    assert not Path("/tmp/loot.csv").exists()


def test_what_the_clock_ends_does_not_run_on_the_server(people: str) -> None:
    endless = ENDLESS_JOIN.replace("numbers", "person").replace(".i", ".id")
    with session(people, SHORT) as opened:
        outcome = opened.run(endless)
        assert isinstance(outcome, Failure)
        assert outcome.reason is Reason.EXECUTION_TIMEOUT
        assert not outcome.repeatable
        assert wait_until(lambda: running(people) == [])


def test_a_client_side_cancel_ends_a_query_that_the_server_would_not(people: str) -> None:
    """A server whose own limit is off is told to cancel."""
    endless = ENDLESS_JOIN.replace("numbers", "person").replace(".i", ".id")
    with session(people, SHORT) as opened:
        opened._connection.execute("SET statement_timeout = 0")  # type: ignore[attr-defined]
        opened._connection.execute("SAVEPOINT clean")  # type: ignore[attr-defined]
        outcome = opened.run(endless)
        assert isinstance(outcome, Failure)
        assert outcome.reason is Reason.EXECUTION_TIMEOUT
        assert wait_until(lambda: running(people) == [])


def test_a_query_of_a_process_that_was_killed_ends_on_the_server(people: str) -> None:
    endless = ENDLESS_JOIN.replace("numbers", "person").replace(".i", ".id")
    program = (
        "import sys; from sqlverdict.execute.engine import ENGINES, Limits\n"
        "ENGINES.get('postgres').open(sys.argv[1], Limits()).run(sys.argv[2])"
    )
    process = subprocess.Popen([sys.executable, "-c", program, people, endless])
    try:
        assert wait_until(lambda: running(people) != [])
    finally:
        process.kill()
        process.wait()
    assert wait_until(lambda: running(people) == [])


def running(url: str) -> list[Any]:
    return execute(
        url,
        "SELECT query FROM pg_stat_activity WHERE datname = current_database()"
        " AND state = 'active' AND pid <> pg_backend_pid()",
    )


@pytest.mark.parametrize(
    ("sql", "limits", "reason"),
    [
        ("SELECT * FROM person", Limits(rows=399), Reason.ROW_LIMIT),
        ("SELECT generate_series(1, 100000000)", Limits(), Reason.ROW_LIMIT),
        ("SELECT name FROM person", Limits(bytes=1_000), Reason.MEMORY_LIMIT),
        ("SELECT repeat('x', 5000) FROM person", Limits(bytes=10**6), Reason.MEMORY_LIMIT),
        ("SELECT repeat('x', 5000)", Limits(cell=4_000), Reason.MEMORY_LIMIT),
        ("SELECT repeat('x', 2000000000)", Limits(), Reason.MEMORY_LIMIT),
        ("SELECT 1 + " * 100 + "1", Limits(sql_length=100), Reason.PARSE_ERROR),
        ("SELECT " + "(" * 100_000, Limits(), Reason.PARSE_ERROR),
    ],
)
def test_limits(people: str, sql: str, limits: Limits, reason: Reason) -> None:
    with session(people, limits) as opened:
        outcome = opened.run(sql)
        assert isinstance(outcome, Failure)
        assert outcome.reason is reason
        assert outcome.fault is None
        assert reason not in LIMIT_REASONS or outcome.repeatable
        assert rows(opened.run("SELECT 1")) == [(1,)]


def test_rows_that_do_not_fit_are_not_received(
    people: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first batch alone would take gigabytes; a slow reader finds more at each look."""
    from sqlverdict.execute.engines.postgres.exchange import PostgresExchange, peak_memory

    wait = PostgresExchange._wait
    monkeypatch.setattr(PostgresExchange, "_wait", lambda own: wait(own) and not sleep(0.02))
    with session(people, SMALL) as opened:
        before = peak_memory()
        outcome = opened.run("SELECT repeat('x', 10000000), i FROM generate_series(1, 900) AS i")
        assert isinstance(outcome, Failure)
        assert outcome.reason is Reason.MEMORY_LIMIT
        assert peak_memory() - before < 2**29
        assert rows(opened.run("SELECT 1")) == [(1,)]


def test_a_session_reads_one_snapshot(postgres_database: str) -> None:
    execute(postgres_database, "CREATE TABLE t (a int)", "INSERT INTO t VALUES (1)")
    with session(postgres_database) as opened:
        assert rows(opened.run("SELECT a FROM t")) == [(1,)]
        first = opened.digest()
        execute(postgres_database, "INSERT INTO t VALUES (2)")
        assert rows(opened.run("SELECT a FROM t")) == [(1,)]
        assert opened.digest() == first
    assert POSTGRES.digest(postgres_database) != first


@pytest.mark.parametrize(
    "change",
    [
        "UPDATE t SET a = 2 WHERE b = 'x'",
        "DELETE FROM t WHERE b = 'y'",
        "INSERT INTO t VALUES (1, 'x')",
        "ALTER TABLE t RENAME COLUMN a TO c",
        "ALTER TABLE t ALTER COLUMN a TYPE bigint",
        "CREATE VIEW v AS SELECT 1",
        "CREATE OR REPLACE FUNCTION f() RETURNS int LANGUAGE sql AS 'SELECT 2'",
        "SELECT nextval('s'), nextval('s')",
    ],
)
def test_the_digest_follows_the_content(change: str, postgres_database: str) -> None:
    execute(
        postgres_database,
        "CREATE TABLE t (a int, b text, t text, r text)",
        "INSERT INTO t VALUES (1, 'x'), (1, 'x'), (3, 'y')",
        "CREATE SEQUENCE s",
        "CREATE FUNCTION f() RETURNS int LANGUAGE sql AS 'SELECT 1'",
    )
    before = POSTGRES.digest(postgres_database)
    assert before is not None
    assert before == POSTGRES.digest(postgres_database)
    execute(postgres_database, change)
    assert POSTGRES.digest(postgres_database) != before


def test_the_digest_does_not_depend_on_the_order_of_rows(postgres_database: str) -> None:
    execute(postgres_database, "CREATE TABLE t (a int)", "INSERT INTO t VALUES (1), (2), (2)")
    before = POSTGRES.digest(postgres_database)
    execute(postgres_database, "DELETE FROM t", "INSERT INTO t VALUES (2), (1), (2)")
    assert POSTGRES.digest(postgres_database) == before


def test_a_lost_connection_is_made_again(people: str) -> None:
    with session(people) as opened:
        opened.digest()
        terminate(people)
        assert rows(opened.run("SELECT count(*) FROM person")) == [(400,)]
        terminate(people)
        assert rows(opened.run("SELECT count(*) FROM city")) == [(40,)]


def test_a_lost_connection_to_another_content_is_an_engine_fault(postgres_database: str) -> None:
    execute(postgres_database, "CREATE TABLE t (a int)")
    with session(postgres_database) as opened:
        opened.digest()
        execute(postgres_database, "INSERT INTO t VALUES (1)")
        terminate(postgres_database)
        for _ in range(2):
            outcome = opened.run("SELECT * FROM t")
            assert isinstance(outcome, Failure)
            assert outcome.reason is Reason.DATABASE_UNAVAILABLE
            assert outcome.fault is Fault.ENGINE
            assert not outcome.repeatable


def test_a_database_that_is_gone_is_an_engine_fault(postgres: str) -> None:
    with fresh_postgres(postgres) as url:
        opened = POSTGRES.open(url, PATIENT)
        terminate(url)
    outcomes = [opened.run("SELECT 1"), opened.run("SELECT 1")]
    opened.close()
    for outcome in outcomes:
        assert isinstance(outcome, Failure)
        assert outcome.reason is Reason.DATABASE_UNAVAILABLE
        assert outcome.fault is Fault.ENGINE


def terminate(url: str) -> None:
    execute(
        url,
        "SELECT pg_terminate_backend(pid, 60000) FROM pg_stat_activity"
        " WHERE datname = current_database() AND pid <> pg_backend_pid()"
        " AND application_name = 'sqlverdict'",
    )


def test_the_clock_stands_still_in_texts_and_not_in_views(postgres_database: str) -> None:
    execute(postgres_database, "CREATE VIEW moment AS SELECT now() AS n")
    with session(postgres_database, now=datetime(2024, 2, 29, 13, 14, 15)) as opened:
        fixed = opened.run(
            "SELECT CURRENT_DATE, now(), localtime, 'yesterday'::date, age(date '2024-02-28')"
        )
        assert rows(fixed) == [
            ("2024-02-29", "2024-02-29 13:14:15+00:00", "13:14:15", "2024-02-28", "1 day 00:00:00")
        ]
        assert isinstance(fixed, Answer)
        assert not fixed.volatile
        assert fixed.lasting
        through_view = opened.run("SELECT n IS NULL FROM moment")
        assert isinstance(through_view, Answer)
        assert through_view.volatile
        assert not through_view.lasting


@pytest.mark.parametrize(
    ("sql", "volatile", "lasting"),
    [
        ("SELECT 1", False, True),
        ("SELECT now()", True, False),
        ("SELECT random()", True, False),
        ("SELECT CURRENT_DATE", True, False),
        ("SELECT 'today'::text", False, False),
        ("SELECT ctid FROM person", True, False),
        ("SELECT pg_relation_size('person')", True, False),
        ("SELECT count(*) FROM pg_class", True, False),
    ],
)
def test_what_may_change_is_told(people: str, sql: str, volatile: bool, lasting: bool) -> None:
    with session(people) as opened:
        outcome = opened.run(sql)
    assert isinstance(outcome, Answer)
    assert (outcome.volatile, outcome.lasting) == (volatile, lasting)


def test_a_view_of_the_catalogue_is_as_volatile_as_the_catalogue(postgres_database: str) -> None:
    execute(
        postgres_database,
        "CREATE TABLE person (id int)",
        "CREATE VIEW plain AS SELECT count(*) AS n FROM person",
        "CREATE VIEW tables AS SELECT count(*) AS n FROM pg_class",
        "CREATE VIEW columns AS SELECT count(*) AS n FROM information_schema.columns",
        "CREATE VIEW reader AS SELECT CURRENT_USER AS n",
        "CREATE VIEW outer_view AS SELECT n FROM tables",
    )
    with session(postgres_database) as opened:
        names = ("plain", "tables", "columns", "reader", "outer_view")
        outcomes = {name: opened.run(f"SELECT n FROM {name}") for name in names}
    for name, outcome in outcomes.items():
        assert isinstance(outcome, Answer), outcome
        assert (outcome.volatile, outcome.lasting) == (name != "plain", name == "plain"), name


def test_functions_of_the_database_are_told_by_what_they_declare(postgres_database: str) -> None:
    execute(
        postgres_database,
        "CREATE FUNCTION two() RETURNS int IMMUTABLE LANGUAGE sql AS 'SELECT 2'",
        "CREATE FUNCTION maybe() RETURNS int LANGUAGE sql AS 'SELECT 2'",
        "CREATE FUNCTION theirs() RETURNS int SECURITY DEFINER LANGUAGE sql AS 'SELECT 2'",
    )
    with session(postgres_database) as opened:
        fixed, open_, blocked = map(
            opened.run, ("SELECT two()", "SELECT maybe()", "SELECT theirs()")
        )
    assert isinstance(fixed, Answer)
    assert isinstance(open_, Answer)
    assert isinstance(blocked, Failure)
    assert (fixed.lasting, open_.lasting) == (True, False)
    assert blocked.reason is Reason.WRITE_BLOCKED


def test_without_its_driver_the_engine_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "psycopg", None)
    with needs_extra("postgres"):
        POSTGRES.open("postgresql://127.0.0.1/test", Limits())


def test_a_missing_database_is_told_with_its_url(postgres: str) -> None:
    url = urlunsplit(urlsplit(postgres)._replace(path="/no_such_database"))
    with refuses_database("missing", "no_such_database"):
        POSTGRES.open(url, Limits())
