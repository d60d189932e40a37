"""The engine of MySQL and MariaDB: the public suite, and what is special about these servers."""

from __future__ import annotations

import ssl
import threading
from collections.abc import Iterator
from datetime import datetime, timedelta, timezone
from decimal import Decimal
from pathlib import Path
from secrets import token_hex
from urllib.parse import urlsplit

import pytest

from error_parts import refuses_database
from mysql_parts import execute, server_database
from sqlverdict.execute.engine import ENGINES, Limits, ServerEngine, Session, engine_of
from sqlverdict.execute.engines.mysql.connection import ServerConnection
from sqlverdict.records import Answer, Failure, Fault, Outcome, Reason, Row
from timeouts import wait_until

pytestmark = pytest.mark.slow  # a server

MYSQL = ENGINES.get("mysql")
ENDLESS = (
    "WITH RECURSIVE n AS (SELECT 1 AS i UNION ALL SELECT i + 1 FROM n) "
    "SELECT count(*) FROM n WHERE i < 0"
)
SHORT = Limits(seconds=3)
"""For what never ends; the cheap query after it has the same limit, and a server may stall."""


def name_of(database: str) -> str:
    return urlsplit(database).path.strip("/")


@pytest.fixture(scope="module")
def database() -> Iterator[str]:
    with server_database(
        "CREATE TABLE item (id INT PRIMARY KEY, name VARCHAR(20), price DECIMAL(8, 2))",
        "INSERT INTO item VALUES (1, 'tea', 2.50), (2, 'rice', 4.00), (3, NULL, NULL)",
        "CREATE VIEW dated AS SELECT id, current_date() AS day FROM item",
        "CREATE VIEW over_dated AS SELECT * FROM dated",
        "CREATE FUNCTION some_number() RETURNS DOUBLE NOT DETERMINISTIC NO SQL "
        "SQL SECURITY INVOKER RETURN rand()",
        "CREATE VIEW system_dated AS SELECT id, sysdate() AS day FROM item",
    ) as url:
        yield url


@pytest.fixture(scope="module")
def session(database: str) -> Iterator[Session]:
    session = MYSQL.open(database, Limits(seconds=600))
    yield session
    session.close()


def ask(database: str, sql: str, limits: Limits | None = None, **options: object) -> Outcome:
    session = MYSQL.open(database, limits or Limits(seconds=600), **options)  # type: ignore[arg-type]
    try:
        return session.run(sql)
    finally:
        session.close()


def rows(outcome: Outcome) -> list[Row]:
    assert isinstance(outcome, Answer), outcome
    return outcome.rows


def running(database: str) -> list[str]:
    """What the server runs in a database, by its process list."""
    return [
        str(row[0])
        for row in execute(
            None,
            "SELECT info FROM information_schema.processlist "
            f"WHERE db = '{name_of(database)}' AND command = 'Query'",
        )
    ]


def test_the_rights_of_a_role_are_told(database: str) -> None:
    assert isinstance(MYSQL, ServerEngine)
    name, user = name_of(database), f"sqlverdict_rights_{token_hex(4)}"
    reader = f"mysql://{user}@127.0.0.1/{name}"
    try:
        execute(
            None,
            f"CREATE OR REPLACE USER {user}",
            f"GRANT SELECT, SHOW VIEW ON {name}.* TO {user}",
        )
        assert MYSQL.excess_rights(reader) == ()
        execute(
            None,
            f"GRANT INSERT, UPDATE (price) ON {name}.item TO {user}",
            f"GRANT FILE ON *.* TO {user}",
        )
        assert MYSQL.excess_rights(reader) == ("may use FILE, INSERT, UPDATE",)
        execute(None, f"GRANT ALL ON *.* TO {user} WITH GRANT OPTION")
        assert MYSQL.excess_rights(reader) == ("is an administrator", "may pass on its rights")
    finally:
        execute(None, f"DROP USER {user}")


def test_other_databases_are_not_read(session: Session) -> None:
    with server_database("CREATE TABLE secret AS SELECT 42 AS a") as other:
        name = name_of(other)
        late = MYSQL.open(other, Limits())
        try:
            assert rows(late.run(f"SELECT a FROM {name}.secret")) == [(42,)]
        finally:
            late.close()
        fresh = MYSQL.open(session._database, Limits())  # type: ignore[attr-defined]
        try:
            for sql in (
                f"SELECT a FROM {name}.secret",
                f"SELECT 1 AS {name}, s.a FROM item JOIN `{name}`.secret AS s",
                f"SELECT {name}.secret.a FROM item, {name}.secret",
                f"SELECT {name}.id, s.a FROM item AS {name}, {name}.secret AS s",
                f"SELECT {name}.id, s.a FROM (item AS {name}, ({name}.secret AS s))",
            ):
                outcome = fresh.run(sql)
                assert isinstance(outcome, Failure), sql
                assert outcome.reason is Reason.WRITE_BLOCKED
        finally:
            fresh.close()


