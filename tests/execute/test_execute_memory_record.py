"""What an engine's record says of memory holds: a query that takes too much fails, and no other."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from sqlverdict.execute.engine import ENGINES

MEMORY = 64 * 2**20
NUMBERS = "WITH RECURSIVE r(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM r WHERE i < 2000000) "
GREEDY = {
    "counted": f"{NUMBERS} SELECT count(DISTINCT i || printf('%50s', 'x')) FROM r",
    "process": "SELECT length(string_agg(rpad('x', 1000, 'y') || i, '')) FROM range(1000000) t(i)",
}
"""A query that needs some 200 MB or more, in the words of the engine."""
ASK = """
import sys
from sqlverdict.execute.engine import ENGINES, Limits
from sqlverdict.records import Answer, Failure, Reason

name, database, memory, greedy = sys.argv[1:]
session = ENGINES.get(name).open(database, Limits(seconds=600, memory=int(memory)))
outcome = session.run(greedy)
assert isinstance(outcome, Failure) and outcome.reason is Reason.MEMORY_LIMIT, outcome
outcome = session.run("SELECT 1")
assert isinstance(outcome, Answer), outcome
session.close()
"""
LATER = """
import sys
from sqlverdict.execute.engine import ENGINES, Limits
from sqlverdict.records import Failure, Reason

database, memory, greedy = sys.argv[1:]
engine = ENGINES.get("sqlite")
low = engine.open(database, Limits(seconds=600, memory=int(memory)))
usual = engine.open(database, Limits(seconds=600))
for session, final in ((low, True), (usual, False)):
    outcome = session.run(greedy)
    assert isinstance(outcome, Failure) and outcome.reason is Reason.MEMORY_LIMIT, outcome
    assert outcome.repeatable is final, outcome
    assert ("lowest limit of the process" in outcome.message) is not final, outcome
    session.close()
"""


@pytest.mark.slow
@pytest.mark.parametrize("name", ["sqlite", "duckdb"])
def test_a_query_that_takes_too_much_fails(name: str, tmp_path: Path) -> None:
    engine = ENGINES.get(name)
    if engine.limits_memory == "process" and sys.platform != "linux":
        pytest.skip("only Linux limits the memory of a process")
    database = tmp_path / f"a{engine.suffixes[0]}"
    if engine.in_python:
        with closing(sqlite3.connect(database)) as connection:
            connection.execute("CREATE TABLE t (a)")
    else:
        pytest.importorskip("duckdb", reason="the extra duckdb is not installed")
        engine.write_file(database, ["CREATE TABLE t (a INTEGER)"])  # type: ignore[attr-defined]
    # In a process of its own: SQLite's limit on its heap stays for as long as a process lives.
    command = [sys.executable, "-c", ASK, name, str(database), str(MEMORY)]
    done = subprocess.run([*command, GREEDY[engine.limits_memory]], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


@pytest.mark.slow
def test_a_limit_of_another_session_decides_nothing_for_good(tmp_path: Path) -> None:
    """SQLite keeps the lowest limit of a process: a session that asked for more may pass elsewhere."""
    database = tmp_path / "a.sqlite"
    with closing(sqlite3.connect(database)) as connection:
        connection.execute("CREATE TABLE t (a)")
    command = [sys.executable, "-c", LATER, str(database), str(MEMORY), GREEDY["counted"]]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_what_no_engine_limits_is_said() -> None:
    """A plug-in promises nothing until it says so; MySQL does not count what texts take."""
    says = {name: ENGINES.get(name).limits_memory for name in ("sqlite", "duckdb", "mysql")}
    assert says == {"sqlite": "counted", "duckdb": "process", "mysql": "no"}
