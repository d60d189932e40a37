"""A Ray cluster of two nodes gives the bytes of one process, whoever is killed meanwhile."""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from click.testing import CliRunner
from msgspec import structs

from ray_clusters import kill_node, ray_cluster, restore_nodes
from sqlverdict.cli.main import sqlverdict
from sqlverdict.files.digests import sha256_file
from sqlverdict.run.pool.node_files import copy_of, files_of
from sqlverdict.runlog.log import read_results
from sqlverdict.runlog.run import read_run
from sqlverdict.testing.fake_llm import FakeAnswer, FakeCall, FakeLlm, completion
from timeouts import HANG_SECONDS, wait_until

pytestmark = [
    pytest.mark.slow,
    # Ray warns of its own future.
    pytest.mark.filterwarnings("ignore"),
]
CASES = 96
SLOW = (
    "WITH RECURSIVE w(k) AS (SELECT 1 UNION ALL SELECT k + 1 FROM w LIMIT {n}) SELECT max(k) FROM w"
)


DRIVER = """
import os, signal, sys, time
from pathlib import Path
from sqlverdict.cli.main import main
from sqlverdict.run.pool.ray_pool import RayPool
from sqlverdict.runlog.folder import RunFolder

how, hold = sys.argv.pop(1), Path(sys.argv.pop(1))
append, free_actor = RunFolder.append, RayPool._free_actor

def append_and_strike(folder, lines):
    append(folder, lines)
    if how == "dies":
        os.kill(os.getpid(), signal.SIGKILL)
    while hold.exists():
        time.sleep(0.01)

def free_actor_of_two(pool):
    # Until a node is lost, each has an actor.
    return free_actor(pool) if pool._lost or len(pool._ready) == 2 else None

RunFolder.append, RayPool._free_actor = append_and_strike, free_actor_of_two
main()
"""
"""The command line. After its first lines the driver kills itself, or waits while a file is there."""


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("ray")
    database = folder / "databases" / "shop" / "shop.sqlite"
    database.parent.mkdir(parents=True)
    connection = sqlite3.connect(database)
    with connection:
        connection.execute("CREATE TABLE t (n INTEGER)")
        connection.execute("INSERT INTO t VALUES (1), (2), (3)")
        # No copy of it lies on a node: a test that was stopped leaves its own behind.
        connection.execute("CREATE TABLE folder AS SELECT ? AS name", (str(uuid4()),))
    connection.close()
    with (folder / "cases.jsonl").open("w") as file:
        for number in range(CASES):
            gold = SLOW.format(n=3_000 + number)
            prediction = gold.replace("max", "count") if number % 3 else "SELECT n FROM nowhere"
            if number % 8 == 0:
                gold, prediction = "SELECT n FROM t WHERE n > 1", "SELECT n FROM t WHERE n <> 1"
            line = {"id": str(number), "db_id": "shop", "gold": gold, "prediction": prediction}
            file.write(json.dumps(line) + "\n")
    return folder


@pytest.fixture(scope="module")
def one_cluster() -> Iterator[Any]:
    with ray_cluster(1, 1) as cluster:
        yield cluster


@pytest.fixture
def cluster(one_cluster: Any) -> Any:
    """The cluster with both of its nodes, whatever a test before did to one."""
    restore_nodes(one_cluster, 1, 1)
    return one_cluster


def arguments(data: Path, out: str, *more: str) -> list[str]:
    databases = str(data / "databases")
    paths = ["--cases", str(data / "cases.jsonl"), "--databases", databases]
    usual = ["evaluate", "--quiet", "--no-cache", *paths, "--metrics", "ex", "--refute", "8"]
    return [*usual, "--out", str(data / out), *more]


def start(
    how: str, hold: Path, cluster: Any, data: Path, out: str, *more: str
) -> subprocess.Popen[str]:
    words = arguments(data, out, "--on", "ray", "--workers", "2", *more)
    options = [sys.executable, "-c", DRIVER, how, str(hold), *words]
    environment = {**os.environ, "RAY_ADDRESS": cluster.address}
    return subprocess.Popen(options, env=environment, stderr=subprocess.PIPE, text=True)


