"""As whom queries run on MySQL and MariaDB: each wall of the sandbox by itself."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from secrets import token_hex
from threading import Event
from typing import Any
from urllib.parse import urlsplit

import pytest

from error_parts import refuses_database
from mysql_parts import SERVER, connect, execute, server_database
from sqlverdict.execute.engine import ENGINES, Limits, ServerEngine
from sqlverdict.execute.engines.mysql.reader import drop_readers, drop_stale
from sqlverdict.execute.servers.reader import PREFIX
from sqlverdict.files.references import with_database
from sqlverdict.parse.schema import Column, Schema, Table
from sqlverdict.records import Answer, Failure, Outcome, Reason
from timeouts import HANG_SECONDS, wait_until

pytestmark = pytest.mark.slow  # a server

MYSQL = ENGINES.get("mysql")
OPEN = """
import sys
from sqlverdict.execute.engine import ENGINES, Limits
session = ENGINES.get("mysql").open(sys.argv[1], Limits())
print(session._reader.login.user, flush=True)
sys.stdin.read()
print(session.run("SELECT a FROM t").rows, flush=True)
"""

FORK = """
import multiprocessing, sys
from sqlverdict.execute.engine import ENGINES, Limits
def work():
    session = ENGINES.get("mysql").open(sys.argv[1], Limits())
    print(session._reader.login.user, session.run("SELECT a FROM t").rows, flush=True)
worker = multiprocessing.get_context("fork").Process(target=work)
worker.start()
worker.join()
print("ended", flush=True)
sys.stdin.read()
"""


def name_of(url: str) -> str:
    return urlsplit(url).path.strip("/")


def users(name: str = PREFIX) -> set[str]:
    rows = execute(None, "SELECT user FROM mysql.user")
    return {str(user) for (user,) in rows if str(user).startswith(name)}


LOCK = f"sqlverdict_grab_{token_hex(4)}"
"""Locks are the server's, and another process may run the same tests."""


@pytest.fixture(scope="module")
def database() -> Iterator[str]:
    with server_database(
        "CREATE TABLE t (a INT)",
        "INSERT INTO t VALUES (7)",
        "CREATE VIEW seen AS SELECT a FROM t",
        "CREATE FUNCTION twice(n INT) RETURNS INT SQL SECURITY INVOKER RETURN 2 * n",
        f"CREATE FUNCTION grab() RETURNS INT SQL SECURITY INVOKER RETURN get_lock('{LOCK}', 0)",
        "CREATE FUNCTION owned() RETURNS TEXT RETURN load_file('/etc/hostname')",
    ) as url:
        yield url


@contextmanager
def user(url: str, *rights: str) -> Iterator[str]:
    """The URL of a new user with rights."""
    name = f"sqlverdict_user_{token_hex(4)}"
    execute(None, f"CREATE USER {name}", *(f"GRANT {right} TO {name}" for right in rights))
    try:
        yield url.replace("root@", f"{name}@")
    finally:
        execute(None, f"DROP USER {name}")


@contextmanager
def session(url: str, limits: Limits | None = None) -> Iterator[Any]:
    opened = MYSQL.open(url, limits or Limits(seconds=600))
    try:
        yield opened
    finally:
        opened.close()


def beneath(opened: Any, sql: str) -> Outcome:
    """What becomes of a text that passes by the guard."""
    outcome: Outcome = opened._cursor.run(sql)
    return outcome


def test_queries_run_as_a_user_who_may_only_read_this_database(database: str) -> None:
    with (
        server_database("CREATE TABLE secret AS SELECT 42 AS a") as other,
        session(database) as opened,
    ):
        who = beneath(opened, "SELECT current_user()")
        assert isinstance(who, Answer)
        assert str(who.rows[0][0]).startswith(PREFIX)
        for sql in (
            f"SELECT * FROM {name_of(other)}.secret",
            "SELECT * FROM mysql.user",
            "SELECT 1 INTO OUTFILE '/tmp/sqlverdict_loot'",
            "SELECT owned()",
            "CREATE TABLE loot (a INT)",
            "CREATE TEMPORARY TABLE loot (a INT)",
            "INSERT INTO t VALUES (1)",
            "LOCK TABLES t WRITE",
            "SET GLOBAL max_connections = 1",
            "CREATE USER loot",
            "GRANT SELECT ON *.* TO loot",
            "SET ROLE root",
            "DROP DATABASE mysql",
            "SHUTDOWN",
            "FLUSH TABLES",
        ):
            outcome = beneath(opened, sql)
            assert isinstance(outcome, Failure), sql
        for sql in ("SELECT load_file('/etc/hostname')", "SELECT load_file('/etc/passwd')"):
            assert getattr(beneath(opened, sql), "rows", None) == [(None,)]


