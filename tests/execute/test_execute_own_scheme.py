"""A plug-in of files with a scheme of its own: its URLs name files, at every door.

A database on a server is waited for, and keeps its snapshot; a file has a digest and may change.
"""

from __future__ import annotations

import gzip
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from small_databases import sqlite_file
from sqlverdict.execute.engine import ENGINES
from sqlverdict.files import references

EXAMPLE = Path(__file__).parents[2] / "examples" / "own_engine" / "sqlite_gz.py"
CHECK = """
import sys
from pathlib import Path

import sqlverdict as sv
from sqlverdict.execute.engine import engine_of
from sqlverdict.execute.query_runner import QueryRunner
from sqlverdict.execute.session import Limits
from sqlverdict.files.references import absolute, file_of, is_at_hand, is_server

url, other = sys.argv[1:]
assert engine_of(url) == "sqlite_gz"
assert not is_server(url) and file_of(url) == Path(url.partition("://")[2])
assert is_at_hand(url) and not is_at_hand(url + "x")
assert absolute("sqlite+gz://a.sqlite-gz").endswith("/a.sqlite-gz")

runner = QueryRunner("sqlite_gz", Limits())
assert runner.run(url, "SELECT a FROM t").rows == [(1,)]
assert runner.digest(url), "a file has a digest"
file_of(url).write_bytes(file_of(other).read_bytes())
runner.flush()
assert runner.changed == {url}, "a file that changed is noticed"
assert runner.run(url, "SELECT a FROM t").rows == [(2,)]
runner.close()
with sv.Scorer("ex", db=url) as scorer:
    assert scorer("SELECT a FROM t", "SELECT 2") == 1.0
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder as an installer leaves it, and two packed databases."""
    shutil.copy(EXAMPLE, tmp_path)
    info = tmp_path / "sqlite_gz-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: sqlite-gz\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[sqlverdict.engines]\nsqlite_gz = sqlite_gz:SqliteGz\n")
    for number in (1, 2):
        plain = sqlite_file(
            tmp_path / f"{number}.sqlite", "CREATE TABLE t (a)", f"INSERT INTO t VALUES ({number})"
        )
        packed = tmp_path / f"{number}.sqlite-gz"
        packed.write_bytes(gzip.compress(plain.read_bytes()))
        plain.unlink()
    return tmp_path


def python(folder: Path, *args: str) -> subprocess.CompletedProcess[str]:
    path = os.pathsep.join([str(folder), os.environ.get("PYTHONPATH", "")])
    return subprocess.run(
        [sys.executable, *args],
        capture_output=True,
        text=True,
        env=os.environ | {"PYTHONPATH": path},
        cwd=folder,
        check=False,
    )


def test_a_url_is_a_servers_where_its_engine_has_no_files() -> None:
    """What the schemes of our own engines mean is known before an engine is loaded."""
    own = [
        (scheme, bool(engine.suffixes))
        for _, engine in ENGINES.items()
        if type(engine).__module__.startswith("sqlverdict.")
        for scheme in engine.schemes
    ]
    assert len(own) > 4
    for scheme, has_files in own:
        assert references.is_server(f"{scheme}://a") != has_files, scheme


def test_the_urls_of_a_plugin_with_files_name_files(folder: Path) -> None:
    url = f"sqlite+gz://{folder}"
    done = python(folder, "-c", CHECK, f"{url}/1.sqlite-gz", f"{url}/2.sqlite-gz")
    assert done.returncode == 0, done.stderr


def test_a_run_reads_its_files(folder: Path) -> None:
    case = {"id": "one", "db_id": "1", "question": "?", "gold": "SELECT a FROM t"}
    (folder / "cases.jsonl").write_text(json.dumps(case))
    (folder / "predictions.jsonl").write_text(json.dumps({"id": "one", "sql": "SELECT 1"}))
    run = ["-m", "sqlverdict", "evaluate", "--cases", "cases.jsonl", "--predictions"]
    run += ["predictions.jsonl", "--databases", f"sqlite+gz://{folder}", "--out", "run"]
    done = python(folder, *run)
    assert done.returncode == 0, done.stdout + done.stderr
    results = (folder / "run" / "results.jsonl").read_text().splitlines()
    assert '"ex":1' in results[-1].replace(" ", ""), results
