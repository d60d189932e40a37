"""DuckDB withstands hostile texts: nothing is read that is not the database, and each text ends."""

from __future__ import annotations

import os
import resource
import signal
import subprocess
import sys
from collections.abc import Iterator
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import ClassVar

import duckdb
import pytest
from duckdb_parts import DUCKDB, write_duckdb
from hostile_duckdb import PLANTED, TABLES, duckdb_predictions

from sqlverdict.errors import DatabaseError
from sqlverdict.execute.apart import remote
from sqlverdict.execute.engine import Limits, ScratchEngine, Session, WorkspaceEngine
from sqlverdict.execute.engines.duckdb.guard import canonical
from sqlverdict.execute.engines.duckdb.names import is_plain
from sqlverdict.parse.schema import Column, Schema, Table
from sqlverdict.records import Answer, Failure, Fault, Reason
from tiers import sampled
from timeouts import HANG_SECONDS, fail_on_hang, wait_until

SMALL = Limits(seconds=1.0, memory=2**28, bytes=2**22, cell=2**20)
PATIENT = Limits(seconds=600, memory=2**28, bytes=2**22, cell=2**20)
APART = "SELECT replace(name, 'name', 'n') FROM person WHERE id = 7"
STUCK = "SELECT levenshtein(repeat('a', 300000), repeat('b', 300000))"
HUGE = "SELECT length(system.main.repeat('x', 3000000000))"
needs_proc = pytest.mark.skipif(not Path("/proc/self").exists(), reason="needs /proc")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("zq7-hostile")
    (folder / "secret.csv").write_text(f"a\n{PLANTED}\n")
    write_duckdb(folder / "other.duckdb", f"CREATE TABLE loot AS SELECT '{PLANTED}' AS a")
    write_duckdb(folder / "shop.duckdb", *TABLES)
    return folder


@pytest.fixture
def session(folder: Path) -> Iterator[Session]:
    session = DUCKDB.open(folder / "shop.duckdb", PATIENT)
    yield session
    session.close()


def content(folder: Path) -> dict[str, str]:
    return {file.name: sha256(file.read_bytes()).hexdigest() for file in folder.iterdir()}


