"""Cases whose golds and predictions may write: each runs on a copy, and the copies are compared."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from hashlib import sha256
from pathlib import Path

import pytest

from sqlverdict import Options, evaluate
from sqlverdict.execute.engine import ENGINES, Limits, WorkspaceEngine
from sqlverdict.execute.query_runner import QueryRunner
from sqlverdict.execute.scripts import run_script
from sqlverdict.records import Answer, Case, Failure, Fault, Reason, Script, Verdict

GOLD = "UPDATE t SET n = n + 1 WHERE name = 'a'"


@pytest.fixture
def database(tmp_path: Path) -> Path:
    path = tmp_path / "a.sqlite"
    connection = sqlite3.connect(path)
    with connection:
        connection.execute("CREATE TABLE t (name TEXT, n INTEGER)")
        connection.execute("INSERT INTO t VALUES ('a', 1), ('b', 2)")
    connection.close()
    return path


def verdict_of(database: Path, prediction: str, script: Script, gold: str = GOLD) -> Verdict:
    before = sha256(database.read_bytes()).hexdigest()
    case = Case("1", "a", "", (gold,), str(database), script=script)
    run = evaluate([case], {"1": prediction}, options=Options("ex", workers=0, cache=None))
    (result,) = run.results()
    assert sha256(database.read_bytes()).hexdigest() == before, "the database itself changed"
    return result.verdict


@pytest.mark.parametrize(
    ("prediction", "verdict"),
    [
        ("UPDATE t SET n = 2 WHERE name = 'a'", Verdict.CORRECT),
        ("DELETE FROM t WHERE name = 'a'; INSERT INTO t VALUES ('a', 2)", Verdict.CORRECT),
        ("UPDATE t SET n = 2", Verdict.CORRECT),
        ("UPDATE t SET n = 3 WHERE name = 'a'", Verdict.INCORRECT),
        ("UPDATE nowhere SET n = 3", Verdict.INCORRECT),
        ("SELECT 1", Verdict.INCORRECT),
    ],
)
def test_the_checks_answers_are_compared(database: Path, prediction: str, verdict: Verdict) -> None:
    check = "SELECT n FROM t WHERE name = 'a'"
    assert verdict_of(database, prediction, Script(check=check)) == verdict


def test_without_a_check_the_content_of_all_tables_is_compared(database: Path) -> None:
    script = Script()
    assert verdict_of(database, "UPDATE t SET n = 2 WHERE n = 1", script) == Verdict.CORRECT
    assert verdict_of(database, "UPDATE t SET n = 2", script) == Verdict.CORRECT
    assert verdict_of(database, "UPDATE t SET n = 9", script) == Verdict.INCORRECT
    assert verdict_of(database, f"{GOLD}; CREATE TABLE u (a)", script) == Verdict.INCORRECT


def test_the_last_result_of_the_statements_counts(database: Path) -> None:
    gold = f"{GOLD}; SELECT sum(n) FROM t"
    assert verdict_of(database, "SELECT 4", Script(), gold) == Verdict.CORRECT
    assert verdict_of(database, "SELECT 3", Script(), gold) == Verdict.INCORRECT


def test_the_set_up_comes_before_each_side(database: Path) -> None:
    script = Script(setup=("DELETE FROM t WHERE name = 'b'",), check="SELECT count(*) FROM t")
    assert verdict_of(database, "SELECT 1", script, "SELECT 1") == Verdict.CORRECT
    assert verdict_of(database, "DELETE FROM t", script, "SELECT 1") == Verdict.INCORRECT


def test_a_broken_set_up_is_the_cases_fault(database: Path) -> None:
    outcome = run_script(
        ENGINES.get("sqlite"), str(database), Script(setup=("BROKEN",)), "SELECT 1", Limits(), None
    )
    assert isinstance(outcome, Failure)
    assert outcome.fault is Fault.GOLD


@pytest.mark.parametrize(
    "sql",
    [
        "ATTACH 'loot.sqlite' AS loot",
        "VACUUM INTO 'loot.sqlite'",
        "PRAGMA journal_mode = WAL",
        "SELECT load_extension('loot')",
        "CREATE TABLE loot AS SELECT writefile('loot', 'x')",
    ],
)
def test_files_and_settings_stay_closed(
    database: Path, sql: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    engine = ENGINES.get("sqlite")
    assert isinstance(engine, WorkspaceEngine)
    workspace = engine.workspace(database, Limits())
    outcome = workspace.run(sql)
    workspace.close()
    assert isinstance(outcome, Failure)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.sqlite"]


def test_a_script_that_grows_without_end_is_stopped(database: Path) -> None:
    endless = (
        "WITH RECURSIVE r(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM r) "
        "INSERT INTO t SELECT 'x', i FROM r"
    )
    limits = Limits(steps=2_000_000, seconds=600)
    outcome = run_script(ENGINES.get("sqlite"), str(database), Script(), endless, limits, None)
    assert isinstance(outcome, Failure)
    assert outcome.reason in (Reason.EXECUTION_TIMEOUT, Reason.MEMORY_LIMIT)


def test_what_one_side_writes_the_other_does_not_see(database: Path) -> None:
    sqlite = ENGINES.get("sqlite")
    for _ in range(2):
        outcome = run_script(
            sqlite, str(database), Script(check="SELECT sum(n) FROM t"), GOLD, Limits(), None
        )
        assert isinstance(outcome, Answer)
        assert outcome.rows == [(4,)]


def test_a_database_that_changed_is_copied_again(database: Path) -> None:
    runner = QueryRunner("sqlite", Limits())
    script = Script(check="SELECT sum(n) FROM t")
    first = runner.run_script(str(database), script, GOLD)
    with closing(sqlite3.connect(database)) as connection, connection:
        connection.execute("INSERT INTO t VALUES ('c', 100)")
    second = runner.run_script(str(database), script, GOLD)
    runner.close()
    assert isinstance(first, Answer)
    assert isinstance(second, Answer)
    assert (first.rows, second.rows) == ([(4,)], [(104,)])