def test_tables_views_and_harmless_functions_are_there(database: str) -> None:
    with session(database) as opened:
        digest = opened.digest()
        assert opened.run("SELECT twice(a) FROM seen").rows == [(14,)]
        failure = opened.run("SELECT owned()")
        assert failure.reason is Reason.WRITE_BLOCKED
        assert "SQL SECURITY INVOKER" in failure.message
        execute(
            name_of(database),
            "CREATE FUNCTION later() RETURNS INT SQL SECURITY INVOKER RETURN 3",
        )
        try:
            with session(database) as late:
                assert late.run("SELECT later()").rows == [(3,)]
                assert late.digest() not in (None, digest)
        finally:
            execute(name_of(database), "DROP FUNCTION later")


def test_a_function_that_is_made_again_may_be_called(database: str) -> None:
    for number in (3, 4):
        make = f"CREATE FUNCTION again() RETURNS INT SQL SECURITY INVOKER RETURN {number}"
        execute(name_of(database), make)
        try:
            with session(database) as opened:
                assert opened.run("SELECT again()").rows == [(number,)]
        finally:
            execute(name_of(database), "DROP FUNCTION again")
        with session(database) as without:
            assert isinstance(without.run("SELECT again()"), Failure)


def test_one_user_serves_all_sessions_of_a_process_and_is_dropped_at_its_end(database: str) -> None:
    with session(database) as one, session(database) as other:
        assert one._reader is other._reader
        name = one._reader.login.user
        assert name in users()
    assert name in users()
    drop_readers()
    assert name not in users()


def test_one_connection_makes_the_users_of_all_databases_of_a_server(database: str) -> None:
    with (
        server_database("CREATE TABLE t (a INT)") as url,
        session(database) as one,
        session(url) as other,
    ):
        assert one._reader is not other._reader
        assert one._reader.maker is other._reader.maker
        name = f"{name_of(database)}.t"
        assert isinstance(beneath(other, f"SELECT a FROM {name}"), Failure)


def test_a_limited_user_is_used_itself(database: str) -> None:
    with (
        user(database, f"SELECT, SHOW VIEW ON {name_of(database)}.*") as url,
        session(url) as opened,
    ):
        assert opened._reader is None
        assert opened.run("SELECT a FROM t").rows == [(7,)]


@pytest.mark.parametrize(
    "right", ["ALL ON {}.*", "SELECT ON *.*", "SELECT, FILE ON *.*", "SELECT, INSERT ON {}.*"]
)
def test_a_user_with_more_rights_who_makes_no_users_is_refused(database: str, right: str) -> None:
    assert isinstance(MYSQL, ServerEngine)
    with user(database, right.format(name_of(database))) as url:
        with refuses_database("refused", "--set trust-role=true") as caught:
            MYSQL.open(url, Limits())
        for statement in MYSQL.reader_statements(url):
            assert statement in str(caught.value)
        with session(url, Limits(trust_role=True)) as opened:
            assert opened._reader is None
            assert opened.run("SELECT a FROM t").rows == [(7,)]


def test_a_role_that_a_user_may_take_counts_as_its_rights(database: str) -> None:
    assert isinstance(MYSQL, ServerEngine)
    role = f"sqlverdict_role_{token_hex(4)}"
    execute(None, f"CREATE ROLE {role}", f"GRANT INSERT ON {name_of(database)}.* TO {role}")
    try:
        with user(database, f"SELECT ON {name_of(database)}.*", role) as url:
            assert MYSQL.excess_rights(url) == (f"may take the roles {role}",)
            with refuses_database("refused", role):
                MYSQL.open(url, Limits())
    finally:
        execute(None, f"DROP ROLE {role}")


def test_the_statements_for_an_administrator_make_a_user_who_is_used(database: str) -> None:
    assert isinstance(MYSQL, ServerEngine)
    name = f"sqlverdict_user_{token_hex(4)}"
    statements = [
        statement.replace("sqlverdict ", f"{name} ").replace("sqlverdict;", name)
        for statement in MYSQL.reader_statements(database)
    ]
    execute(None, *(statement.replace("'a password'", "''") for statement in statements))
    try:
        url = database.replace("root@", f"{name}@")
        assert MYSQL.excess_rights(url) == ()
        with session(url) as opened:
            assert opened.run("SELECT a FROM t").rows == [(7,)]
    finally:
        execute(None, f"DROP USER {name}")


def start(url: str, program: str = OPEN) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", program, url],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )


def test_processes_do_not_drop_each_other_s_users_and_a_crash_is_swept(database: str) -> None:
    with start(database) as killed, start(database) as other:
        assert killed.stdout is not None
        assert other.stdout is not None
        names = [killed.stdout.readline().strip(), other.stdout.readline().strip()]
        with session(database):
            assert set(names) <= users()
        killed.send_signal(signal.SIGKILL)
        killed.communicate()

        def is_swept() -> bool:
            connection = connect()
            try:
                drop_stale(connection)
            finally:
                connection.close()
            return names[0] not in users()

        assert wait_until(is_swept)
        assert names[1] in users()
        answer, _ = other.communicate("")
        assert answer.strip() == "[(7,)]"
    assert names[1] not in users()