def run_all(folder: Path, hangs: bool, part: int | None, limits: Limits) -> None:
    texts = [each for each in duckdb_predictions(str(folder)) if each.hangs == hangs]
    step = 1 if part is None else max(1, len(texts) // part)
    before = content(folder)
    session = DUCKDB.open(folder / "shop.duckdb", limits)
    try:
        for hostile in texts[::step]:
            outcome = session.run(hostile.sql)
            kind = "answer" if isinstance(outcome, Answer) else outcome.reason
            assert kind in hostile.expected, (hostile.sql, outcome)
            if isinstance(outcome, Answer):
                cells = repr(outcome.rows)
                assert PLANTED not in cells, hostile.sql
                assert str(folder) not in cells, hostile.sql
            else:
                assert outcome.fault is None, (hostile.sql, outcome)
                assert str(folder / "shop.duckdb") not in outcome.message, hostile.sql
    finally:
        session.close()
    assert content(folder) == before


@pytest.mark.slow
def test_hostile_texts_read_nothing_and_write_nothing(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SQLVERDICT_PLANTED", PLANTED)
    assert len(duckdb_predictions(str(folder))) >= 150
    with fail_on_hang():
        run_all(folder, False, None, PATIENT)


@pytest.mark.slow
@pytest.mark.sampled
def test_bombs_end_and_leave_the_callers_memory_alone(folder: Path) -> None:
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    with fail_on_hang():
        run_all(folder, True, sampled(3, None), SMALL)
    grown = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) * 1024
    assert grown < SMALL.memory


def test_no_bomb_but_a_long_join_may_run_in_the_callers_process(folder: Path) -> None:
    bombs = [each.sql for each in duckdb_predictions(str(folder)) if each.hangs]
    assert set(filter(is_plain, bombs)) <= {
        "SELECT count(*) FROM person a, person b, person c, person d, person e",
        "SELECT * FROM person a, person b, person c, person d ORDER BY a.age * b.age",
        # A macro of the database, which its session knows.
        "SELECT length(many('x', 3000000000))",
    }


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT count(*), avg(age) FROM person WHERE name LIKE '%a%' GROUP BY age ORDER BY 2 DESC",
        "SELECT p.name FROM person AS p JOIN city AS c ON c.mayor = p.id WHERE p.age != 3 LIMIT 1",
        "WITH x AS (SELECT max(age) AS m FROM person) SELECT upper(name) FROM person, x WHERE age = m",
        "SELECT extract(year FROM DATE '2020-01-01'), CAST(age AS VARCHAR), round(age / 3, 2) FROM person",
        "SELECT name, row_number() OVER (PARTITION BY age ORDER BY id) FROM person",
    ],
)
def test_usual_queries_stay_in_the_callers_process(sql: str) -> None:
    assert is_plain(sql)


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT name FROM person WHERE name LIKE name",
        "SELECT name FROM person WHERE name LIKE '%_a%_b%_c%'",
        "SELECT name FROM person WHERE name LIKE 'a' || name",
        'SELECT "repeat"(name, 9) FROM person',
        "SELECT REPEAT /* x */ (name, 9) FROM person",
        "SELECT name.repeat(9) FROM person",
        "SELECT name || name FROM person",
        "SELECT [id] FROM person",
        "SELECT name ~ name FROM person",
        "SELECT * FROM (DESC person)",
        "SELECT 1 -- x",
        "SELECT " + ", ".join(["1"] * 50),
        "SELECT *, * FROM (" * 14 + "SELECT 1 AS a" + ")" * 14,
        "SELECT age + age AS c1, " + ", ".join(f"c{n} + c{n} AS c{n + 1}" for n in range(1, 30)),
        'SELECT age AND age AS "or", "or" AND "or"' + ' AND "or"' * 9_999,
        "SELECT age + age c1, c1" + " + c1" * 200 + " c2, c2" + " + c2" * 200 + " FROM person",
        "SELECT " + "nullif(" * 30 + "age" + ", 1)" * 30 + " FROM person",
        "SELECT sum(DISTINCT id) OVER (ORDER BY id ROWS BETWEEN 9 PRECEDING AND CURRENT ROW)",
        "SELECT 1" + " " * 5_000,
        "SELECT " + "(" * 10 + "age" + " BETWEEN 1 AND 2)::int" * 10 + " FROM person",
        "SELECT " + "(" * 9 + "age" + " IN (1, 2, 3))::int" * 9 + " FROM person",
        "SELECT " + "CASE " * 9 + "age" + " WHEN 1 THEN 2 WHEN 3 THEN 4 END" * 9 + " FROM person",
        "SELECT (age IN (1, 2, 3))::int AS c0, "
        + ", ".join(f"(c{n} IN (1, 2, 3))::int AS c{n + 1}" for n in range(8))
        + " FROM person",
    ],
)
def test_what_may_run_for_long_leaves_the_callers_process(sql: str) -> None:
    assert not is_plain(sql)


@pytest.mark.slow
def test_lists_grow_by_plus_only_where_they_cannot_hurt(tmp_path: Path) -> None:
    file = write_duckdb(tmp_path / "l.duckdb", "CREATE TABLE t AS SELECT [1] AS l, 2 AS n")
    levels = "SELECT l + l AS l FROM (" * 34 + "SELECT l FROM t" + ")" * 34
    session = DUCKDB.open(file, SMALL)
    try:
        with fail_on_hang():
            outcome = session.run(f"SELECT len(l) FROM ({levels})")
            total = session.run("SELECT n + n FROM t")
    finally:
        session.close()
    assert isinstance(outcome, Failure)
    assert outcome.reason in (Reason.EXECUTION_TIMEOUT, Reason.MEMORY_LIMIT)
    assert isinstance(total, Answer)
    assert total.rows == [(4,)]


