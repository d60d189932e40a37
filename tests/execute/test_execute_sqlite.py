"""The SQLite engine: the public suite, and what is special about SQLite."""

from __future__ import annotations

import itertools
import os
import signal
import sqlite3
import subprocess
import sys
import threading
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from error_parts import refuses_database
from sqlverdict.execute.engine import ENGINES, Engine, Limits, Session
from sqlverdict.execute.engines.sqlite.sandbox import Guard
from sqlverdict.execute.engines.sqlite.session import SqliteSession
from sqlverdict.files.sqlite import open_read_only
from sqlverdict.records import Answer, Failure, Fault, Outcome, Reason, Row
from sqlverdict.testing import check_engine, make_database

SQLITE = ENGINES.get("sqlite")
ENDLESS = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n"


@pytest.fixture
def database(tmp_path: Path) -> Path:
    return make_database(tmp_path / "people.sqlite")


def ask(database: Path, sql: str, limits: Limits | None = None) -> Outcome:
    session = SQLITE.open(database, limits or Limits(seconds=600))
    try:
        return session.run(sql)
    finally:
        session.close()


def rows(database: Path, sql: str) -> list[Row]:
    outcome = ask(database, sql)
    assert isinstance(outcome, Answer), outcome
    return outcome.rows


@pytest.mark.slow
def test_the_suite_makes_files_of_sqlite_by_itself() -> None:
    """Those with a write-ahead log and odd texts, too."""
    check_engine("sqlite")


@dataclass(frozen=True)
class _Broken(Engine):
    """SQLite with one promise broken."""

    how: str
    name = "sqlite"
    dialect = "sqlite"
    suffixes = (".sqlite",)
    schemes = ()
    counts_steps = True

    @property
    def version(self) -> str:
        return "" if self.how == "no version" else SQLITE.version

    def digest(self, database: Path | str) -> str | None:
        return "same" if self.how == "same digest" else SQLITE.digest(database)

    def open(self, database: Path | str, limits: Limits, **options: object) -> Session:
        database = Path(database)
        if self.how == "opens anything" and not database.is_file():
            database = make_database(database.parent.parent / "any.sqlite")
        if self.how == "no limits":
            limits = Limits(seconds=limits.seconds)
        return _BrokenSession(self.how, database, SQLITE.open(database, limits))


@dataclass(frozen=True)
class _BrokenSession:
    how: str
    database: Path
    session: Session

    def run(self, sql: str) -> Outcome:
        if self.how == "raises" and "\ud800" in sql:
            raise ValueError("surrogate")
        if self.how == "writes" and sql == "DELETE FROM cells":
            with closing(sqlite3.connect(self.database)) as connection, connection:
                connection.execute(sql)
            connection.close()
        if self.how == "leaves files":
            (self.database.parent / "journal").touch()
        outcome = self.session.run(sql)
        if self.how == "wrong types" and isinstance(outcome, Answer):
            return Answer(outcome.columns, [tuple(map(str, row)) for row in outcome.rows])
        if self.how == "blames itself" and isinstance(outcome, Failure):
            return Failure(outcome.reason, outcome.message, Fault.ENGINE)
        return outcome

    def clock(self, queries: Sequence[str], rounds: int) -> list[list[float]]:
        return self.session.clock(queries, rounds)

    def close(self) -> None:
        self.session.close()


@pytest.mark.parametrize(
    ("how", "complaint"),
    [
        ("no version", "no version"),
        ("same digest", "one digest"),
        ("opens anything", "raise DatabaseError"),
        ("no limits", "expected ROW_LIMIT"),
        ("raises", "raised ValueError"),
        ("writes", "changed the folder"),
        ("leaves files", "changed the folder"),
        ("wrong types", "expected"),
        ("blames itself", "blames"),
    ],
)
def test_the_suite_notices_an_engine_that(how: str, complaint: str) -> None:
    engine: Engine = _Broken(how)
    with pytest.raises(AssertionError, match=complaint):
        check_engine(engine)


