"""The DuckDB engine: the public suite, and what is special about DuckDB."""

from __future__ import annotations

import json
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from datetime import datetime, timedelta, timezone
from decimal import Decimal
from importlib import metadata
from pathlib import Path

import duckdb
import pytest
from duckdb_parts import DUCKDB, ask, rows, suite_database, write_duckdb

from error_parts import needs_extra, refuses_database
from sqlverdict.cli.commands.lists.explain import explain
from sqlverdict.errors import DatabaseError
from sqlverdict.execute.engine import ENGINES, Limits, Session, engine_for, engine_of
from sqlverdict.execute.engines.duckdb import duckdb as member
from sqlverdict.execute.query_runner import QueryRunner
from sqlverdict.records import Answer, Failure, Fault, Reason


@pytest.fixture(scope="module")
def database(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("duckdb")
    (folder / "secret.csv").write_text("a,b\n1,2\n")
    return write_duckdb(
        folder / "shop.duckdb",
        "CREATE TABLE item (id INTEGER PRIMARY KEY, name VARCHAR, price DECIMAL(8, 2))",
        "INSERT INTO item VALUES (1, 'tea', 2.50), (2, 'rice', 4.00), (3, NULL, NULL)",
        "CREATE SEQUENCE numbering",
        "CREATE VIEW dated AS SELECT id, current_date AS day FROM item",
        "CREATE VIEW over_dated AS SELECT * FROM dated",
        "CREATE MACRO years_since(d) AS date_diff('year', d, today())",
    )


@pytest.fixture(scope="module")
def session(database: Path) -> Iterator[Session]:
    session = DUCKDB.open(database, Limits(seconds=600))
    yield session
    session.close()


def failure(session: Session, sql: str) -> Failure:
    outcome = session.run(sql)
    assert isinstance(outcome, Failure), (sql, outcome)
    assert outcome.fault is None
    return outcome


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT * FROM read_csv('{folder}/secret.csv')",
        "SELECT * FROM read_csv_auto('{folder}/secret.csv')",
        "SELECT * FROM \"read_text\"('{folder}/secret.csv')",
        "SELECT * FROM read_blob/* x */('{folder}/secret.csv')",
        "SELECT * FROM read_parquet('x.parquet')",
        "SELECT * FROM '{folder}/secret.csv'",
        "SELECT * FROM glob('{folder}/*')",
        "SELECT [content FOR content IN (SELECT list(content) FROM read_text('{folder}/secret.csv'))]",
        "SELECT * FROM sniff_csv('{folder}/secret.csv')",
        "SELECT * FROM query('SELECT 1')",
        "SELECT * FROM query_table('item')",
        "SELECT * FROM duckdb_settings()",
        "SELECT * FROM duckdb_secrets()",
        "SELECT * FROM pragma_storage_info('item')",
        "SELECT current_setting('threads')",
        "SELECT getenv('HOME')",
        "SELECT pg_sleep(100)",
        "SELECT sleep_ms(100000)",
        "SELECT nextval('numbering')",
        "SELECT write_log('x')",
        "CALL pragma_version()",
        "ATTACH '{folder}/loot.duckdb' AS loot",
        "ATTACH ':memory:' AS loot",
        "COPY item TO '{folder}/loot.csv'",
        "EXPORT DATABASE '{folder}/loot'",
        "INSTALL httpfs",
        "LOAD httpfs",
        "SET threads = 8",
        "RESET threads",
        "PRAGMA threads = 8",
        "CREATE TEMP TABLE item AS SELECT 1 AS id",
        "CREATE TEMP TABLE loot AS PIVOT item ON name",
        "CREATE OR REPLACE TEMP MACRO upper(x) AS 'loot'",
        "PREPARE loot AS SELECT 1",
        "WITH w AS (INSERT INTO item VALUES (4, 'x', 1) RETURNING id) SELECT * FROM w",
        "WITH w AS (UPDATE item SET price = 0 RETURNING id) SELECT * FROM w",
        "WITH w AS (DELETE FROM item RETURNING id) SELECT * FROM w",
        "FORCE CHECKPOINT",
        "VACUUM",
    ],
)
def test_what_reads_files_or_settings_or_writes_is_blocked(
    session: Session, database: Path, sql: str
) -> None:
    before = sorted(database.parent.iterdir())
    reason = failure(session, sql.format(folder=database.parent)).reason
    assert reason is Reason.WRITE_BLOCKED
    assert sorted(database.parent.iterdir()) == before
    assert_reads(session)