def test_nothing_runs_on_the_server_after_the_limit(database: str) -> None:
    session = MYSQL.open(database, SHORT)
    try:
        outcome = session.run(ENDLESS)
        assert isinstance(outcome, Failure)
        assert outcome.reason is Reason.EXECUTION_TIMEOUT
        assert not outcome.repeatable
        assert wait_until(lambda: running(database) == [])
        assert rows(session.run("SELECT count(*) FROM item")) == [(3,)]
    finally:
        session.close()


def test_the_second_connection_ends_what_the_server_does_not(database: str) -> None:
    session = MYSQL.open(database, SHORT)
    cursor = session._cursor  # type: ignore[attr-defined]
    try:
        with cursor.connection.cursor() as own:
            own.execute("SET SESSION max_statement_time = 0")
        outcome = session.run(ENDLESS)
        assert isinstance(outcome, Failure)
        assert outcome.reason is Reason.EXECUTION_TIMEOUT
        assert wait_until(lambda: running(database) == [])
        assert rows(session.run("SELECT count(*) FROM item")) == [(3,)]
    finally:
        session.close()


def test_an_answer_beyond_the_limits_is_dropped_on_the_server(database: str) -> None:
    session = MYSQL.open(database, Limits(rows=2_000, seconds=600))
    many = "WITH RECURSIVE n AS (SELECT 1 AS i UNION ALL SELECT i + 1 FROM n WHERE i < 300000) SELECT i FROM n"
    try:
        outcome = session.run(many)
        assert isinstance(outcome, Failure)
        assert outcome.reason is Reason.ROW_LIMIT
        assert wait_until(lambda: running(database) == [])
        assert rows(session.run("SELECT count(*) FROM item")) == [(3,)]
    finally:
        session.close()


def test_long_recursions_and_groups_are_not_cut_in_silence(session: Session) -> None:
    deep = "WITH RECURSIVE n AS (SELECT 1 AS i UNION ALL SELECT i + 1 FROM n WHERE i < 5000) SELECT {} FROM n"
    assert rows(session.run(deep.format("max(i)"))) == [(5000,)]
    ((text,),) = rows(session.run(deep.format("group_concat(repeat('x', 1000))")))
    assert isinstance(text, str)
    assert len(text) == 5000 * 1001 - 1


def test_a_lost_connection_is_tried_again_and_is_nobody_s_fault(database: str) -> None:
    session = MYSQL.open(database, Limits(seconds=600))
    cursor = session._cursor  # type: ignore[attr-defined]
    try:
        assert session.digest()
        execute(None, f"KILL CONNECTION {cursor.connection.thread_id()}")
        assert rows(session.run("SELECT count(*) FROM item")) == [(3,)]
    finally:
        session.close()


def test_a_lost_connection_never_mixes_contents() -> None:
    with server_database("CREATE TABLE t (a INT)", "INSERT INTO t VALUES (1)") as database:
        session = MYSQL.open(database, Limits(seconds=600))
        try:
            assert session.digest()
            execute(name_of(database), "INSERT INTO t VALUES (2)")
            assert rows(session.run("SELECT a FROM t")) == [(1,)]
            execute(None, f"KILL CONNECTION {session._cursor.connection.thread_id()}")  # type: ignore[attr-defined]
            outcome = session.run("SELECT a FROM t")
            assert isinstance(outcome, Failure)
            assert outcome.fault is Fault.ENGINE
            assert not outcome.repeatable
        finally:
            session.close()


def test_a_query_killed_by_somebody_else_is_ended(database: str) -> None:
    session = MYSQL.open(database, Limits(seconds=600))
    number = session._cursor.connection.thread_id()  # type: ignore[attr-defined]
    started = threading.Event()

    def kill() -> None:
        started.wait()
        wait_until(lambda: running(database) != [])
        execute(None, f"KILL QUERY {number}")

    thread = threading.Thread(target=kill)
    thread.start()
    try:
        started.set()
        outcome = session.run(ENDLESS)
        assert isinstance(outcome, Failure)
        assert not outcome.repeatable
    finally:
        thread.join()
        session.close()


def test_values_compare_by_meaning(database: str) -> None:
    sql = (
        "SELECT CAST(2.50 AS DECIMAL(5,2)), CAST(4 AS DECIMAL(5,2)), TRUE, DATE '2024-02-29', "
        "TIME '36:00:00', TIMESTAMP '2024-02-29 13:14:15.5', x'00ff', 18446744073709551615, 1/3, "
        "b, y, e, z FROM kinds"
    )
    with server_database(
        "SET sql_mode = ''",
        "CREATE TABLE kinds (b BIT(10), y YEAR, e ENUM('a', 'b'), z DATE)",
        "SET sql_mode = ''",
    ) as url:
        execute(
            name_of(url),
            "SET sql_mode = ''",
            "INSERT INTO kinds VALUES (5, 2024, 'b', '0000-00-00')",
        )
        outcome = ask(url, sql, driver_values=True)
    assert rows(outcome) == [
        (
            *(2.5, 4, 1, "2024-02-29", "36:00:00", "2024-02-29 13:14:15.5", b"\x00\xff"),
            *(18446744073709551615, 0.3333, 5, 2024, "b", "0000-00-00"),
        )
    ]
    assert isinstance(outcome, Answer)
    assert outcome.driver_rows is not None
    assert outcome.driver_rows[0][0] == Decimal("2.50")
    assert outcome.driver_rows[0][4] == timedelta(hours=36)