def test_virtual_tables_are_read_though_their_modules_want_to_write(tmp_path: Path) -> None:
    path = tmp_path / "search.sqlite"
    connection = sqlite3.connect(path)
    connection.execute("CREATE VIRTUAL TABLE notes USING fts5(body)")
    connection.execute("INSERT INTO notes VALUES ('hello world')")
    connection.execute("CREATE VIRTUAL TABLE boxes USING rtree(id, low, high)")
    connection.execute("INSERT INTO boxes VALUES (1, 2, 3)")
    connection.commit()
    connection.close()
    assert rows(path, "SELECT body FROM notes WHERE notes MATCH 'hello'") == [("hello world",)]
    assert rows(path, "SELECT id FROM boxes WHERE low < 5") == [(1,)]
    assert rows(path, "SELECT value FROM json_each('[3, 4]')") == [(3,), (4,)]
    blocked = ask(path, "INSERT INTO notes VALUES ('more')")
    assert isinstance(blocked, Failure)
    assert blocked.reason is Reason.WRITE_BLOCKED


@pytest.mark.parametrize("table", ["sqlite_dbpage", "SQLITE_STMT"])
def test_tables_of_the_engine_itself_are_refused_by_their_names(table: str) -> None:
    """Whether SQLite asks before it makes them depends on its version."""
    guard = Guard()
    assert guard(sqlite3.SQLITE_READ, table, "", None, None) == sqlite3.SQLITE_DENY
    assert guard.denied == f"table {table}"


def test_the_schema_and_its_statistics_are_read(tmp_path: Path) -> None:
    file = tmp_path / "shop.sqlite"
    with closing(sqlite3.connect(file)) as connection:
        connection.executescript(
            "CREATE TABLE item (id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT);"
            "CREATE INDEX by_name ON item (name); INSERT INTO item (name) VALUES ('pen'); ANALYZE;"
        )
    session = ENGINES.get("sqlite").open(file, Limits())
    for table in ("sqlite_master", "SQLITE_SCHEMA", "sqlite_sequence", "sqlite_stat1"):
        assert isinstance(session.run(f"SELECT * FROM {table}"), Answer)
        assert isinstance(session.run(f"SELECT count(*) FROM {table}"), Answer)
    session.close()


def test_a_function_has_at_most_127_arguments_on_every_version(database: Path) -> None:
    session = ENGINES.get("sqlite").open(database, Limits())
    call = "SELECT max({})"
    assert isinstance(session.run(call.format(", ".join(["1"] * 127))), Answer)
    failure = session.run(call.format(", ".join(["1"] * 128)))
    session.close()
    assert isinstance(failure, Failure)
    assert failure.reason is Reason.PARSE_ERROR


def test_views_are_not_run_when_a_database_is_opened(tmp_path: Path) -> None:
    path = tmp_path / "view.sqlite"
    connection = sqlite3.connect(path)
    connection.execute(f"CREATE VIEW slow AS {ENDLESS}")
    connection.close()
    assert rows(path, "SELECT 1") == [(1,)]


def test_a_database_left_in_the_middle_of_a_transaction_is_refused(database: Path) -> None:
    journal = database.with_name(database.name + "-journal")
    journal.write_bytes(bytes.fromhex("d9d505f920a163d7") + b"\0" * 504)
    with refuses_database("damaged"):
        SQLITE.open(database, Limits())
    journal.write_bytes(b"\0" * 512)
    assert rows(database, "SELECT count(*) FROM city") == [(40,)]


def test_a_damaged_page_is_the_databases_fault(database: Path) -> None:
    content = bytearray(database.read_bytes())
    content[4096:] = b"\x99" * (len(content) - 4096)
    database.write_bytes(content)
    reply = ask(database, "SELECT * FROM person")
    assert isinstance(reply, Failure)
    assert (reply.reason, reply.fault) == (Reason.DATABASE_UNAVAILABLE, Fault.ENGINE)
    assert not reply.repeatable


@pytest.mark.parametrize(
    "expression",
    [
        "random()",
        "hex(randomblob(4))",
        "date('now')",
        "DATE('NOW', '-1 day')",
        "datetime()",
        "time( )",
        "strftime('%Y')",
        "strftime('%s', 'now')",
        "julianday('no' || 'w')",
        "CURRENT_TIMESTAMP",
        "current_date",
        "(SELECT max(CURRENT_TIME) FROM person)",
    ],
)
def test_answers_of_chance_and_clock_are_volatile(database: Path, expression: str) -> None:
    reply = ask(database, f"SELECT {expression}")
    assert isinstance(reply, Answer)
    assert reply.volatile


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT date('2020-01-01')",
        "SELECT strftime('%Y', name) FROM person",
        "SELECT name FROM person WHERE name = 'now'",
        "SELECT count(*) FROM person",
    ],
)
def test_other_answers_last(database: Path, sql: str) -> None:
    reply = ask(database, sql)
    assert isinstance(reply, Answer)
    assert not reply.volatile