def assert_reads(session: Session) -> None:
    outcome = session.run("SELECT count(*) FROM item")
    assert isinstance(outcome, Answer)
    assert outcome.rows == [(3,)]


def test_names_of_blocked_functions_are_harmless_elsewhere(session: Session) -> None:
    for sql in (
        "SELECT 'read_csv(''x'')' AS read_csv",
        "SELECT 1 /* read_text('x') */",
        "SELECT $$ query('x') $$",
        "SELECT id AS query FROM item AS read_text",
        "SELECT max(price) AS update FROM item",
    ):
        assert isinstance(session.run(sql), Answer), sql


def test_a_variable_of_python_is_no_table(session: Session) -> None:
    loot = [{"a": 1}]
    assert failure(session, "SELECT * FROM loot").reason is Reason.EXECUTION_ERROR
    assert loot


@pytest.mark.parametrize(
    ("sql", "reason"),
    [
        pytest.param("SELECT repeat('x', 40000000)", Reason.MEMORY_LIMIT, marks=pytest.mark.slow),
        pytest.param(
            "SELECT repeat(repeat('x', 10000), 4000) FROM item",
            Reason.MEMORY_LIMIT,
            marks=pytest.mark.slow,
        ),
        pytest.param(
            "SELECT lpad('x', 34000000, 'y')", Reason.MEMORY_LIMIT, marks=pytest.mark.slow
        ),
        pytest.param("SELECT printf('%40000000d', 1)", Reason.MEMORY_LIMIT, marks=pytest.mark.slow),
        ("SELECT generate_series(1, 1000000000)", Reason.MEMORY_LIMIT),
        ("SELECT " + "(" * 100_000 + "1", Reason.PARSE_ERROR),
        ("SELECT '\ud800'", Reason.PARSE_ERROR),
        ("EXPLAIN SELECT 1", Reason.UNSUPPORTED_FEATURE),
        ("DESCRIBE item", Reason.UNSUPPORTED_FEATURE),
        ("SHOW TABLES", Reason.UNSUPPORTED_FEATURE),
        ("SELECT 1; SELECT 2", Reason.UNSUPPORTED_FEATURE),
        ("SELECT id FROM item WHERE name = 1 + 'x'", Reason.EXECUTION_ERROR),
        ("SELECT error('no')", Reason.EXECUTION_ERROR),
    ],
)
def test_each_failure_has_its_reason(session: Session, sql: str, reason: Reason) -> None:
    assert failure(session, sql).reason is reason


@pytest.mark.parametrize("right", ["i.price > 9", "i.id = item.id AND i.price > 9"])
def test_a_left_join_without_partners_has_rows(database: Path, right: str) -> None:
    """DuckDB 2.0.0 takes such a join for empty, and drops a LIMIT."""
    join = f"SELECT item.id FROM item LEFT JOIN item AS i ON {right}"
    assert rows(database, f"SELECT EXISTS ({join})") == [(True,)]
    assert rows(database, f"SELECT 1 WHERE NOT EXISTS ({join})") == []
    assert len(rows(database, f"{join} LIMIT 1")) == 1


def test_replaced_functions_work_as_before(session: Session) -> None:
    outcome = session.run(
        "SELECT repeat('ab', 2), lpad('7', 3, '0'), rpad('7', 3, '-'), range(3), range(5, 1, -2), "
        "generate_series(1, 2), repeat(NULL, 2), 'x'.repeat(3), (SELECT sum(i) FROM range(4) t(i))"
    )
    assert isinstance(outcome, Answer)
    assert outcome.rows == [("abab", "007", "7--", "[0,1,2]", "[5,3]", "[1,2]", None, "xxx", 6)]


def test_values_compare_by_meaning(session: Session) -> None:
    outcome = session.run(
        "SELECT 2.50::DECIMAL(5,2), 4.00::DECIMAL(5,2), true, DATE '2024-02-29', TIME '13:14:15', "
        "TIMESTAMP '2024-02-29 13:14:15.5', TIMESTAMPTZ '2024-02-29 13:14:15+01', "
        "INTERVAL 36 HOUR, '00000000-0000-0000-0000-00000000000a'::UUID, [1, 2], {'a': 1}, "
        "'nan'::DOUBLE, 'inf'::DOUBLE, sum(id), 170141183460469231731687303715884105727 FROM item"
    )
    assert isinstance(outcome, Answer)
    row = list(outcome.rows[0])
    assert str(row.pop(11)) == "nan"
    assert row == [
        *(2.5, 4, 1, "2024-02-29", "13:14:15", "2024-02-29 13:14:15.5"),
        *("2024-02-29 12:14:15+00:00", "1 day 12:00:00", "00000000-0000-0000-0000-00000000000a"),
        *("[1,2]", '{"a":1}', float("inf"), 6, 1.7014118346046923e38),
    ]