@pytest.mark.parametrize(
    ("sql", "volatile"),
    [
        ("SELECT now()", True),
        ("SELECT CURRENT_DATE", True),
        ("SELECT rand()", True),
        ("SELECT uuid()", True),
        ("SELECT connection_id()", True),
        ("SELECT * FROM dated", True),
        ("SELECT * FROM `over_dated`", True),
        ("SELECT some_number()", True),
        ("SELECT 'now()', name AS rand FROM item", False),
    ],
)
def test_answers_that_depend_on_clock_or_chance_say_so(
    session: Session, sql: str, volatile: bool
) -> None:
    outcome = session.run(sql)
    assert isinstance(outcome, Answer)
    assert (outcome.volatile, outcome.lasting) == (volatile, not volatile)


def test_a_frozen_clock_is_seen_by_every_function_and_view(database: str) -> None:
    now = datetime(2020, 1, 2, 1, 30, tzinfo=timezone(timedelta(hours=2)))
    sql = (
        "SELECT now(), current_timestamp, curdate(), sysdate(), utc_timestamp(), "
        "unix_timestamp(), localtime, day FROM over_dated LIMIT 1"
    )
    outcome = ask(database, sql, now=now)
    utc = "2020-01-01 23:30:00"
    assert rows(outcome) == [(utc, utc, "2020-01-01", utc, utc, 1577921400, utc, "2020-01-01")]
    assert isinstance(outcome, Answer)
    assert not outcome.volatile
    real = ask(database, "SELECT day FROM system_dated", now=now)
    assert isinstance(real, Answer)
    assert real.volatile


def test_tables_that_keep_no_snapshots_have_no_digest() -> None:
    with server_database("CREATE TABLE t (a INT) ENGINE = MyISAM") as database:
        assert MYSQL.digest(database) is None


def test_the_digest_follows_declarations_too() -> None:
    with server_database("CREATE TABLE t (a FLOAT)", "INSERT INTO t VALUES (1.0000001)") as url:
        digests = {MYSQL.digest(url)}
        for statement in (
            "UPDATE t SET a = 1.0000003",
            "INSERT INTO t VALUES (NULL)",
            "UPDATE t SET a = 5 WHERE a IS NULL",
            "CREATE VIEW v AS SELECT a FROM t",
            "CREATE OR REPLACE VIEW v AS SELECT a + 1 AS a FROM t",
            "ALTER TABLE t MODIFY a DOUBLE",
        ):
            execute(name_of(url), statement)
            digests.add(MYSQL.digest(url))
    assert len(digests) == 7
    assert None not in digests


def test_credentials_and_odd_urls_are_explained(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, database: str
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("MYSQL_PWD", "not the password")
    nobody = f"mysql://sqlverdict_nobody@127.0.0.1/{name_of(database)}"
    with refuses_database("refused", r"Check the URL.*MYSQL_PWD") as caught:
        MYSQL.open(nobody, Limits())
    assert "not the password" not in str(caught.value)
    with refuses_database("not_a_database"):
        MYSQL.open("mysql://127.0.0.1/a?charset=latin1", Limits())
    assert engine_of("mysql://h/d") == engine_of("mariadb://h/d") == "mysql"


def test_certificates_are_read_once_and_those_of_a_url_by_its_connection() -> None:
    """To read the system's takes longer than to connect; without ``ssl_ca`` nobody needs them."""
    one, other = ServerConnection(defer_connect=True), ServerConnection(defer_connect=True)
    assert one.ctx is other.ctx
    assert one.ctx.verify_mode is ssl.CERT_NONE
    certifi = pytest.importorskip("certifi", reason="no file of certificates")
    own = ServerConnection(defer_connect=True, ssl_ca=certifi.where())
    assert own.ctx is not one.ctx
    assert own.ctx.get_ca_certs() != []


def test_a_server_is_held_against_the_certificates_of_its_url(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    certifi = pytest.importorskip("certifi", reason="no file of certificates")
    modes = []

    def refuse(connection: ServerConnection, _sock: object = None) -> None:
        modes.append(connection.ctx.verify_mode)
        raise OSError("no server")

    monkeypatch.setattr(ServerConnection, "connect", refuse)
    for url in ("mysql://u@127.0.0.1/d", f"mysql://u@127.0.0.1/d?ssl_ca={certifi.where()}"):
        with refuses_database("unreachable"):
            MYSQL.open(url, Limits())
    assert modes == [ssl.CERT_NONE, ssl.CERT_REQUIRED]


def test_settings_do_not_depend_on_the_server(session: Session) -> None:
    assert rows(session.run("SELECT name, max(id) FROM item"))[0][1] == 3
    sql = "SELECT \"a\" || 0, 'b\\'c', timestampdiff(HOUR, utc_timestamp(), now())"
    assert rows(session.run(sql)) == [(0, "b'c", 0)]
