"""A law over all engines: an error that a text raises is the text's, whatever the engine calls it."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from typing import Any

import pytest

import sqlverdict as sv
from servers import fresh_postgres, postgres_server
from sqlverdict.execute.engine import ENGINES, Limits
from sqlverdict.execute.query_runner import QueryRunner
from sqlverdict.records import (
    Answer,
    Case,
    Failure,
    Fault,
    Outcome,
    Prediction,
    Reason,
    Script,
    Verdict,
)

GOOD = "SELECT count(*) FROM t"
UNAVAILABLE = Failure(
    Reason.DATABASE_UNAVAILABLE, "the disk fails", fault=Fault.ENGINE, repeatable=False
)
STATEMENTS = ("CREATE TABLE t (a INTEGER, b VARCHAR(20))", "INSERT INTO t VALUES (1, 'x')")

ANYWHERE = (
    "SELECT a FROM t WHERE",
    "SELECT nothing FROM t",
    "SELECT * FROM nowhere",
    "SELECT 1/0, 1 % 0, 0.0/0 FROM t",
    "SELECT CAST(b AS DATE) FROM t",
    "SELECT (SELECT 1 UNION ALL SELECT 2) FROM t",
    "SELECT sum(b) FROM t",
    "SELECT sqrt(-1), ln(0), exp(100000) FROM t",
)
ERRORS: Mapping[str, tuple[str, ...]] = {
    "sqlite": (
        "SELECT abs(-9223372036854775808)",
        "SELECT json_extract('{', '$')",
        "SELECT load_extension('x')",
        "SELECT zeroblob(1000000000000)",
        "SELECT printf('%.*d', 2147483647, 1)",
        "SELECT count(*) FROM pragma_integrity_check",
        "SELECT fts5(1)",
    ),
    "mysql": (
        "SELECT extractvalue(1, '~')",
        "SELECT extractvalue(1, concat('~', (SELECT max(a) FROM t)))",
        "SELECT updatexml(1, '~', 1)",
        "SELECT json_extract('[', '$')",
        "SELECT st_geomfromtext('x')",
        "SELECT exp(1000)",
        "SELECT a FROM t WHERE b REGEXP '('",
        "SELECT load_file('/nowhere')",
        "SELECT a FROM t FOR UPDATE",
        "SELECT repeat('x', 1000000000)",
        "SELECT * FROM t PROCEDURE analyse()",
    ),
    "postgres": (
        "SELECT 'x'::int",
        "SELECT json '{'",
        "SELECT lo_get(1)",
        "SELECT currval('x')",
        "SELECT to_tsvector('nowhere', 'x')",
        "SELECT ts_lexize('nowhere', 'x')",
        "SELECT a FROM t FOR UPDATE NOWAIT",
        "SELECT repeat('x', 2000000000)",
        "SELECT pg_read_file('nowhere')",
        "SELECT b ~ '(' FROM t",
        "SELECT xmlparse(document '<')",
    ),
    "duckdb": (
        "SELECT error('IO Error: the disk fails')",
        "SELECT * FROM 'nowhere.csv'",
        "SELECT * FROM read_parquet('nowhere.parquet')",
        "SELECT 'x'::INTEGER",
        "SELECT regexp_matches('x', '(')",
        "SELECT json_extract('{', '$')",
    ),
}
"""Texts that fail, by dialect; some with errors that look like those of a broken server."""


@contextmanager
def database_of(engine: str, folder: Path) -> Iterator[str]:
    """A database of an engine with a small table; it skips where there is no server."""
    with ExitStack() as stack:
        if engine == "mysql":
            from mysql_parts import server_database

            yield stack.enter_context(server_database(*STATEMENTS))
        elif engine == "postgres":
            import psycopg

            url = stack.enter_context(fresh_postgres(stack.enter_context(postgres_server())))
            with psycopg.connect(url, autocommit=True) as connection:
                for statement in STATEMENTS:
                    connection.execute(statement)
            yield url
        elif engine == "duckdb":
            from duckdb_parts import write_duckdb

            yield str(write_duckdb(folder / "t.duckdb", *STATEMENTS))
        else:
            yield str(sqlite_file(folder / "t.sqlite"))


def sqlite_file(path: Path) -> Path:
    with closing(sqlite3.connect(path)) as connection, connection:
        for statement in STATEMENTS:
            connection.execute(statement)
    return path


@pytest.fixture
def open_runner() -> Iterator[Callable[[str], QueryRunner]]:
    """Runners that trust the role of the test's own database."""
    with ExitStack() as stack:

        def make(engine: str) -> QueryRunner:
            runner = QueryRunner(engine, Limits(seconds=60.0, trust_role=True))
            stack.callback(runner.close)
            return runner

        yield make