def test_a_step_limit_stops_at_the_same_place_each_time(database: Path) -> None:
    limits = Limits(steps=1_000_000)
    results = [ask(database, ENDLESS, limits) for _ in range(2)]
    for each in results:
        assert isinstance(each, Failure)
        assert each.reason is Reason.EXECUTION_TIMEOUT
        assert each.repeatable
        assert "1,000,000 steps" in each.message


def test_fat_cells_are_counted_before_many_of_them_are_fetched(database: Path) -> None:
    limits = Limits(bytes=2**20, cell=2**22)
    late = "SELECT CASE WHEN id > 390 THEN zeroblob(2000000) END FROM person"
    for sql in ("SELECT zeroblob(2000000)", "SELECT zeroblob(600000) FROM city LIMIT 2", late):
        reply = ask(database, sql, limits)
        assert isinstance(reply, Failure)
        assert reply.reason is Reason.MEMORY_LIMIT


def test_a_long_cell_within_the_limit_is_answered(database: Path) -> None:
    session = SQLITE.open(database, Limits())
    for _ in range(2):
        outcome = session.run("SELECT hex(zeroblob(3000000)), CAST(x'ff' AS TEXT)")
        assert isinstance(outcome, Answer)
        assert len(str(outcome.rows[0][0])) == 6_000_000
        assert outcome.rows[0][1] == "\\xff"
    assert [len(times) for times in session.clock(["SELECT hex(zeroblob(3000000))"], 2)] == [2]
    session.close()


def test_the_end_of_a_row_limit_is_exact(database: Path) -> None:
    for count in (1, 39, 40):
        reply = ask(database, "SELECT id FROM city", Limits(rows=count))
        assert isinstance(reply, Answer if count == 40 else Failure), count


class InterruptedGuard(Guard):
    """Ctrl-C strikes while it is asked for the first time."""

    struck = False

    def __call__(self, *about: Any) -> int:
        if not self.struck:
            self.struck = True
            raise KeyboardInterrupt
        return super().__call__(*about)


def test_ctrl_c_inside_the_guard_is_not_swallowed(database: Path) -> None:
    """It was taken for a no: the run went on, and the query was blocked."""
    session = SqliteSession(open_read_only(database), Limits(), guard=InterruptedGuard())
    with closing(session):
        with pytest.raises(KeyboardInterrupt):
            session.run("SELECT 1")
        assert isinstance(session.run("SELECT 1"), Answer)


def test_ctrl_c_inside_a_query_is_not_swallowed(database: Path) -> None:
    session = SQLITE.open(database, Limits(seconds=600))
    with pytest.raises(KeyboardInterrupt):  # noqa: PT012 - the signal may come early
        threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT)).start()
        session.run(ENDLESS)
    assert isinstance(session.run("SELECT 1"), Answer)
    session.close()


def test_paths_may_hold_any_character(tmp_path: Path) -> None:
    folder = tmp_path / "odd ?#%20&=é"
    folder.mkdir()
    path = make_database(folder / "a?mode=rwc#x.sqlite")
    assert rows(path, "SELECT count(*) FROM city") == [(40,)]
    assert [file.name for file in folder.iterdir()] == [path.name]


@pytest.mark.slow
def test_opening_costs_no_heavy_import() -> None:
    code = (
        "import sys; from sqlverdict.execute.engine import ENGINES; ENGINES.get('sqlite');"
        "sys.exit(any(name in sys.modules for name in ('sqlglot', 'rich', 'hypothesis')))"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_steps_end_a_query_long_before_the_clock_does() -> None:
    """The slowest queries take some 30 million steps a second; a busy machine a quarter of it."""
    limits = Limits()
    assert limits.steps / limits.seconds < 30_000_000 / 3


def test_a_busy_machine_changes_no_outcome(database: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    endless = "WITH RECURSIVE w(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM w) SELECT n FROM w"
    # Between two looks at the clock, 1,000 steps apart, goes by what they take under load.
    for pause in (0.0, 0.0001):
        moments = itertools.count(0.0, pause)
        clock = partial(next, moments)
        monkeypatch.setattr("sqlverdict.execute.engines.sqlite.session.monotonic", clock)
        session = SQLITE.open(database, Limits(steps=1_000_000, seconds=0.12))
        stopped = session.run(f"SELECT count(*) FROM ({endless})")
        session.close()
        assert isinstance(stopped, Failure)
        assert (stopped.reason, stopped.repeatable) == (Reason.EXECUTION_TIMEOUT, True)