@pytest.mark.skipif(sys.platform != "linux", reason="forks")
def test_a_worker_that_was_forked_drops_its_user(database: str) -> None:
    """It ends without what a program does at its end."""
    with start(database, FORK) as parent:
        assert parent.stdout is not None
        name, answer = parent.stdout.readline().split(maxsplit=1)
        assert (name.startswith(PREFIX), answer.strip()) == (True, "[(7,)]")
        assert parent.stdout.readline() == "ended\n"
        assert name not in users(), "the parent still runs"
        parent.communicate("")


def test_a_user_that_was_lost_is_made_again(database: str) -> None:
    with session(database) as opened:
        reader = opened._reader
    execute(None, f"KILL CONNECTION {reader.maker.thread_id()}", f"DROP USER {reader._name}")
    with session(database) as again:
        assert again._reader is not reader
        assert again.run("SELECT a FROM t").rows == [(7,)]


def test_queries_on_witnesses_and_copies_run_as_users_of_those_alone() -> None:
    schema = Schema("s", (Table("t", (Column("a", "INT"),)),), "declared")
    scratch: Any = MYSQL.scratch(schema, Limits(), with_database(SERVER, ""))  # type: ignore[attr-defined]
    try:
        assert scratch.load({"t": [(5,)]})
        assert scratch.run("SELECT a FROM t").rows == [(5,)]
        inner = scratch._session
        names = {inner._reader.login.user}
        assert isinstance(beneath(inner, "SELECT * FROM mysql.user"), Failure)
        assert isinstance(beneath(inner, "INSERT INTO t VALUES (1)"), Failure)
    finally:
        scratch.close()
    with server_database("CREATE TABLE t (a INT)", "INSERT INTO t VALUES (7)") as url:
        copy: Any = MYSQL.workspace(url, Limits())  # type: ignore[attr-defined]
        try:
            names.add(copy._own._reader.login.user)
            assert isinstance(copy.run("INSERT INTO t VALUES (8)"), Answer)
            assert copy.run("SELECT count(*) FROM t").rows == [(2,)]
            for sql in (
                f"INSERT INTO {name_of(url)}.t VALUES (9)",
                "SELECT * FROM mysql.user",
                "SELECT a INTO OUTFILE '/tmp/sqlverdict_loot' FROM t",
                "CREATE FUNCTION f() RETURNS INT RETURN 1",
                "CREATE TRIGGER x BEFORE INSERT ON t FOR EACH ROW SET NEW.a = 1",
            ):
                assert isinstance(copy.run(sql), Failure), sql
                assert isinstance(beneath(copy, sql), Failure), sql
        finally:
            copy.close()
        assert execute(name_of(url), "SELECT a FROM t") == [(7,)]
    assert not names & users()


def test_what_waits_is_ended_from_outside_though_the_session_has_no_limit(database: str) -> None:
    with session(database, Limits(seconds=1)) as opened:
        for sql in ("SET SESSION max_statement_time = 0", f"SELECT get_lock('{LOCK}', 0)"):
            beneath(opened, sql)
        outcome = beneath(opened, "SELECT count(*) FROM t WHERE sleep(1000) = 0")
        assert not isinstance(outcome, Answer) or outcome.rows == [(0,)]
        # A machine that stalls may take a second for this, too.
        assert wait_until(lambda: getattr(opened.run("SELECT a FROM t"), "rows", None) == [(7,)])
    assert wait_until(lambda: execute(None, f"SELECT is_free_lock('{LOCK}')") == [(1,)])


def test_an_answer_that_comes_after_the_end_is_a_time_out(database: str) -> None:
    """Inside of some functions a server looks for no end, and answers afterwards."""
    with session(database, Limits(seconds=1)) as opened:
        beneath(opened, "SET SESSION max_statement_time = 0")
        cursor = opened._cursor
        is_over = Event()
        cursor._deadline._stop = is_over.set
        usual = cursor._fetch

        def fetch(*arguments: Any) -> Outcome:
            outcome: Outcome = usual(*arguments)
            assert is_over.wait(HANG_SECONDS)
            return outcome

        cursor._fetch = fetch
        outcome = beneath(opened, "SELECT a FROM t")
        cursor._fetch = usual
        assert isinstance(outcome, Failure)
        assert (outcome.reason, outcome.fault) == (Reason.EXECUTION_TIMEOUT, None)
        assert wait_until(lambda: getattr(opened.run("SELECT a FROM t"), "rows", None) == [(7,)])


def test_a_lock_that_a_function_takes_is_released_after_the_query(database: str) -> None:
    with session(database) as opened:
        assert opened.run("SELECT grab()").rows == [(1,)]
        assert execute(None, f"SELECT is_free_lock('{LOCK}')") == [(1,)]


def test_temporary_tables_and_memory_are_bounded(database: str) -> None:
    with session(database, Limits(memory=2**25)) as opened:
        settings = beneath(
            opened,
            "SELECT @@max_session_mem_used, @@tmp_table_size, @@max_heap_table_size, "
            "@@tmp_disk_table_size",
        )
        assert isinstance(settings, Answer)
        assert settings.rows == [(2**25, 2**25, 2**25, 2**30)]