def test_every_engine_has_texts_that_fail_on_it() -> None:
    assert {ENGINES.get(name).dialect for name in ENGINES.names()} <= ERRORS.keys()


@pytest.mark.slow
@pytest.mark.parametrize("engine", ENGINES.names())
def test_no_text_lays_its_error_at_the_engines_door(
    engine: str, tmp_path: Path, open_runner: Callable[[str], QueryRunner]
) -> None:
    with database_of(engine, tmp_path) as database:
        runner = open_runner(engine)
        for sql in (*ANYWHERE, *ERRORS[ENGINES.get(engine).dialect]):
            outcome = runner.run(database, sql, (GOOD,))
            if isinstance(outcome, Failure):
                assert outcome.fault is None, (sql, outcome)
                assert outcome.reason is not Reason.DATABASE_UNAVAILABLE, (sql, outcome)
        assert isinstance(runner.run(database, GOOD), Answer)
        runner.close()


class Proxy:
    """An engine of somebody else's over SQLite; ``run`` stands for its sessions' method."""

    name = "proxy"

    def __init__(self, run: Callable[[Any, str], Outcome]) -> None:
        self._inner, self._run = ENGINES.get("sqlite"), run
        self.opened = 0

    def __getattr__(self, name: str) -> Any:
        # The check of SQLite files is SQLite's own.
        if name == "damage":
            raise AttributeError(name)
        return getattr(self._inner, name)

    def open(self, database: Any, limits: Limits, **options: Any) -> Any:
        self.opened += 1
        session = self._inner.open(database, limits, **options)
        engine, inner = self, session.run

        class Session:
            number = engine.opened

            def __getattr__(self, name: str) -> Any:
                return getattr(session, name)

            def run(self, sql: str) -> Outcome:
                self.inner = inner
                return engine._run(self, sql)

        return Session()


def blames_itself(session: Any, sql: str) -> Outcome:
    outcome: Outcome = session.inner(sql)
    return UNAVAILABLE if isinstance(outcome, Failure) else outcome


def raises(session: Any, sql: str) -> Outcome:
    outcome: Outcome = session.inner(sql)
    if isinstance(outcome, Failure):
        raise RuntimeError("a bug of the driver")
    return outcome


def dies(session: Any, sql: str) -> Outcome:
    """Once a query fails, the session answers nothing more."""
    if getattr(session, "dead", False) or isinstance(session.inner(sql), Failure):
        session.dead = True
        return UNAVAILABLE
    outcome: Outcome = session.inner(sql)
    return outcome


def loses_first(session: Any, sql: str) -> Outcome:
    """The first session loses its connection at the first query."""
    return UNAVAILABLE if session.number == 1 else session.inner(sql)


def is_gone(session: Any, sql: str) -> Outcome:
    return UNAVAILABLE


def reads_no_table(session: Any, sql: str) -> Outcome:
    """A disk that fails: what needs no table is answered."""
    return UNAVAILABLE if " t" in sql else session.inner(sql)


def reads_half_a_table(session: Any, sql: str) -> Outcome:
    """A damaged page: whoever reads column b fails."""
    return UNAVAILABLE if "b" in sql.replace("blob", "") else session.inner(sql)


