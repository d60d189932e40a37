"""Which texts are sent to a MySQL server at all; no server is needed."""

from __future__ import annotations

import pytest

from sqlverdict.execute.engines.mysql.functions import BLOCKED_FUNCTIONS, FUNCTIONS, KEYWORDS
from sqlverdict.execute.engines.mysql.sandbox import Reach, canonical, may_change
from sqlverdict.execute.frozen_text import clock_words
from sqlverdict.execute.servers.refusals import holds_any, shortest
from sqlverdict.records import Failure, Reason

HERE = Reach("here", functions=frozenset({"tax"}), owned=frozenset({"payroll"}))


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT * FROM item INTO OUTFILE '/tmp/sqlverdict_loot.csv'",
        "SELECT name INTO DUMPFILE '/tmp/sqlverdict_loot.csv' FROM item",
        "SELECT count(*) INTO @loot FROM item",
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
    outcome = canonical(sql, HERE)
    assert isinstance(outcome, Failure), sql
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
    assert isinstance(canonical(sql, HERE), str)


@pytest.mark.parametrize("name", sorted(BLOCKED_FUNCTIONS))
@pytest.mark.parametrize(
    "sql", ["SELECT {}(1)", "SELECT 1+`{}` (1)", "SELECT a FROM t WHERE 1e0<{}()"]
)
def test_each_blocked_function_is_refused(name: str, sql: str) -> None:
    for spelling in (name, name.upper(), name.title()):
        assert isinstance(canonical(sql.format(spelling), HERE), Failure)


def test_no_function_is_both_harmless_and_blocked() -> None:
    assert not BLOCKED_FUNCTIONS & (FUNCTIONS | KEYWORDS)


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


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT * FROM {}.t",
        "SELECT * FROM t JOIN t other ON t.id = other.id, {}.secret",
        "SELECT * FROM t AS {0} JOIN t ON t.id = {0}.id, {0}.secret",
        "SELECT {0}.id, s.a FROM (t AS {0}, ({0}.secret AS s))",
        "SELECT * FROM t AS {0} USE INDEX FOR ORDER BY (a), {0}.secret",
        "SELECT * FROM t AS {0} USE INDEX FOR GROUP BY (a), {0}.secret",
        "SELECT * FROM t WHERE a IN (SELECT a FROM `{}` . secret)",
        "SELECT * FROM t WHERE a IN (TABLE {}.secret)",
        "TABLE {}.secret",
        "WITH w AS (SELECT * FROM {}.secret) SELECT * FROM w",
        "SELECT {}.secret.a FROM t",
        "SELECT {}.f(1)",
        "SELECT a FROM t UNION SELECT a FROM {}/**/./**/secret",
        "SELECT * FROM t STRAIGHT_JOIN {}.secret",
        "SELECT * FROM t NATURAL LEFT JOIN ({}.secret)",
        "SELECT * FROM t, LATERAL (SELECT * FROM {}.secret) AS s",
    ],
)
@pytest.mark.parametrize(
    "name", ["other", "HERE", "mysql", "information_schema", "performance_schema", "sys"]
)
def test_tables_of_other_databases_are_refused_wherever_one_can_stand(sql: str, name: str) -> None:
    outcome = canonical(sql.format(name), HERE)
    assert isinstance(outcome, Failure), outcome
    assert outcome.reason is Reason.WRITE_BLOCKED


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT here.t.a FROM here.t AS other WHERE other.a > 1 ORDER BY other.b",
        "SELECT extract(YEAR FROM other.d), trim(LEADING 'x' FROM other.a) FROM t AS other",
        "SELECT sum(other.a) OVER (PARTITION BY other.b ORDER BY other.c) FROM t AS other",
        "SELECT * FROM t JOIN u AS other USING (a) LEFT JOIN v ON coalesce(other.a, other.b) = v.a",
        "WITH w (a, b) AS (SELECT 1, 2) SELECT tax(a) FROM w",
        "SELECT CAST(a AS CHAR(3)), CONVERT(a, DECIMAL(9, 2)), count (b), a IN (1), NOT (b) FROM t",
        "SELECT * FROM t WHERE MATCH (a) AGAINST ('x' IN BOOLEAN MODE)",
        "SELECT SQL_NO_CACHE (1), CONVERT(a, DATETIME(6)), TRIM(BOTH ('x') FROM a) FROM t",
        "VALUES (1), (2)",
    ],
)
def test_aliases_types_and_columns_are_not_taken_for_databases_and_calls(sql: str) -> None:
    assert canonical(sql, HERE) == sql


def test_functions_with_the_rights_of_their_owner_are_refused_and_unknown_ones_fail() -> None:
    owned, unknown = canonical("SELECT PayRoll(1)", HERE), canonical("SELECT strftime('%Y', d)")
    assert isinstance(owned, Failure)
    assert owned.reason is Reason.WRITE_BLOCKED
    assert isinstance(unknown, Failure)
    assert unknown.reason is Reason.EXECUTION_ERROR