def test_what_the_engine_gets_is_what_its_own_parser_read(folder: Path) -> None:
    connection = duckdb.connect()
    for sql in ("SELECT 1", "SELECT 'read_text(1)' AS query", "SELECT $$ getenv('x') $$"):
        assert canonical(connection, sql) == sql
    for hostile in duckdb_predictions(str(folder)):
        if hostile.group in ("file", "setting") and "\x00" not in hostile.sql:
            text = canonical(connection, hostile.sql)
            # A file in the place of a table is for the engine's own settings.
            assert isinstance(text, Failure) or "/" in text or "other" in text, hostile.sql
    connection.close()


@pytest.mark.slow
@pytest.mark.parametrize("sql", [STUCK, HUGE])
def test_a_scratch_database_and_a_copy_keep_their_limits(folder: Path, sql: str) -> None:
    assert isinstance(DUCKDB, ScratchEngine)
    assert isinstance(DUCKDB, WorkspaceEngine)
    schema = Schema("s", (Table("person", (Column("id", "INTEGER"),)),), "catalogue")
    with fail_on_hang():
        scratch = DUCKDB.scratch(schema, SMALL)
        assert scratch.load({"person": [(1,), (2,)]})
        outcomes = [scratch.run(sql)]
        count = scratch.run("SELECT len(list(id)) FROM person")
        while isinstance(count, Failure) and count.reason is Reason.EXECUTION_TIMEOUT:
            # A busy machine; one that is stuck for ever is a hang.
            count = scratch.run("SELECT len(list(id)) FROM person")
        scratch.close()
        workspace = DUCKDB.workspace(folder / "shop.duckdb", SMALL)
        outcomes.append(workspace.run(f"CREATE TABLE loot AS {sql}"))
        tables = workspace.tables()
        workspace.close()
    assert isinstance(count, Answer)
    assert count.rows == [(2,)]
    assert tables == ["city", "person"]
    for outcome in outcomes:
        assert isinstance(outcome, Failure)
        assert outcome.reason in (Reason.EXECUTION_TIMEOUT, Reason.MEMORY_LIMIT)


def test_a_copy_reads_no_file_and_no_setting(folder: Path) -> None:
    assert isinstance(DUCKDB, WorkspaceEngine)
    workspace = DUCKDB.workspace(folder / "shop.duckdb", PATIENT)
    try:
        for sql in (
            f"CREATE TABLE loot AS FROM read_text('{folder}/secret.csv')",
            f"INSERT INTO person SELECT 1, content, 1 FROM read_text/* */('{folder}/secret.csv')",
            "CREATE TABLE loot AS SELECT * FROM pg_settings",
            "CREATE MACRO loot() AS current_setting('threads')",
            "CREATE VIEW loot AS SELECT path FROM duckdb_databases",
            f"COPY person TO '{folder}/loot.csv'",
            f"ATTACH '{folder}/other.duckdb' AS loot",
        ):
            outcome = workspace.run(sql)
            assert isinstance(outcome, Failure), sql
            assert outcome.reason is Reason.WRITE_BLOCKED, (sql, outcome)
        assert isinstance(workspace.run("DELETE FROM person WHERE id > 1"), Answer)
    finally:
        workspace.close()


def warm_process(session: Session) -> int:
    """The number of the process that a query runs in which is not plain."""
    answer = session.run(APART)
    assert isinstance(answer, Answer)
    assert answer.rows == [("n 7",)]
    return remote._pool._idle[-1].pid


@pytest.mark.slow
@needs_proc
def test_a_process_that_died_between_two_queries_is_replaced(session: Session) -> None:
    first = warm_process(session)
    os.kill(first, signal.SIGKILL)
    assert warm_process(session) != first
    assert not Path(f"/proc/{first}").exists()