def proxied(
    monkeypatch: pytest.MonkeyPatch, run: Callable[[Any, str], Outcome], name: str = "proxy"
) -> Proxy:
    proxy = Proxy(run)
    monkeypatch.setitem(ENGINES._members, name, proxy)
    return proxy


@pytest.mark.parametrize("run", [blames_itself, raises, dies])
def test_a_plug_in_that_claims_every_error_does_not_take_it_out_of_the_score(
    run: Callable[[Any, str], Outcome],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    open_runner: Callable[[str], QueryRunner],
) -> None:
    proxied(monkeypatch, run)
    runner, database = open_runner("proxy"), str(sqlite_file(tmp_path / "t.sqlite"))
    for sql in (*ANYWHERE, *ERRORS["sqlite"]):
        outcome = runner.run(database, sql, (GOOD,))
        if isinstance(outcome, Failure):
            assert outcome.fault is None, (sql, outcome)
            assert outcome.reason is Reason.EXECUTION_ERROR, (sql, outcome)
        assert isinstance(runner.run(database, f"{GOOD} -- {len(sql)}"), Answer)


@pytest.mark.parametrize("run", [is_gone, reads_no_table, reads_half_a_table])
def test_an_engine_that_answers_no_probe_is_at_fault(
    run: Callable[[Any, str], Outcome],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    open_runner: Callable[[str], QueryRunner],
) -> None:
    proxied(monkeypatch, run)
    runner, database = open_runner("proxy"), str(sqlite_file(tmp_path / "t.sqlite"))
    outcome = runner.run(database, "SELECT b FROM t", (GOOD,))
    assert isinstance(outcome, Failure)
    assert outcome.fault is Fault.ENGINE, outcome
    assert not outcome.repeatable


def test_a_query_whose_connection_was_lost_is_answered_by_the_next(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, open_runner: Callable[[str], QueryRunner]
) -> None:
    proxy = proxied(monkeypatch, loses_first)
    runner, database = open_runner("proxy"), str(sqlite_file(tmp_path / "t.sqlite"))
    outcome = runner.run(database, "SELECT b FROM t", (GOOD,))
    assert isinstance(outcome, Answer), outcome
    assert runner.run(database, "SELECT a FROM t") == runner.run(database, "SELECT a FROM t")
    assert proxy.opened == 2


