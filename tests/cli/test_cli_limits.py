"""Commands about one pair, a file or a benchmark stay small, whatever the queries want."""

from __future__ import annotations

import json
import resource
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

CHAIN = (
    "WITH c0 AS (SELECT 1 AS a), "
    + ", ".join(f"c{n} AS (SELECT x.a FROM c{n - 1} x, c{n - 1} y)" for n in range(1, 26))
    + " SELECT a FROM c25"
)
UNIONS = " UNION ".join(["SELECT id FROM t"] * 1_000)
LIST = "SELECT id FROM t WHERE id IN (" + ",".join(["1"] * 99_900) + ")"
ENDLESS = "WITH RECURSIVE r(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM r)"
GROWING = f"{ENDLESS} SELECT group_concat(x || hex(zeroblob(499))) FROM r"
TERMS = "SELECT id FROM t WHERE " + " AND ".join(["1"] * 985)
READ_TERMS = "SELECT id FROM t WHERE " + " AND ".join(["id > 0"] * 780)
READ_UNIONS = " UNION ALL ".join(["SELECT id FROM t"] * 500)
TWISTED = (
    "WITH w(a, b) AS (SELECT * FROM (SELECT id AS z, id AS z FROM t) LIMIT -1) SELECT b, a FROM w"
)
HOSTILE = {
    "chain": CHAIN,
    "unions": UNIONS,
    "list": LIST,
    "growing": GROWING,
    "terms": TERMS,
    "read terms": READ_TERMS,
    "read unions": READ_UNIONS,
    "twisted": TWISTED,
}
DOCUMENTED = (0, 1, 2, 3, 4)
MOST = 480 * 2**10
"""Kilobytes; a command of version 0.1 took eight times as much."""

WATCH = """
import resource, subprocess, sys
done = subprocess.run([sys.executable, "-c", sys.argv[1]], check=True)
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
"""
"""ru_maxrss of a process begins with that of the one that started it: this one is small."""

COMMANDS = """
import json, sys
from click.testing import CliRunner
from sqlverdict.cli.main import sqlverdict

for arguments in json.load(sys.stdin):
    result = CliRunner().invoke(sqlverdict, arguments)
    if not isinstance(result.exception, SystemExit | None):
        raise result.exception
    print(json.dumps([result.exit_code, result.output]), flush=True)
"""
"""One after the other: to start a process for each takes longer than they do."""


def run(*commands: list[object]) -> tuple[list[tuple[int, str]], int]:
    """The commands' exit codes and what they said, and the kilobytes that they took."""
    limits = (8 * 2**30, 8 * 2**30)
    done = subprocess.run(
        [sys.executable, "-c", WATCH, COMMANDS],
        input=json.dumps(commands, default=str),
        capture_output=True,
        text=True,
        check=False,
        # The machine of whoever runs the tests must survive a failure.
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, limits),
    )
    assert done.returncode == 0, done.stderr
    *results, kilobytes = map(json.loads, done.stdout.splitlines())
    return [(code, output) for code, output in results], kilobytes


@pytest.fixture
def database(tmp_path: Path) -> Path:
    path = tmp_path / "databases" / "d" / "d.sqlite"
    path.parent.mkdir(parents=True)
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE t (id INTEGER PRIMARY KEY, name TEXT)")
        connection.execute("INSERT INTO t VALUES (1, 'a'), (2, 'b')")
        connection.commit()
    return path


HOSTILE_PAIRS = (
    ("query", "chain"),
    ("prove", "chain"),
    ("refute", "chain"),
    ("pair", "chain"),
    ("pair", "list"),
    ("refute", "unions"),
    ("prove", "terms"),
    ("prove", "read terms"),
    ("pair", "read terms"),
    ("pair", "read unions"),
    ("pair", "twisted"),
    ("pair", "growing"),
)


@pytest.mark.slow
def test_pair_commands_stay_small(database: Path, tmp_path: Path) -> None:
    commands: list[list[object]] = []
    for command, query in HOSTILE_PAIRS:
        file = tmp_path / f"{query}.sql"
        file.write_text(HOSTILE[query])
        arguments: list[object] = [command, f"@{file}", "SELECT id FROM t", "--db", database]
        if command == "query":
            arguments = [command, HOSTILE[query]]
        if command in ("refute", "pair"):
            arguments += ["--set", "no-bank=true", "--refute", 20]
        commands.append(arguments)
    results, kilobytes = run(*commands)
    for each, (code, output) in zip(HOSTILE_PAIRS, results, strict=True):
        assert code in DOCUMENTED, (each, output)
        assert "Traceback" not in output, each
    assert kilobytes < MOST, kilobytes


@pytest.mark.slow
def test_what_fills_the_memory_is_refused(tmp_path: Path) -> None:
    card = {"format": 1, "gold": "SELECT 1", "prediction": "SELECT 2", "preset": "strict"}
    card |= {"contract": None, "sentence": "", "grade": "ungraded", "db_id": "d"}
    witness, schema = tmp_path / "witness.sql", tmp_path / "schema.sql"
    witness.write_text(
        f"-- witness {json.dumps(card)}\n\nCREATE TABLE t (a, b);\n"
        f"INSERT INTO t {ENDLESS} SELECT x, hex(zeroblob(100000)) FROM r;\n"
    )
    schema.write_text(
        "CREATE TABLE t (id INTEGER);\n"
        f"CREATE TABLE big AS {ENDLESS} SELECT x, hex(zeroblob(100000)) FROM r;\n"
    )
    query = "SELECT id FROM t"
    results, kilobytes = run(
        ["refute", "--replay", witness], ["prove", query, query, "--schema", schema]
    )
    assert [code for code, _ in results] == [2, 2], results
    assert "cannot be rebuilt" in results[0][1]
    assert "Traceback" not in results[1][1]
    assert kilobytes < MOST, kilobytes
