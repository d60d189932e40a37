"""Workspaces of DuckDB and servers: statements may write, and the database never changes."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from pathlib import Path

import pytest
from postgres_parts import execute as execute_postgres
from postgres_parts import role

from error_parts import refuses_database
from mysql_parts import execute, server_database
from sqlverdict.execute.engine import ENGINES, Engine, Limits, Session, Workspace, WorkspaceEngine
from sqlverdict.execute.scripts import run_script
from sqlverdict.records import Answer, Failure, Fault, Reason, Script

TABLE = "CREATE TABLE t (name VARCHAR(10), n INTEGER)"
ROWS = "INSERT INTO t VALUES ('a', 1), ('b', 2)"
ENDLESS = (
    "WITH RECURSIVE r(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM r) "
    "SELECT count(*) FROM r WHERE i < 0"
)

MANY = (
    "WITH RECURSIVE r(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM r WHERE i < 1000) SELECT * FROM r"
)


@pytest.fixture
def duckdb_file(tmp_path: Path) -> str:
    duckdb = pytest.importorskip("duckdb", reason="the extra duckdb is not installed")
    path = tmp_path / "a.duckdb"
    connection = duckdb.connect(str(path))
    connection.execute(TABLE)
    connection.execute(ROWS)
    connection.close()
    return str(path)


@pytest.fixture
def postgres_url(postgres_database: str) -> Iterator[str]:
    """By a role that owns the table, and is no superuser."""
    with role(postgres_database, "", "GRANT ALL ON SCHEMA public TO {role}") as url:
        execute_postgres(url, TABLE, ROWS)
        yield url


@pytest.fixture
def mysql_url() -> Iterator[str]:
    with server_database(TABLE, ROWS) as url:
        yield url


@pytest.fixture(
    params=[
        "duckdb_file",
        pytest.param("postgres_url", marks=pytest.mark.slow),
        pytest.param("mysql_url", marks=pytest.mark.slow),
    ]
)
def target(request: pytest.FixtureRequest) -> tuple[Engine, str]:
    name: str = request.param
    return ENGINES.get(name.partition("_")[0]), request.getfixturevalue(name)


def open_workspace(target: tuple[Engine, str], limits: Limits | None = None) -> Workspace:
    engine, database = target
    assert isinstance(engine, WorkspaceEngine)
    return engine.workspace(database, limits or Limits())


def total(target: tuple[Engine, str], sql: str) -> object:
    engine, database = target
    script = Script(check="SELECT sum(n) FROM t")
    outcome = run_script(engine, database, script, sql, Limits(), None)
    return outcome.rows[0][0] if isinstance(outcome, Answer) else outcome.reason


def test_what_is_written_is_seen_and_then_gone(target: tuple[Engine, str]) -> None:
    engine, database = target
    before = engine.digest(database)
    assert total(target, "UPDATE t SET n = n + 1") == 5
    assert total(target, "DELETE FROM t WHERE n = 1; INSERT INTO t VALUES ('c', 7)") == 9
    assert total(target, "SELECT 1") == 3
    assert engine.digest(database) == before


def test_tables_may_be_made_and_dropped(target: tuple[Engine, str]) -> None:
    workspace = open_workspace(target)
    for sql in ("CREATE TABLE u (a INTEGER)", "ALTER TABLE t ADD COLUMN more INTEGER"):
        assert isinstance(workspace.run(sql), Answer), sql
    assert workspace.tables() == ["t", "u"]
    assert isinstance(workspace.run("DROP TABLE t"), Answer)
    assert workspace.tables() == ["u"]
    workspace.close()


def test_a_failing_statement_leaves_the_others_as_they_are(target: tuple[Engine, str]) -> None:
    workspace = open_workspace(target)
    workspace.run("UPDATE t SET n = 10")
    assert isinstance(workspace.run("UPDATE nowhere SET n = 3"), Failure)
    outcome = workspace.run("SELECT sum(n) FROM t")
    workspace.close()
    assert isinstance(outcome, Answer)
    assert outcome.rows == [(20,)]


HOSTILE = (
    "COPY t TO '/tmp/sqlverdict-loot.csv'",
    "COMMIT",
    "ROLLBACK",
    "SET search_path = public",
    "CREATE EXTENSION dblink",
    "CREATE OR REPLACE FUNCTION f() RETURNS int AS 'SELECT 1' LANGUAGE sql",
    "CREATE ROLE thief",
    "DO 'BEGIN END'",
    "ATTACH 'loot.duckdb'",
    "INSTALL httpfs",
    "INSERT INTO t SELECT pg_read_file('/etc/passwd'), 1",
    "INSERT INTO t SELECT content, 1 FROM read_text('/etc/passwd')",
    "INSERT INTO t SELECT load_file('/etc/passwd'), 1",
    "SELECT * FROM t INTO OUTFILE '/tmp/sqlverdict-loot.csv'",
    "LOAD DATA INFILE '/etc/passwd' INTO TABLE t",
    "CREATE TABLE u (a INT) DATA DIRECTORY = '/tmp'",
    "CREATE TABLE u (a INT) ENGINE = CONNECT TABLE_TYPE = CSV FILE_NAME = '/etc/passwd'",
    "CREATE TABLE test.u (a INT)",
    "INSERT INTO mysql.user VALUES (1)",
    "CREATE TRIGGER g BEFORE INSERT ON t FOR EACH ROW SET @x = 1",
    "CREATE DATABASE sqlverdict_loot",
    "UPDATE t SET n = @@max_connections",
    "`a`: BEGIN NOT ATOMIC DROP TABLE t; END",
    "SELECT 1; COMMIT",
    "",
)


def test_all_that_outlives_the_workspace_stays_closed(target: tuple[Engine, str]) -> None:
    engine, database = target
    before = engine.digest(database)
    workspace = open_workspace(target)
    workspace.run("UPDATE t SET n = 10")
    for sql in HOSTILE:
        assert isinstance(workspace.run(sql), Failure), sql
    outcome = workspace.run("SELECT sum(n) FROM t")
    workspace.close()
    assert isinstance(outcome, Answer)
    assert outcome.rows == [(20,)]
    assert engine.digest(database) == before
    assert not Path("/tmp/sqlverdict-loot.csv").exists()


def test_limits_hold(target: tuple[Engine, str]) -> None:
    workspace = open_workspace(target, Limits(rows=10, seconds=3))
    many = workspace.run(MANY)
    late = workspace.run(ENDLESS)
    workspace.close()
    assert isinstance(many, Failure)
    assert many.reason in (Reason.ROW_LIMIT, Reason.EXECUTION_TIMEOUT)
    assert isinstance(late, Failure)
    assert late.reason in (Reason.EXECUTION_TIMEOUT, Reason.MEMORY_LIMIT)


@pytest.mark.slow
@pytest.mark.parametrize("door", ["open", "workspace"])
def test_a_value_above_the_limit_is_refused(target: tuple[Engine, str], door: str) -> None:
    limits = Limits(cell=1_000, seconds=600, trust_role=True)
    opened: Session | Workspace = getattr(target[0], door)(target[1], limits)
    large = opened.run(f"SELECT replace('{'a' * 100}', 'a', '{'b' * 50}')")
    small = opened.run("SELECT name FROM t ORDER BY name")
    opened.close()
    assert getattr(large, "reason", large) is Reason.MEMORY_LIMIT
    assert getattr(small, "rows", small) == [("a",), ("b",)]


def content(target: tuple[Engine, str], sql: str) -> Answer | Failure:
    engine, database = target
    return run_script(engine, database, Script(), sql, Limits(), None)


@pytest.mark.slow
def test_without_a_check_a_count_of_written_rows_is_no_result(target: tuple[Engine, str]) -> None:
    first = content(target, "UPDATE t SET n = 5 WHERE name = 'a'")
    other = content(target, "UPDATE t SET n = 5 WHERE name = 'b'")
    assert isinstance(first, Answer)
    assert isinstance(other, Answer)
    assert sorted(first.rows) != sorted(other.rows)
    returned = content(target, "DELETE FROM t WHERE name = 'a' RETURNING name")
    assert isinstance(returned, Answer)
    assert returned.rows == [("a",)]


@pytest.mark.slow
@pytest.mark.parametrize("sql", ["CREATE VIEW v AS SELECT 1 AS a", "CREATE INDEX i ON t (n)"])
def test_statements_that_change_no_table_give_nothing_to_compare(
    target: tuple[Engine, str], sql: str
) -> None:
    outcome = content(target, sql)
    assert isinstance(outcome, Failure)
    assert outcome.reason is Reason.UNSUPPORTED_FEATURE


def test_a_semicolon_in_a_string_ends_no_statement(target: tuple[Engine, str]) -> None:
    string = r"'it\'s; ok'" if target[0].name == "mysql" else r"E'it\'s; ok'"
    assert total(target, f"UPDATE t SET n = 9, name = {string} WHERE n = 1") == 11


@pytest.mark.slow
def test_what_chance_or_the_clock_wrote_is_volatile(target: tuple[Engine, str]) -> None:
    engine, database = target
    script = Script(check="SELECT n FROM t")
    chance = "rand()" if engine.name == "mysql" else "random()"
    for value, now, expected in (
        ("1", None, False),
        (chance, None, True),
        ("extract(year FROM current_date)", None, True),
        ("extract(year FROM current_date)", datetime(2020, 1, 1), False),
        (chance, datetime(2020, 1, 1), True),
    ):
        outcome = run_script(engine, database, script, f"UPDATE t SET n = {value}", Limits(), now)
        assert isinstance(outcome, Answer), outcome
        assert outcome.volatile is expected, value
        if value.startswith("extract") and now is not None:
            assert outcome.rows == [(2020,), (2020,)]


def test_select_into_makes_a_table_in_postgresql(postgres_url: str) -> None:
    outcome = content((ENGINES.get("postgres"), postgres_url), "SELECT n INTO u FROM t")
    assert isinstance(outcome, Answer)
    assert ("u", "row", "(1,)") in outcome.rows


def test_a_lost_connection_is_the_fault_of_the_server(postgres_url: str) -> None:
    import psycopg

    workspace = open_workspace((ENGINES.get("postgres"), postgres_url))
    with psycopg.connect(postgres_url, autocommit=True) as connection:
        connection.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
            " WHERE datname = current_database() AND pid <> pg_backend_pid()"
        )
    with refuses_database("unreachable"):
        workspace.tables()
    workspace.close()


def test_the_copy_of_mysql_has_keys_views_and_zero_ids(mysql_url: str) -> None:
    name = mysql_url.rpartition("/")[2]
    execute(
        name,
        "CREATE TABLE u (id INT PRIMARY KEY AUTO_INCREMENT, twice INT AS (up * 2) STORED, "
        "up INT, FOREIGN KEY (up) REFERENCES u (id))",
        "SET SESSION sql_mode = 'NO_AUTO_VALUE_ON_ZERO'",
        "INSERT INTO u (id, up) VALUES (0, NULL), (3, 0)",
        "CREATE VIEW v AS SELECT twice FROM u",
    )
    workspace = open_workspace((ENGINES.get("mysql"), mysql_url))
    assert workspace.tables() == ["t", "u"]
    for sql, expected in (
        ("SELECT id, twice, up FROM u ORDER BY id", [(0, None, None), (3, 0, 0)]),
        ("INSERT INTO u (up) VALUES (99)", None),
        ("INSERT INTO u (up) VALUES (3) RETURNING id", [(5,)]),
        ("SELECT sum(twice) FROM v", [(6,)]),
        ("INSERT INTO t SELECT 'x', /*! sleep(1) */ 1", None),
        ("INSERT INTO t VALUES ('longer than ten', 1)", None),
        (f"UPDATE {name}.t SET n = 0", None),
        (f"SELECT * FROM {name}.t", None),
        ("SELECT replace(name, 'a', 'z') FROM t ORDER BY 1", [("b",), ("z",)]),
    ):
        outcome = workspace.run(sql)
        assert (outcome.rows if isinstance(outcome, Answer) else None) == expected, outcome
    copy = workspace._own.name  # type: ignore[attr-defined]
    assert execute(None, f"SHOW DATABASES LIKE '{copy}'") == [(copy,)]
    workspace.close()
    assert execute(None, f"SHOW DATABASES LIKE '{copy}'") == []


def test_a_database_with_triggers_is_not_copied(mysql_url: str) -> None:
    name = mysql_url.rpartition("/")[2]
    execute(name, "CREATE TRIGGER g BEFORE INSERT ON t FOR EACH ROW SET NEW.n = 1")
    outcome = content((ENGINES.get("mysql"), mysql_url), "DELETE FROM t")
    assert isinstance(outcome, Failure)
    assert outcome.fault is Fault.ENGINE
    assert "has triggers" in outcome.message


def test_the_catalogue_of_postgresql_is_not_written_to(postgres_url: str) -> None:
    workspace = open_workspace((ENGINES.get("postgres"), postgres_url))
    for sql in (
        "UPDATE pg_proc SET proname = 'harmless' WHERE proname = 'pg_read_file'",
        """UPDATE "pg_settings" SET setting = '0' WHERE name = 'statement_timeout'""",
        "WITH x AS (UPDATE pg_catalog.pg_proc SET proname = 'h' RETURNING 1) SELECT * FROM x",
        "CREATE VIEW v AS SELECT * FROM pg_proc",
    ):
        outcome = workspace.run(sql)
        assert isinstance(outcome, Failure), sql
        assert outcome.reason is Reason.WRITE_BLOCKED, sql
    assert isinstance(workspace.run("INSERT INTO t VALUES ('pg_proc', 1)"), Answer)
    workspace.close()


@pytest.mark.parametrize("kind", ["SERIAL", "INTEGER GENERATED ALWAYS AS IDENTITY"])
def test_sequences_give_the_same_numbers_to_every_workspace(postgres_url: str, kind: str) -> None:
    import psycopg

    with psycopg.connect(postgres_url, autocommit=True) as connection:
        connection.execute(f"CREATE TABLE u (id {kind}, n INTEGER)")
        connection.execute("INSERT INTO u (n) VALUES (1), (2)")
    engine = ENGINES.get("postgres")
    before = engine.digest(postgres_url)
    script = Script(check="SELECT max(id) FROM u")
    for _ in range(2):
        sql = "INSERT INTO u (n) VALUES (3)"
        outcome = run_script(engine, postgres_url, script, sql, Limits(), None)
        assert isinstance(outcome, Answer)
        assert outcome.rows == [(3,)]
    assert engine.digest(postgres_url) == before


POSTGRES_CHANGES = (
    "CREATE TABLE u (id int PRIMARY KEY, a text DEFAULT 'x', CHECK (id > 0))",
    "CREATE TABLE w AS SELECT n, name FROM t",
    "CREATE TEMP TABLE own AS SELECT 5 AS a",
    "CREATE INDEX by_n ON t (n DESC)",
    "CREATE UNIQUE INDEX ON u (lower(a))",
    "CREATE VIEW v AS SELECT n FROM t WHERE n > 1",
    "CREATE OR REPLACE VIEW v AS SELECT n FROM t",
    "CREATE MATERIALIZED VIEW m AS SELECT n FROM t",
    "CREATE SEQUENCE s START 5",
    "CREATE TYPE mood AS ENUM ('sad', 'ok')",
    "ALTER TYPE mood ADD VALUE 'good'",
    "CREATE TYPE pair AS (a int, b text)",
    "CREATE DOMAIN positive AS int CHECK (VALUE > 0)",
    "ALTER TABLE u ADD COLUMN b numeric(5, 2) NOT NULL DEFAULT 0",
    "ALTER TABLE u ADD CONSTRAINT c UNIQUE (b), ALTER COLUMN a SET NOT NULL",
    "ALTER TABLE u ALTER COLUMN b TYPE text USING b::text",
    "ALTER TABLE u RENAME COLUMN b TO c",
    "ALTER TABLE u RENAME TO u2",
    "COMMENT ON COLUMN t.n IS 'a number'",
    "INSERT INTO u2 VALUES (1, 'p', '1'), (2, 'q', '2') ON CONFLICT (id) DO NOTHING RETURNING id",
    "INSERT INTO t SELECT 'c', n + 1 FROM t",
    "UPDATE t SET n = n + 1 FROM u2 WHERE u2.id = t.n",
    "UPDATE t SET (name, n) = (SELECT 'z', 9) WHERE n = 1",
    "WITH gone AS (DELETE FROM t WHERE n > 5 RETURNING *) INSERT INTO w SELECT n, name FROM gone",
    "MERGE INTO t USING u2 ON t.n = u2.id WHEN MATCHED THEN UPDATE SET n = 0"
    " WHEN NOT MATCHED THEN INSERT VALUES ('m', u2.id)",
    "DELETE FROM t USING u2 WHERE u2.id = t.n",
    "TRUNCATE w",
    "DROP VIEW v",
    "DROP TABLE IF EXISTS u2, nothing CASCADE",
)


def test_what_postgresql_lets_an_owner_change_may_be_changed(postgres_url: str) -> None:
    workspace = open_workspace((ENGINES.get("postgres"), postgres_url))
    failures = {
        sql: outcome
        for sql in POSTGRES_CHANGES
        if isinstance(outcome := workspace.run(sql), Failure)
    }
    workspace.close()
    assert failures == {}


POSTGRES_BLOCKED = (
    "ALTER TABLE t OWNER TO postgres",
    "ALTER TABLE t SET TABLESPACE pg_default",
    "ALTER TABLE t ENABLE ROW LEVEL SECURITY",
    "ALTER TABLE t DISABLE TRIGGER ALL",
    "CREATE TABLE u (a int) TABLESPACE pg_default",
    "CREATE SCHEMA other",
    "DROP SCHEMA public CASCADE",
    "DROP FUNCTION f",
    "DROP ROLE postgres",
    "ALTER SCHEMA public RENAME TO other",
    "ALTER DATABASE test SET work_mem = '1GB'",
    "COMMENT ON DATABASE test IS 'x'",
    "CREATE POLICY p ON t",
    "CREATE RULE r AS ON INSERT TO t DO INSTEAD NOTHING",
    "CREATE FOREIGN TABLE f (a int) SERVER s",
    "CREATE CAST (int AS text) WITH FUNCTION f(int)",
    "GRANT ALL ON t TO PUBLIC",
    "INSERT INTO t VALUES (E'a'\n'\\'', 1), (current_setting('x'), 2) --'",
    "UPDATE t SET name = pg_read_file('PG_VERSION')",
    "CREATE TABLE u (a text DEFAULT current_setting('data_directory'))",
    "CREATE VIEW v AS SELECT * FROM pg_settings",
    "REFRESH MATERIALIZED VIEW m",
    "VACUUM t",
    "LOCK t",
)


def test_what_is_no_table_stays_as_it_is(postgres_url: str) -> None:
    workspace = open_workspace((ENGINES.get("postgres"), postgres_url))
    outcomes = {sql: workspace.run(sql) for sql in POSTGRES_BLOCKED}
    workspace.close()
    for sql, outcome in outcomes.items():
        assert isinstance(outcome, Failure), sql
        assert outcome.reason is Reason.WRITE_BLOCKED, outcome