def lines(folder: Path) -> int:
    log = folder / "results.jsonl"
    return log.read_bytes().count(b"\n") if log.is_file() else 0


def content(folder: Path) -> tuple[list[object], dict[str, str]]:
    """The results up to the seconds that queries took, and the files of witnesses."""
    results: list[object] = [
        {name: value for name, value in structs.asdict(result).items() if name != "timings"}
        for result in read_results(folder)
    ]
    files = {path.name: sha256_file(path) for path in (folder / "witnesses").iterdir()}
    return results, files


@pytest.fixture(scope="module")
def whole(data: Path) -> tuple[list[object], dict[str, str]]:
    done = CliRunner().invoke(sqlverdict, arguments(data, "whole", "--workers", "0"))
    assert done.exit_code == 0, done.output
    results, witnesses = content(data / "whole")
    assert len(results) == CASES
    assert len(witnesses) >= CASES // 8
    return results, witnesses


def test_judges_are_asked_by_the_driver_alone(cluster: Any, data: Path) -> None:
    """Each question once; another run reads the replies that the driver kept."""
    cases = [
        {"id": str(number), "db_id": "shop", "question": f"Number {number}?"}
        | {"gold": "SELECT max(n) FROM t", "prediction": f"SELECT n + {number} FROM t WHERE n = 1"}
        for number in range(5, 12)
    ]
    (data / "judged.jsonl").write_text("".join(json.dumps(case) + "\n" for case in cases))

    def answer(call: FakeCall) -> FakeAnswer:
        right = b"Number 7?" in call.body
        return FakeAnswer(completion(f'Read.\n```json\n{{"correct": {str(right).lower()}}}\n```'))

    def judged(out: str, *more: str) -> list[dict[str, object]]:
        options = ["--metrics", "flex,ex", "--judge", "flex", "--model", "m"]
        options += ["--base-url", server.base_url, "--set", f"reply-cache={data / 'replies'}"]
        words = arguments(data, out, *options, *more)
        words[words.index("--cases") + 1] = str(data / "judged.jsonl")
        if "ray" in more:
            environment = {**os.environ, "RAY_ADDRESS": cluster.address}
            words = [sys.executable, "-m", "sqlverdict", *words]
            subprocess.run(words, env=environment, check=True, timeout=HANG_SECONDS)
        else:
            assert CliRunner().invoke(sqlverdict, words).exit_code == 0
        return [dict(result.scores) for result in read_results(data / out)]

    with FakeLlm(answer) as server:
        on_ray = judged("judged_on_ray", "--on", "ray", "--workers", "2")
        assert len(server.calls) == len(cases)
        assert judged("judged_alone", "--workers", "0") == on_ray
        assert len(server.calls) == len(cases), "the replies are at hand"
    assert [scores["flex"] for scores in on_ray] == [float(n == 7) for n in range(5, 12)]


def test_killed_drivers_and_nodes_change_no_byte(
    cluster: Any, data: Path, whole: tuple[list[object], dict[str, str]]
) -> None:
    """One run: its driver is killed, it is resumed with copies of the databases, a node is killed.

    One test, since a driver and its actors take seconds to start.
    """
    out, hold = data / "on_ray", data / "hold"
    with start("dies", hold, cluster, data, out.name) as driver:
        driver.communicate(timeout=HANG_SECONDS)
    before = lines(out)
    assert 0 < before < CASES, "the driver was killed in the middle"
    hold.touch()
    with start("waits", hold, cluster, data, out.name, "--copy-databases") as driver:
        assert wait_until(lambda: lines(out) > before or driver.poll() is not None)
        kill_node(cluster, cluster.nodes[1])
        hold.unlink()
        _, errors = driver.communicate(timeout=HANG_SECONDS)
    assert driver.returncode == 0, errors
    assert read_run(out).manifest.killed_workers > 0, "an actor was lost with its node"
    assert content(out) == whole
    database = str(data / "databases" / "shop" / "shop.sqlite")
    copy = copy_of(files_of(database, whole_folder=True)).parents[1]
    assert [path.name for path in copy.rglob("*.sqlite")] == ["shop.sqlite"], "once a node"
    shutil.rmtree(copy)
