"""Hostile texts on MySQL and MariaDB: nothing is read elsewhere, written, or left behind."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from secrets import token_hex
from typing import Any, NamedTuple

import pytest
from hostile_mysql import (
    ENDLESS,
    EXPRESSIONS,
    FILE,
    HOSTILE,
    LOOT,
    OTHER,
    SECRET,
    SPELLINGS,
    STATEMENTS,
)

from mysql_parts import execute, server_database
from sqlverdict.execute.engine import ENGINES, Limits
from sqlverdict.execute.engines.mysql.connection import rows_of
from sqlverdict.execute.engines.mysql.sandbox import failure_of
from sqlverdict.execute.servers.session import ServerLost
from sqlverdict.records import Answer, Failure, Fault, Outcome, Reason
from timeouts import wait_until

pytestmark = pytest.mark.slow  # a server

MYSQL = ENGINES.get("mysql")
SHORT = Limits(seconds=0.3, memory=2**26, bytes=2**22)


class Target(NamedTuple):
    url: str
    other: str
    file: str

    def text(self, sql: str) -> str:
        return sql.replace(OTHER, self.other).replace(FILE, self.file)


@pytest.fixture(scope="module")
def target() -> Iterator[Target]:
    # The server reads no file in the folder of a test.
    file = Path(f"{FILE}_{token_hex(6)}")
    with (
        server_database(
            "CREATE TABLE t (id INT PRIMARY KEY, name VARCHAR(20))",
            "INSERT INTO t VALUES (1, 'a'), (2, 'b')",
        ) as url,
        server_database(
            "CREATE TABLE vault (secret TEXT)", f"INSERT INTO vault VALUES ('{SECRET}')"
        ) as other,
    ):
        file.write_text(SECRET)
        try:
            yield Target(url, name_of(other), str(file))
        finally:
            file.unlink()


def name_of(url: str) -> str:
    return url.rpartition("/")[2]


def state(target: Target) -> dict[str, object]:
    """What must stay as it is; other tests use the server, too."""
    names = (
        "SELECT table_schema, table_name FROM information_schema.tables WHERE table_name LIKE '%loot%'",
        "SELECT schema_name FROM information_schema.schemata WHERE schema_name LIKE '%loot%'",
        "SELECT routine_name FROM information_schema.routines WHERE routine_name LIKE '%loot%'",
        "SELECT user FROM mysql.user WHERE user LIKE '%loot%'",
        "SELECT is_free_lock('loot')",
        "SELECT @@global.general_log, @@global.sql_mode, @@global.max_connections",
    )
    tables = f"{name_of(target.url)}.t, {target.other}.vault"
    folder = Path(str(execute(None, "SELECT @@datadir")[0][0])) / name_of(target.url)
    files: list[str] = []
    with suppress(OSError):
        files = sorted(path.name for path in folder.iterdir())
    return {
        **{name: execute(None, name) for name in names},
        "content": execute(None, f"CHECKSUM TABLE {tables}"),
        "tables": execute(name_of(target.url), "SHOW TABLES"),
        "declaration": execute(name_of(target.url), "SHOW CREATE TABLE t"),
        "files": files,
        "loot": Path(LOOT).exists(),
    }


def secrets() -> list[str]:
    ((folder, file, host),) = execute(None, "SELECT @@datadir, @@log_error, @@hostname")
    return [
        text for text in (SECRET, str(folder), str(file or ""), str(host), "root") if len(text) > 3
    ]


def shows_secret(outcome: Outcome, words: list[str]) -> bool:
    if not isinstance(outcome, Answer):
        return SECRET in outcome.message
    return any(word.lower() in repr(outcome.rows).lower() for word in words)


def is_quiet(target: Target) -> bool:
    return not execute(
        None,
        "SELECT info FROM information_schema.processlist "
        f"WHERE db = '{name_of(target.url)}' AND command = 'Query'",
    )


@pytest.mark.parametrize("trust_role", [False, True])
def test_hostile_texts_show_nothing_and_leave_nothing_behind(
    target: Target, trust_role: bool
) -> None:
    """Also as an administrator, where the guard is the only wall."""
    before, words, wrong = state(target), secrets(), []
    assert len(HOSTILE) >= 150
    quick = [sql for sql in HOSTILE if sql not in ENDLESS]
    for texts, limits in ((quick, Limits(seconds=600)), (ENDLESS, SHORT)):
        session = MYSQL.open(target.url, replace(limits, trust_role=trust_role))
        try:
            settings = settings_of(session)
            for sql in texts:
                outcome = session.run(target.text(sql))
                if shows_secret(outcome, words) or (isinstance(outcome, Failure) and outcome.fault):
                    wrong.append((sql, str(outcome)[:200]))
            assert settings_of(session) == settings
        finally:
            session.close()
    assert wrong == []
    assert state(target) == before
    assert wait_until(lambda: is_quiet(target))


def settings_of(session: Any) -> object:
    return rows_of(
        session._cursor.connection,
        "SELECT @@sql_mode, @@character_set_client, @@max_statement_time, @@time_zone, "
        "@@tmp_table_size, @@max_session_mem_used, @@group_concat_max_len, @@autocommit, database()",
    )


def test_the_user_of_the_session_alone_keeps_the_rest_of_the_server_closed(target: Target) -> None:
    """The same texts beneath the guard; what waits is left out, and settings can be read."""
    before = state(target)
    texts = [sql for sql in STATEMENTS if "sleep" not in sql.lower()]
    texts += [
        spelling.format(*[text] * 2)
        for spelling in SPELLINGS[::8]
        for text in EXPRESSIONS
        if "vault" in text or "load_file" in text or "mysql." in text
    ]
    hard = ("benchmark", "KILL USER")
    for sql in texts:
        if any(word in sql for word in hard) or len(sql) > 1_000:
            continue
        session: Any = MYSQL.open(target.url, Limits(seconds=600))
        try:
            with suppress(ServerLost):
                assert not shows_secret(session._cursor.run(target.text(sql)), [SECRET]), sql
        finally:
            session.close()
    assert wait_until(lambda: state(target) == before)


ERRORS = (
    "SELECT extractvalue(1, '~')",
    "SELECT extractvalue(1, concat('~', 'x'))",
    "SELECT updatexml(1, '~', 1)",
    "SELECT extractvalue('<a/>', 'count(')",
    "SELECT 18446744073709551615 + 1",
    "SELECT -9223372036854775808 - 1",
    "SELECT exp(710)",
    "SELECT pow(10, 400)",
    "SELECT ~0 * ~0",
    "SELECT (SELECT id FROM t)",
    "SELECT 1 = (SELECT 1, 2)",
    "SELECT row(1, 2) = 3",
    "SELECT 'a' REGEXP '('",
    "SELECT 'a' REGEXP '[[:nothing:]]'",
    "SELECT regexp_replace('a', '(', 'x')",
    "SELECT json_extract('{', '$')",
    "SELECT json_extract('[1]', '$[')",
    "SELECT json_objectagg(NULL, 1) FROM t",
    "SELECT json_array_append('[', '$', 1)",
    "SELECT st_geomfromtext('POINT(')",
    "SELECT st_x('abc')",
    "SELECT geometrycollection(1, 2)",
    "SELECT polygon(1)",
    "SELECT linestring(1)",
    "SELECT st_distance(1, 2)",
    "SELECT st_buffer(st_geomfromtext('POINT(0 0)'), 'x')",
    "SELECT convert('a' USING nothing)",
    "SELECT 'a' COLLATE utf8mb4_nothing",
    "SELECT 'a' COLLATE latin1_bin",
    "SELECT cast('a' AS DECIMAL(100, 100))",
    "SELECT group_concat(id ORDER BY nothing) FROM t",
    "SELECT sum(sum(id)) FROM t",
    "SELECT ntile(0) OVER () FROM t",
    "SELECT id FROM t GROUP BY sum(id)",
    "SELECT count(*) FROM t GROUP BY 9",
    "SELECT * FROM t a, t a",
    "SELECT inet_aton(1, 2)",
    "SELECT substring('a')",
    "SELECT date_add(1, 2)",
    "SELECT timestampdiff(NOTHING, 1, 2)",
    "SELECT column_get('a', 1 AS INT)",
    "SELECT aes_encrypt('a')",
    "SELECT name FROM t ORDER BY id LIMIT -1",
    "SELECT * FROM t PARTITION (p)",
    "SELECT * FROM t USE INDEX (nothing)",
    "SELECT json_table('[]', '$')",
    "SELECT * FROM json_table('[', '$[*]' COLUMNS (a INT PATH '$')) AS j",
    "WITH RECURSIVE n AS (SELECT i FROM n) SELECT * FROM n",
    "SELECT " + "+".join(["1"] * 20_000),
    "SELECT * FROM " + ", ".join(f"t AS t{n}" for n in range(70)),
    "SELECT 1 WHERE 1 IN (SELECT id, name FROM t)",
    "SELECT repeat('x', 100000000) FROM t UNION SELECT 1",
    "SELECT sha2(repeat('x', 60000000), 512) FROM t ORDER BY repeat('x', 60000000)",
)


def test_errors_that_a_text_can_raise_are_the_text_s(target: Target) -> None:
    wrong = []
    session = MYSQL.open(target.url, Limits(seconds=600, memory=2**26))
    try:
        for sql in ERRORS:
            outcome = session.run(sql)
            is_engines = isinstance(outcome, Failure) and outcome.fault is not None
            if is_engines or not isinstance(session.run("SELECT count(*) FROM t"), Answer):
                wrong.append((sql[:80], outcome))
    finally:
        session.close()
    assert wrong == []


@pytest.mark.parametrize(
    ("number", "reason"),
    [
        (1105, Reason.EXECUTION_ERROR),
        (1436, Reason.PARSE_ERROR),
        (1038, Reason.MEMORY_LIMIT),
        (1114, Reason.MEMORY_LIMIT),
        (1037, Reason.MEMORY_LIMIT),
        (1041, Reason.MEMORY_LIMIT),
        (1021, Reason.MEMORY_LIMIT),
        (28, Reason.MEMORY_LIMIT),
        (1969, Reason.EXECUTION_TIMEOUT),
        (3024, Reason.EXECUTION_TIMEOUT),
        (1317, Reason.EXECUTION_TIMEOUT),
        (1690, Reason.EXECUTION_ERROR),
        (1242, Reason.EXECUTION_ERROR),
        (1139, Reason.EXECUTION_ERROR),
        (1142, Reason.WRITE_BLOCKED),
        (4079, Reason.EXECUTION_ERROR),
        (99_999, Reason.EXECUTION_ERROR),
    ],
)
def test_no_error_that_a_text_can_raise_is_the_engine_s(number: int, reason: Reason) -> None:
    failure = failure_of(number, "the server's words", 0.1, 1.0)
    assert failure.reason is reason
    assert failure.fault is None


def test_a_table_that_the_user_may_not_read_is_no_write() -> None:
    message = "SELECT command denied to user 'ann'@'%' for table `shop`.`wages`"
    assert failure_of(1142, message, 0.1, 1.0).reason is Reason.EXECUTION_ERROR
    message = message.replace("SELECT", "INSERT")
    assert failure_of(1142, message, 0.1, 1.0).reason is Reason.WRITE_BLOCKED


def test_a_damaged_table_is_the_engine_s() -> None:
    assert failure_of(1194, "crashed", 0.1, 1.0).fault is Fault.ENGINE
