"""The files in ``examples/scale`` run as they stand: an array job, a CI matrix, Ray Data."""

from __future__ import annotations

import json
import os
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

import sqlverdict as sv
from ray_clusters import ray_cluster
from sqlverdict.runlog.log import read_results
from sqlverdict.runlog.run import read_run
from timeouts import HANG_SECONDS

EXAMPLES = Path(__file__).resolve().parents[2] / "examples" / "scale"
CASES = 10
PARTS = 2


@pytest.fixture
def data(tmp_path: Path) -> Path:
    connection = sqlite3.connect(tmp_path / "shop.sqlite")
    with connection:
        connection.execute("CREATE TABLE t (n INTEGER)")
        connection.execute("INSERT INTO t VALUES (1), (2), (3)")
    connection.close()
    with (tmp_path / "cases.jsonl").open("w") as file:
        for number in range(CASES):
            case = {"id": str(number), "db_id": "shop", "gold": "SELECT n FROM t WHERE n > 1"}
            case["prediction"] = f"SELECT n FROM t WHERE n > {number % 3}"
            file.write(json.dumps(case) + "\n")
    program = tmp_path / "programs" / "sqlverdict"
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m sqlverdict "$@"\n')
    program.chmod(0o755)
    return tmp_path


def run(data: Path, command: list[str], **settings: str) -> None:
    path = f"{data / 'programs'}{os.pathsep}{os.environ['PATH']}"
    environment = {**os.environ, "PATH": path, "CASES": "cases.jsonl", **settings}
    done = subprocess.run(
        command,
        cwd=data,
        env=environment,
        capture_output=True,
        text=True,
        timeout=HANG_SECONDS,
        check=False,
    )
    assert done.returncode == 0, done.stderr


def check_merged(folder: Path) -> None:
    assert [result.id for result in read_results(folder)] == [str(n) for n in range(CASES)]
    assert read_run(folder).summary.cases == CASES


@pytest.mark.slow
def test_the_array_job_and_the_merge(data: Path) -> None:
    for part in range(1, PARTS + 1):
        settings = {"SLURM_ARRAY_TASK_ID": str(part), "SLURM_ARRAY_TASK_COUNT": str(PARTS)}
        run(data, ["bash", str(EXAMPLES / "slurm.sh")], **settings)
    run(data, ["bash", "-c", "sqlverdict evaluate --merge runs --out runs/mine"])
    check_merged(data / "runs" / "mine")


@pytest.mark.slow
def test_the_commands_of_the_matrix(data: Path) -> None:
    jobs = yaml.safe_load((EXAMPLES / "shards.yml").read_text(encoding="utf-8"))["jobs"]
    parts = jobs["shard"]["strategy"]["matrix"]["part"]
    steps = {
        step["name"]: step["run"] for job in jobs.values() for step in job["steps"] if "run" in step
    }
    for part in parts:
        command = ["bash", "-e", "-c", steps["evaluate"]]
        run(data, command, PART=str(part), PARTS=str(len(parts)))
    run(data, ["bash", "-e", "-c", steps["merge"]])
    check_merged(data / "runs" / "all")


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_ray_data_scores_what_a_scorer_does(data: Path) -> None:
    for package in ("ray", "pyarrow", "pandas"):
        pytest.importorskip(package, reason="pip install 'sqlverdict[ray,tables,pandas]'")
    import pyarrow.parquet

    script = str(EXAMPLES / "ray_data.py")
    words = [sys.executable, script, str(data / "cases.jsonl"), str(data), str(data / "scored")]
    with ray_cluster(4) as cluster:
        run(data, words, RAY_ADDRESS=cluster.address)
    rows = pyarrow.parquet.read_table(data / "scored").to_pylist()
    records = [json.loads(line) for line in (data / "cases.jsonl").read_text().splitlines()]
    with sv.Scorer(db=data / "shop.sqlite") as scorer:
        expected = {each["id"]: scorer(each["gold"], each["prediction"]) for each in records}
    assert {row["id"]: row["score"] for row in rows} == expected


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_dask_scores_partitions(data: Path) -> None:
    """The snippet of docs/scale.md."""
    dask = pytest.importorskip("dask.dataframe", reason="pip install 'dask[dataframe]'")
    import pandas

    frame = pandas.read_json(data / "cases.jsonl", lines=True, dtype={"id": str})
    evaluator = sv.BatchEvaluator(databases=data)
    parts = dask.from_pandas(frame, npartitions=3)
    scored = parts.map_partitions(evaluator, meta=evaluator(frame.head(0))).compute()
    assert scored["score"].tolist() == [float(number % 3 == 1) for number in range(CASES)]