def test_driver_values_stand_beside_the_cells(database: Path) -> None:
    outcome = ask(database, "SELECT price FROM item WHERE id = 2", driver_values=True)
    assert isinstance(outcome, Answer)
    assert outcome.rows == [(4,)]
    assert outcome.driver_rows == [(Decimal("4.00"),)]
    assert isinstance(outcome.driver_rows[0][0], Decimal)


@pytest.mark.parametrize(
    ("sql", "volatile"),
    [
        ("SELECT now()", True),
        ("SELECT current_date", True),
        ("SELECT random()", True),
        ("SELECT age(DATE '2020-01-01')", True),
        ("SELECT age(DATE '2020-01-01', DATE '2019-01-01')", False),
        ("SELECT * FROM dated", True),
        ("SELECT * FROM over_dated", True),
        ("SELECT years_since(DATE '2000-01-01')", True),
        ("SELECT id FROM item USING SAMPLE 1", True),
        ("SELECT 'now()', name AS now FROM item", False),
    ],
)
def test_answers_that_depend_on_clock_or_chance_say_so(
    session: Session, sql: str, volatile: bool
) -> None:
    outcome = session.run(sql)
    assert isinstance(outcome, Answer)
    assert (outcome.volatile, outcome.lasting) == (volatile, not volatile)


def test_a_frozen_clock_is_seen_by_every_function_and_view(database: Path) -> None:
    now = datetime(2020, 1, 2, 1, 30, tzinfo=timezone(timedelta(hours=2)))
    sql = (
        "SELECT now(), current_timestamp, today(), current_date, localtimestamp, localtime, "
        "get_current_timestamp(), age(DATE '2019-01-01'), ago(INTERVAL 1 DAY), day, "
        "years_since(DATE '2000-01-01') FROM over_dated LIMIT 1"
    )
    utc = "2020-01-01 23:30:00+00:00"
    assert rows(database, sql, now=now) == [
        *[(utc, utc, "2020-01-01", "2020-01-01", "2020-01-01 23:30:00", "23:30:00", utc,
           "360 days 00:00:00", "2019-12-31 23:30:00+00:00", "2020-01-01", 20)]
    ]  # fmt: skip
    outcome = ask(database, sql, now=now)
    assert isinstance(outcome, Answer)
    assert not outcome.volatile


def test_the_real_clock_behind_a_frozen_one_is_volatile(database: Path) -> None:
    outcome = ask(database, "SELECT system.main.now()", now=datetime(2020, 1, 2))
    assert isinstance(outcome, Answer)
    assert outcome.volatile


@pytest.mark.slow
def test_several_processes_and_sessions_read_one_file(database: Path, session: Session) -> None:
    code = (
        "import sys; from sqlverdict.execute.engine import ENGINES, Limits\n"
        "s = ENGINES.get('duckdb').open(sys.argv[1], Limits())\n"
        "print(s.run('SELECT count(*) FROM item').rows); s.close()"
    )
    assert_reads(session)
    done = subprocess.run(
        [sys.executable, "-c", code, str(database)], capture_output=True, text=True
    )
    assert done.stdout.strip() == "[(3,)]", done.stderr
    small = DUCKDB.open(database, Limits(memory=64 * 2**20))
    assert_reads(small)
    small.close()
    assert_reads(session)