class Dying:
    """An object whose process is ended by a signal."""

    def die(self, signal_number: int) -> None:
        os.kill(os.getpid(), signal_number)

    def close(self) -> None:
        """Nothing is open."""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("signal_number", "reason", "fault"),
    [
        (signal.SIGKILL, Reason.DATABASE_UNAVAILABLE, Fault.ENGINE),
        (signal.SIGTERM, Reason.DATABASE_UNAVAILABLE, Fault.ENGINE),
        (signal.SIGABRT, Reason.MEMORY_LIMIT, None),
    ],
)
def test_a_death_from_outside_is_no_evidence_against_a_query(
    signal_number: int, reason: Reason, fault: Fault | None
) -> None:
    outcome = remote.Remote(Dying, PATIENT).call("die", int(signal_number), seconds=600)
    assert isinstance(outcome, Failure)
    assert (outcome.reason, outcome.fault, outcome.repeatable) == (reason, fault, False)
    assert f"signal {int(signal_number)}" in outcome.message


@pytest.mark.slow
@needs_proc
def test_an_overrun_is_killed_says_so_and_leaves_no_process(folder: Path) -> None:
    session = DUCKDB.open(folder / "shop.duckdb", SMALL)
    with fail_on_hang():
        warm = [process.pid for process in remote._pool._idle]
        outcome = session.run(STUCK)
    session.close()
    assert isinstance(outcome, Failure)
    assert (outcome.reason, outcome.repeatable) == (Reason.EXECUTION_TIMEOUT, False)
    assert "ending its process" in outcome.message
    left = {process.pid for process in remote._pool._idle}
    ends = [Path(f"/proc/{pid}") for pid in warm if pid not in left]
    assert wait_until(lambda: not any(path.exists() for path in ends))


class Unsteady:
    """An object that can only be made where a file is."""

    def __init__(self, file: Path) -> None:
        if not file.exists():
            raise DatabaseError(f"{file} is not there", reason="missing")

    def answer(self) -> int:
        return 42

    def close(self) -> None:
        """Nothing is open."""


@pytest.mark.slow
def test_what_could_not_be_made_has_the_time_to_be_made_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """To open a database may take longer than a query may."""
    timers: list[float] = []
    usual = remote._EngineProcess.kill_after

    def kill_after(process: remote._EngineProcess, seconds: float) -> None:
        timers.append(seconds)
        usual(process, HANG_SECONDS)

    monkeypatch.setattr(remote._EngineProcess, "kill_after", kill_after)
    file = tmp_path / "database"
    far = remote.Remote(partial(Unsteady, file), PATIENT)
    failure = far.call("answer", seconds=1)
    assert isinstance(failure, Failure)
    assert "is not there" in failure.message
    file.touch()
    timers.clear()
    assert far.call("answer", seconds=1) == 42
    assert timers[-2:] == [remote._START, 1 + remote._GRACE]
    timers.clear()
    assert far.call("answer", seconds=1) == 42
    assert timers == [1 + remote._GRACE], "it is there now"


@pytest.mark.slow
def test_no_progress_is_drawn_over_the_callers_screen() -> None:
    """By itself DuckDB draws in a notebook and in an interactive interpreter, as this one is."""
    program = (
        "import duckdb; from sqlverdict.execute.engine import Limits\n"
        "from sqlverdict.execute.engines.duckdb.connect import open_empty\n"
        "for connection in (duckdb.connect(), open_empty(Limits())):\n"
        "    row = connection.execute(\"SELECT current_setting('enable_progress_bar')\").fetchone()\n"
        "    print(row)\n"
    )
    output = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    ).stdout
    assert output.split() == ["(True,)", "(False,)"]


class Hungry:
    """An object that leaves something in its process, in which nothing fits beside it then."""

    leavings: ClassVar[list[int]] = []

    def eat(self) -> int:
        if self.leavings:
            raise MemoryError
        self.leavings.append(1)
        return 42

    def close(self) -> None:
        """Nothing is open."""


@pytest.mark.slow
def test_what_earlier_calls_left_in_a_process_is_nobodys_fault() -> None:
    first, second = (remote.Remote(Hungry, PATIENT) for _ in range(2))
    for _ in range(2):
        assert first.call("eat", seconds=HANG_SECONDS) == 42
        assert second.call("eat", seconds=HANG_SECONDS) == 42