def test_one_right_answer_and_three_that_blame_the_engine_are_a_quarter(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    proxied(monkeypatch, blames_itself)
    database = str(sqlite_file(tmp_path / "t.sqlite"))
    texts = (GOOD, "SELECT abs(-9223372036854775808)", "SELECT json('{') FROM t", "SELECT x FROM t")
    cases = [Case(str(n), "t", "How many?", (GOOD,), database=database) for n in range(4)]
    options = sv.Options(metrics="ex,verdict,witness_accuracy", engine="proxy", cache=None)
    predictions = [Prediction(str(n), text) for n, text in enumerate(texts)]
    results = list(sv.evaluate(cases, predictions, options=options).results())
    assert [result.verdict for result in results] == [Verdict.CORRECT, *[Verdict.INCORRECT] * 3]
    for result in results[1:]:
        assert set(result.scores.values()) == {0.0}, result
        assert result.fault is None
        assert result.final


def damaged(path: Path) -> str:
    """A SQLite file whose table ``u`` has a page that cannot be read; ``t`` is whole."""
    with closing(sqlite3.connect(path)) as connection, connection:
        for statement in STATEMENTS:
            connection.execute(statement)
        connection.execute("CREATE TABLE u (a INTEGER, b TEXT)")
        rows = [(number, "x" * 500) for number in range(200)]
        connection.executemany("INSERT INTO u VALUES (?, ?)", rows)
        root = connection.execute("SELECT rootpage FROM sqlite_master WHERE name = 'u'").fetchone()
        size = connection.execute("PRAGMA page_size").fetchone()[0]
    content = bytearray(path.read_bytes())
    start = (root[0] - 1) * size
    content[start : start + 200] = b"\x99" * 200
    path.write_bytes(content)
    return str(path)


def test_a_damaged_file_is_not_blamed_on_the_prediction_that_meets_it(
    tmp_path: Path, open_runner: Callable[[str], QueryRunner]
) -> None:
    runner, database = open_runner("sqlite"), damaged(tmp_path / "t.sqlite")
    outcome = runner.run(database, "SELECT max(b) FROM u", (GOOD,))
    assert isinstance(outcome, Failure)
    assert outcome.fault is Fault.ENGINE, outcome
    assert isinstance(runner.run(database, GOOD), Answer)


@pytest.mark.slow
def test_a_damaged_duckdb_file_is_not_blamed_on_the_prediction_that_meets_it(
    tmp_path: Path, open_runner: Callable[[str], QueryRunner]
) -> None:
    duckdb = pytest.importorskip("duckdb", reason="the extra duckdb is not installed")
    path = tmp_path / "t.duckdb"
    with closing(duckdb.connect(str(path))) as connection:
        connection.execute("CREATE TABLE t AS SELECT 1 AS a, 'x' AS b")
        connection.execute(
            "CREATE TABLE u AS SELECT i AS a, md5(i::text) || md5((i + 1)::text) AS b"
            " FROM range(100000) AS r (i)"
        )
    content = bytearray(path.read_bytes())
    # A block has 256 KiB, and three headers stand before the first.
    start = 3 * 4096 + (len(content) // 2**18 // 2) * 2**18 + 1_000
    content[start : start + 5_000] = b"\x99" * 5_000
    path.write_bytes(content)
    runner = open_runner("duckdb")
    outcome = runner.run(str(path), "SELECT count(DISTINCT b) FROM u", ("SELECT a FROM t",))
    assert isinstance(outcome, Failure)
    assert outcome.fault is Fault.ENGINE, outcome
    assert isinstance(runner.run(str(path), "SELECT a FROM t"), Answer)


def test_a_whole_file_is_not_called_damaged_by_an_error_that_looks_like_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, open_runner: Callable[[str], QueryRunner]
) -> None:
    from sqlverdict.execute.sqlite.session import SqliteSession

    true_run = SqliteSession.run

    def run(session: SqliteSession, sql: str) -> Outcome:
        return UNAVAILABLE if "malformed" in sql else true_run(session, sql)

    monkeypatch.setattr(SqliteSession, "run", run)
    runner, database = open_runner("sqlite"), str(sqlite_file(tmp_path / "t.sqlite"))
    outcome = runner.run(database, "SELECT a AS malformed FROM t", (GOOD,))
    assert isinstance(outcome, Failure)
    assert (outcome.reason, outcome.fault) == (Reason.EXECUTION_ERROR, None)
    assert outcome.message.startswith("the disk fails")


@pytest.mark.parametrize("run", [blames_itself, raises])
def test_statements_that_write_cannot_blame_the_engine_either(
    run: Callable[[Any, str], Outcome], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from sqlverdict.execute.sqlite.workspace import SqliteWorkspace

    true_run = SqliteWorkspace.run

    def wrapped(workspace: SqliteWorkspace, sql: str) -> Outcome:
        class Session:
            def inner(self, text: str) -> Outcome:
                return true_run(workspace, text)

        return run(Session(), sql)

    monkeypatch.setattr(SqliteWorkspace, "run", wrapped)
    database = str(sqlite_file(tmp_path / "t.sqlite"))
    script = Script(check="SELECT a FROM t")
    runner = QueryRunner("sqlite", Limits())
    with closing(runner):
        outcome = runner.run_script(
            database, script, "UPDATE t SET a = json('{')", ("UPDATE t SET a = 2",)
        )
    assert isinstance(outcome, Failure)
    assert (outcome.reason, outcome.fault) == (Reason.EXECUTION_ERROR, None)
