"""Functions of a MySQL or MariaDB database that set variables are not called."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from mysql_parts import server_database
from sqlverdict.execute.engine import ENGINES, Limits
from sqlverdict.execute.engines.mysql.routines import sets_variables
from sqlverdict.execute.engines.mysql.sandbox import failure_of
from sqlverdict.execute.servers.reader import PREFIX
from sqlverdict.records import Answer, Failure, Reason

SETTINGS = {"session", "sql_mode", "port"}
READER = f"{PREFIX}0123456789ab"


@pytest.mark.parametrize(
    "text",
    [
        "",
        "RETURN @n",
        "RETURN (SELECT a INTO @b FROM t)",
        "BEGIN SET SESSION sql_mode = ''; RETURN 1; END",
        "BEGIN SET sql_mode = ''; RETURN 1; END",
        "BEGIN SET `sql_mode` = ''; RETURN 1; END",
        "BEGIN SET a = f(1, 2), SQL_MODE = ''; RETURN 1; END",
        "BEGIN /*!50000 SET sql_mode = '' */; RETURN 1; END",
        "BEGIN CALL other(); RETURN 1; END",
        "RETURN last_insert_id(5)",
    ],
)
def test_a_text_that_sets_what_outlives_it_is_told(text: str) -> None:
    assert sets_variables(text, SETTINGS)


@pytest.mark.parametrize(
    "text",
    [
        "RETURN 2 * n",
        "BEGIN DECLARE a, b INT; SET a = f(1, port), b = 2; SET n = a; RETURN n; END",
        "BEGIN DECLARE a VARCHAR(9) CHARACTER SET utf8mb4; SET a = '@x'; RETURN a; END",
        "RETURN 1 -- SET sql_mode = @x",
    ],
)
def test_a_text_that_sets_its_own_variables_is_told(text: str) -> None:
    assert not sets_variables(text, SETTINGS)


@pytest.fixture(scope="module")
def database() -> Iterator[str]:
    invoker = "SQL SECURITY INVOKER"
    with server_database(
        "CREATE TABLE t (a INT)",
        "INSERT INTO t VALUES (7)",
        f"CREATE FUNCTION bump() RETURNS INT {invoker} BEGIN SET @n = COALESCE(@n, 0) + 1;"
        " RETURN @n; END",
        f"CREATE FUNCTION modes() RETURNS INT {invoker} READS SQL DATA"
        " BEGIN SET sql_mode = 'ANSI_QUOTES'; RETURN 1; END",
        f"CREATE FUNCTION outer_bump() RETURNS INT {invoker} RETURN bump()",
        "CREATE VIEW bumps AS SELECT bump() AS b",
        "CREATE VIEW more_bumps AS SELECT b FROM bumps",
        f"CREATE FUNCTION plus(n INT) RETURNS INT {invoker} BEGIN DECLARE a INT;"
        " SET a = n + 1; RETURN a; END",
    ) as url:
        yield url


@pytest.mark.slow  # a server
def test_what_sets_variables_of_the_session_is_refused(database: str) -> None:
    opened = ENGINES.get("mysql").open(database, Limits(seconds=600))
    try:
        for sql in (
            "SELECT bump()",
            "SELECT `bump`()",
            "SELECT modes()",
            "SELECT outer_bump()",
            "SELECT * FROM bumps",
            "SELECT * FROM more_bumps",
        ):
            outcome = opened.run(sql)
            assert isinstance(outcome, Failure), sql
            assert outcome.reason is Reason.WRITE_BLOCKED
            assert "sets variables" in outcome.message
        outcome = opened.run("SELECT plus(a) FROM t")
        assert isinstance(outcome, Answer)
        assert outcome.rows == [(8,)]
    finally:
        opened.close()


def test_a_function_that_the_server_lacks_does_not_exist() -> None:
    denied = f"execute command denied to user '{READER}'@'localhost' for routine "
    failure = failure_of(1370, f"{denied}'shop.ANY_VALUE'", 0.1, 1.0)
    assert failure.reason is Reason.EXECUTION_ERROR
    assert failure.message == "the function ANY_VALUE does not exist"
    failure = failure_of(1370, f"{denied}'shop.inner_one'", 0.1, 1.0)
    assert failure.reason is Reason.WRITE_BLOCKED


@pytest.mark.parametrize("number", [1044, 1064, 1142, 1194, 1226, 1370, 4161])
def test_no_message_shows_the_short_lived_user(number: int) -> None:
    for message in (f"denied to user '{READER}'@'localhost' for x", f"User '{READER}' has enough"):
        text = failure_of(number, message, 0.1, 1.0).message
        assert READER not in text
        assert "the reader" in text


@pytest.mark.slow  # a server
def test_an_answer_that_is_no_utf8_is_no_error_of_the_text(database: str) -> None:
    opened = ENGINES.get("mysql").open(database, Limits(seconds=600))
    try:
        # Where the server has no such function, the error is one of execution as well.
        outcome = opened.run("SELECT SFORMAT('{:c}', 255)")
        assert isinstance(outcome, Failure)
        assert outcome.reason is Reason.EXECUTION_ERROR
        after = opened.run("SELECT a FROM t")
        assert isinstance(after, Answer)
        assert after.rows == [(7,)]
        lone = opened.run("SELECT '\ud800'")
        assert isinstance(lone, Failure)
        assert lone.reason is Reason.PARSE_ERROR
    finally:
        opened.close()
