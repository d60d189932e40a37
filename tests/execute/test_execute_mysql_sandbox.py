"""Which texts are sent to a MySQL server at all; no server is needed."""

from __future__ import annotations

import pytest

from sqlverdict.execute.frozen_text import clock_words
from sqlverdict.execute.mysql.sandbox import (
    BLOCKED_FUNCTIONS,
    SYSTEM,
    may_change,
    refusal,
)
from sqlverdict.execute.servers.refusals import holds_any, shortest
from sqlverdict.records import Reason


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT * FROM item INTO OUTFILE '/tmp/sqlverdict_loot.csv'",
        "SELECT name INTO DUMPFILE '/tmp/sqlverdict_loot.csv' FROM item",
        "SELECT count(*) INTO @loot FROM item",
        "SELECT * FROM item WHERE id = 1e0INTO OUTFILE '/tmp/sqlverdict_loot.csv'",
        "SELECT LOAD_FILE('/etc/passwd')",
        "SELECT load_file /* x */ ('/etc/passwd')",
        "SELECT `load_file`('/etc/passwd')",
        "SELECT 'it\\'s', load_file('/etc/passwd') -- '",
        "SELECT SLEEP(100)",
        "SELECT BENCHMARK(1000000000, MD5('x'))",
        "SELECT GET_LOCK('x', 100)",
        "SELECT RELEASE_ALL_LOCKS()",
        "SELECT sys_exec('id')",
        "SELECT sys_eval('id')",
        "SELECT @loot := 1",
        "SELECT @@datadir",
        "SELECT 1 /*! INTO OUTFILE '/tmp/sqlverdict_loot.csv' */",
        "SELECT 1 /*M! + SLEEP(100) */",
        "SELECT /*!50000 SLEEP(100) */",
        "SELECT /*+ SET_VAR(max_execution_time = 0) */ 1",
        "SELECT * FROM item FOR UPDATE",
        "SELECT * FROM item FOR SHARE",
        "SELECT * FROM item LOCK IN SHARE MODE",
        "SELECT * FROM item PROCEDURE ANALYSE()",
        "SELECT user, authentication_string FROM mysql.user",
        "SELECT * FROM `mysql` . `user`",
        "SELECT * FROM information_schema.processlist",
        "SELECT * FROM performance_schema.threads",
        "WITH w AS (SELECT 1) DELETE FROM item",
        "WITH w AS (SELECT 1) UPDATE item SET price = 0",
        "HANDLER item OPEN",
        "DO SLEEP(100)",
        "SET GLOBAL general_log = 1",
        "SET STATEMENT max_statement_time = 0 FOR SELECT 1",
        "LOAD DATA INFILE '/etc/passwd' INTO TABLE item",
        "CALL loot()",
        "PREPARE loot FROM 'DROP TABLE item'",
        "KILL 1",
        "FLUSH TABLES",
        "CREATE TEMPORARY TABLE loot (a INT)",
        "LOCK TABLES item READ",
        "USE mysql",
        "COMMIT",
        "XA START 'x'",
        "TRUNCATE TABLE item",
    ],
)
def test_what_writes_waits_or_reads_elsewhere_is_blocked(sql: str) -> None:
    outcome = refusal(sql)
    assert outcome is not None, sql
    assert outcome.reason is Reason.WRITE_BLOCKED


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT 'INTO OUTFILE', \"LOAD_FILE('x')\" AS `sleep`",
        "SELECT 1 -- INTO OUTFILE\n",
        "SELECT 1 # SLEEP(5)",
        "SELECT 1 /* @x := 5 */",
        "SELECT 'it''s @ \\'x\\''",
        "SELECT insert('abc', 1, 1, 'x'), replace('a', 'a', 'b')",
        "SELECT t.`update`, t.`into` FROM t",
        "SELECT mysql FROM t WHERE mysql > 1",
        "(SELECT 1) UNION (SELECT 2)",
        "SELECT sum(a) FROM t AS other GROUP BY other.b",
        "SELECT t.a, other.b FROM t JOIN u AS other ON t.a = other.a AND (t.b, other.b) = (1, 2)",
    ],
)
def test_reading_queries_are_sent(sql: str) -> None:
    assert refusal(sql, frozenset({"other"})) is None


@pytest.mark.parametrize("name", sorted(BLOCKED_FUNCTIONS))
@pytest.mark.parametrize(
    "sql", ["SELECT {}(1)", "SELECT 1+`{}` (1)", "SELECT a FROM t WHERE 1e0<{}()"]
)
def test_each_blocked_function_is_refused(name: str, sql: str) -> None:
    for spelling in (name, name.upper(), name.title()):
        assert refusal(sql.format(spelling)) is not None


@pytest.mark.parametrize("name", [*sorted(SYSTEM), "other", "mother"])
def test_each_other_database_is_refused(name: str) -> None:
    assert refusal(f"SELECT * FROM {name.upper()}.t", frozenset({"other", "mother"})) is not None


@pytest.mark.parametrize(
    "name", sorted(clock_words("mysql") | {"connection_id", "found_rows", "row_count"})
)
def test_what_reads_the_clock_chance_or_the_connection_may_change(name: str) -> None:
    for spelling in (name, name.upper(), f"`{name}`"):
        assert may_change(f"SELECT a+{spelling}() FROM t", frozen=False)
    assert not may_change(f"SELECT my_{name}, '{name}()' FROM t", frozen=False)


def test_a_frozen_clock_does_not_change() -> None:
    assert not may_change("SELECT NOW()", frozen=True)
    assert may_change("SELECT NOW(), RAND()", frozen=True)
    assert not may_change("SELECT birth_date, singer_id, time FROM t", frozen=False)


def test_the_shortest_of_words_stand_in_every_text_with_one_of_them() -> None:
    words = {"lock", "get_lock", "release_all_locks", "sleep"}
    assert shortest(words) == ("lock", "sleep")
    assert all(holds_any(f"x{word}y", shortest(words)) for word in words)
    assert not holds_any("block".replace("l", "1"), shortest(words))
