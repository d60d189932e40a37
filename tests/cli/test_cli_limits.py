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
GROWING = f"{ENDLESS} SELECT group_concat(x || hex(zeroblob(9999))) FROM r"
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
MOST = 1024 * 2**10
"""Kilobytes; a command of version 0.1 took four times as much."""

RUN = """
import resource, subprocess, sys
start = "from sqlverdict.cli.main import main; main()"
done = subprocess.run([sys.executable, "-c", start, *sys.argv[1:]], capture_output=True)
used = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
sys.stdout.buffer.write(b"%d %d\\n" % (done.returncode, used))
sys.stdout.buffer.write(done.stdout + done.stderr)
"""


def run(*arguments: object) -> tuple[int, int, str]:
    """A command's exit code, the kilobytes it took, and what it said."""
    limits = (8 * 2**30, 8 * 2**30)
    done = subprocess.run(
        [sys.executable, "-c", RUN, *map(str, arguments)],
        capture_output=True,
        text=True,
        check=True,
        # The machine of whoever runs the tests must survive a failure.
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, limits),
    )
    head, _, output = done.stdout.partition("\n")
    code, kilobytes = map(int, head.split())
    return code, kilobytes, output


@pytest.fixture
def database(tmp_path: Path) -> Path:
    path = tmp_path / "databases" / "d" / "d.sqlite"
    path.parent.mkdir(parents=True)
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE t (id INTEGER PRIMARY KEY, name TEXT)")
        connection.execute("INSERT INTO t VALUES (1, 'a'), (2, 'b')")
        connection.commit()
    return path


@pytest.mark.slow
@pytest.mark.parametrize(
    ("command", "query"),
    [
        ("query", "chain"),
        ("prove", "chain"),
        ("refute", "chain"),
        ("pair", "chain"),
        ("pair", "growing"),
        ("pair", "list"),
        ("refute", "unions"),
        ("prove", "terms"),
        ("prove", "read terms"),
        ("pair", "read terms"),
        ("pair", "read unions"),
        ("pair", "twisted"),
    ],
)
def test_a_pair_command_stays_small(
    command: str, query: str, database: Path, tmp_path: Path
) -> None:
    file = tmp_path / "hostile.sql"
    file.write_text(HOSTILE[query])
    arguments: list[object] = [command, f"@{file}"]
    if command == "query":
        arguments = [command, HOSTILE[query]]
    else:
        arguments += ["SELECT id FROM t", "--db", database]
    if command in ("refute", "pair"):
        arguments += ["--no-bank", "--instances", 20]
    code, kilobytes, output = run(*arguments)
    assert code in DOCUMENTED, output
    assert "Traceback" not in output
    assert kilobytes < MOST


@pytest.mark.slow
def test_a_witness_that_fills_the_memory_is_refused(tmp_path: Path) -> None:
    card = {"format": 1, "gold": "SELECT 1", "prediction": "SELECT 2", "preset": "strict"}
    card |= {"contract": None, "sentence": "", "grade": "ungraded", "db_id": "d"}
    file = tmp_path / "witness.sql"
    file.write_text(
        f"-- witness {json.dumps(card)}\n\nCREATE TABLE t (a, b);\n"
        f"INSERT INTO t {ENDLESS} SELECT x, hex(zeroblob(100000)) FROM r;\n"
    )
    code, kilobytes, output = run("replay", file)
    assert code == 2, output
    assert "cannot be rebuilt" in output
    assert kilobytes < MOST


@pytest.mark.slow
def test_a_schema_that_fills_the_memory_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "schema.sql"
    file.write_text(
        "CREATE TABLE t (id INTEGER);\n"
        f"CREATE TABLE big AS {ENDLESS} SELECT x, hex(zeroblob(100000)) FROM r;\n"
    )
    code, kilobytes, output = run("prove", "SELECT id FROM t", "SELECT id FROM t", "--schema", file)
    assert code == 2, output
    assert "Traceback" not in output
    assert kilobytes < MOST