@pytest.mark.slow
def test_a_file_that_another_program_writes_to_is_refused(tmp_path: Path) -> None:
    path = write_duckdb(tmp_path / "busy.duckdb", "CREATE TABLE t (a INTEGER)")
    code = (
        "import duckdb, sys; c = duckdb.connect(sys.argv[1]); print('open', flush=True); "
        "sys.stdin.read()"
    )
    with subprocess.Popen(
        [sys.executable, "-c", code, str(path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as writer:
        assert writer.stdout is not None
        writer.stdout.readline()
        with refuses_database("locked"):
            DUCKDB.open(path, Limits())
        assert writer.stdin is not None
        writer.stdin.close()


def test_the_write_ahead_log_is_read_and_is_part_of_the_digest(tmp_path: Path) -> None:
    path = write_duckdb(tmp_path / "a.duckdb", "CREATE TABLE t AS SELECT 1 AS a")
    before = DUCKDB.digest(path)
    live = tmp_path / "live.duckdb"
    live.write_bytes(path.read_bytes())
    writer = duckdb.connect(str(live), config={"checkpoint_threshold": "1GB"})
    writer.execute("INSERT INTO t VALUES (2)")
    (tmp_path / "a.duckdb.wal").write_bytes((tmp_path / "live.duckdb.wal").read_bytes())
    writer.close()
    assert DUCKDB.digest(path) != before
    files = {file.name: file.read_bytes() for file in tmp_path.iterdir()}
    assert rows(path, "SELECT a FROM t ORDER BY a") == [(1,), (2,)]
    assert {file.name: file.read_bytes() for file in tmp_path.iterdir()} == files


@pytest.mark.slow
@pytest.mark.parametrize("name", ["memory", "temp", "system", "main", 'it\'s "odd"'])
def test_any_file_name_can_be_opened(tmp_path: Path, name: str) -> None:
    path = write_duckdb(tmp_path / "a.duckdb", "CREATE TABLE t AS SELECT 1 AS a")
    odd = path.rename(tmp_path / f"{name}.duckdb")
    assert rows(odd, "SELECT a FROM t") == [(1,)]


def test_a_sqlite_file_names_its_engine(tmp_path: Path) -> None:
    path = tmp_path / "a.duckdb"
    path.write_bytes(b"SQLite format 3\x00" + b"\0" * 100)
    with refuses_database("not_a_database", "use the engine sqlite"):
        DUCKDB.open(path, Limits())


def test_references_of_duckdb_are_told_by_scheme_and_ending() -> None:
    assert engine_of("duckdb:///data/a.duckdb") == "duckdb"
    assert engine_of("a.duckdb") == engine_of("a.ddb") == "duckdb"
    assert engine_of("a.db") == "sqlite"


def test_a_file_of_an_unknown_ending_is_opened_by_its_content(database: Path) -> None:
    odd = database.with_name("a.data")
    odd.write_bytes(database.read_bytes())
    assert engine_for(DUCKDB, str(odd)).name == "duckdb"
    with closing(sqlite3.connect(odd.with_name("b.data"))) as connection, connection:
        connection.execute("CREATE TABLE t (x)")
    assert engine_for(DUCKDB, str(odd.with_name("b.data"))).name == "sqlite"
    assert engine_for(DUCKDB, str(odd.with_name("missing.data"))).name == "duckdb"
    assert engine_for(ENGINES.get("sqlite"), str(odd.with_name("b.data"))).name == "sqlite"


def test_letter_case_in_dollar_quotes_counts(database: Path) -> None:
    runner = QueryRunner("duckdb", Limits())
    try:
        texts = [runner.run(str(database), f"SELECT $${each}$$") for each in ("A", "a")]
    finally:
        runner.close()
    assert [each.rows for each in texts if isinstance(each, Answer)] == [[("A",)], [("a",)]]


def test_a_broken_file_is_the_fault_of_nobody_who_asked(tmp_path: Path) -> None:
    path = suite_database(tmp_path)
    content = bytearray(path.read_bytes())
    content[12288:] = b"\xff" * (len(content) - 12288)
    path.write_bytes(bytes(content))
    try:
        outcome = ask(path, "SELECT sum(length(t)) FROM numbers")
    except DatabaseError:
        return
    assert isinstance(outcome, Failure)
    assert outcome.fault is Fault.ENGINE


def test_without_the_extra_the_message_names_it(
    database: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda _: None)
    member._require_extra.cache_clear()
    with needs_extra("duckdb"):
        DUCKDB.open(database, Limits())


def test_engines_are_listed_without_their_extras(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def version(name: str) -> str:
        raise metadata.PackageNotFoundError(name)

    monkeypatch.setattr("importlib.metadata.version", version)
    explain(["engines", "--json"], standalone_mode=False)  # type: ignore[call-arg, arg-type]
    rows = {row["name"]: row["version"] for row in json.loads(capsys.readouterr().out)}
    assert rows["duckdb"] == "needs the extra duckdb"
    assert rows["mysql"] == "needs the extra mysql"
    assert rows["postgres"] == "needs the extra postgres"
    assert rows["sqlite"] == ENGINES.get("sqlite").version


def test_a_table_of_another_file_is_answered_with_what_helps(database: Path) -> None:
    for sql in ("SELECT 1 FROM other.main.item", "SELECT 1 FROM other.item"):
        outcome = ask(database, sql)
        assert isinstance(outcome, Failure)
        assert "attach=OTHER.duckdb" in outcome.message
    assert rows(database, "FROM shop.main.item SELECT count(*)") == [(3,)]
    plain = ask(database, "SELECT 1 FROM nothing")
    assert isinstance(plain, Failure)
    assert "attach=" not in plain.message
