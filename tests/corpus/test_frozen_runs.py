"""Frozen runs: what this version finds out about real predictions, case by case.

A run's outline has one line per case: scores, verdict, situation, reasons, relation kinds, a digest
of the proof's form, the witness's grade. It holds no question and no query. The demo's outlines
are compared in every test run. Real data are compared where ``SQLVERDICT_DATA`` is. A part of each
run is compared by default, all of it with ``SQLVERDICT_TESTS=thorough``.

A difference is a change of score, hence of version: say in CHANGELOG.md what changed and why, then
write the outlines anew with ``python tests/corpus/test_frozen_runs.py [NAME ...]``.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner

from sqlverdict.cli.main import sqlverdict
from sqlverdict.load.benchmarks import demo
from sqlverdict.records import Reason

sys.path.insert(0, str(Path(__file__).parents[1]))
from frozen_outlines import FOLDER, METRICS, frozen, outline
from tiers import sampled

SAMPLE = 40
"""Of a real run, one case in so many is compared by default."""

Arguments = dict[str, str]

DEMO: dict[str, Arguments] = {
    f"demo_{system}": {
        "--benchmark": "demo",
        "--predictions": str(demo.predictions_path(system)),
    }
    for system in demo.systems()
}
REAL: dict[str, Arguments] = {
    **{
        f"spider_{system.lower()}": {
            "--benchmark": "spider",
            "--root": "{data}/spider",
            "--predictions": f"{system}={{data}}/spider/predictions/dev/{system}.txt",
        }
        for system in ("DAIL", "C3")
    },
    "bird_dail": {
        "--cases": "{data}/bird/etm_gold.txt",
        "--databases": "{data}/bird/databases",
        "--predictions": "DAIL={data}/bird/predictions/dev/DAIL.txt",
    },
    "flex_replayed": {
        "--benchmark": "flex",
        "--root": "{data}/flex/agreement_half.jsonl",
        "--schema": "{data}/bird/ddl.json",
        "--judge": "replay",
        "--policy": "strict",
    },
    **{
        f"trustsql_{system}": {
            "--benchmark": "trustsql",
            "--root": "{data}/trustsql/trustsql_spider_test.jsonl",
            "--databases": "{data}/spider/database",
            "--system": system,
        }
        for system in ("pipeline", "demo", "voting")
    },
}
RUNS = DEMO | REAL


def outlines(name: str, data: Path, out: Path, only: list[str] | None = None) -> Iterator[str]:
    """Runs one of the runs and yields its outline, one line per case."""
    arguments = [part.format(data=data) for pair in RUNS[name].items() for part in pair]
    metrics = [*METRICS, *(["flex"] if "--judge" in RUNS[name] else [])]
    command = [
        *("evaluate", *arguments, "--metrics", ",".join(metrics), "--workers", "0"),
        *("--no-cache", "--quiet", "--set", "max-steps=20000000", "--out", str(out / name)),
        *([] if "--judge" in RUNS[name] else ["--no-llm"]),
        *(["--only", ",".join(only)] if only else []),
    ]
    # In this process: ten runs would start thirty processes.
    done = CliRunner().invoke(sqlverdict, command)
    assert done.exit_code in (0, 4), done.output
    for line in (out / name / "results.jsonl").read_text("utf-8").splitlines():
        record = json.loads(line)
        if Reason.DATABASE_UNAVAILABLE not in record["reasons"]:
            yield json.dumps(outline(record))


def check(name: str, data: Path, out: Path, step: int, start: int = 0) -> None:
    before = frozen(name)
    only = None if step == 1 else list(before)[start::step]
    now = {record["id"]: record for record in map(json.loads, outlines(name, data, out, only))}
    assert set(now) == set(only or before)
    changed = [(before[key], record) for key, record in now.items() if before[key] != record]
    assert not changed, "a change of score is a change of version; see this file's docstring"


@pytest.mark.slow
@pytest.mark.sampled
@pytest.mark.parametrize("name", DEMO)
def test_demo_runs_are_as_frozen(name: str, tmp_path: Path) -> None:
    """By default a ninth of the cases, of each system others.

    ``tests/cli/test_cli_papers.py`` compares all of them, under fewer metrics.
    """
    check(name, Path(), tmp_path, sampled(9, 1), start=sampled(3 * list(DEMO).index(name), 0))


@pytest.mark.slow
@pytest.mark.sampled
@pytest.mark.parametrize("name", REAL)
def test_real_runs_are_as_frozen(name: str, data_root: Path, tmp_path: Path) -> None:
    check(name, data_root, tmp_path, sampled(SAMPLE, 1))


if __name__ == "__main__":
    real = Path(__file__).resolve().parents[3] / "shared" / "data"
    root = Path(os.environ.get("SQLVERDICT_DATA", real))
    FOLDER.mkdir(exist_ok=True)
    for each in sys.argv[1:] or RUNS:
        with tempfile.TemporaryDirectory() as folder:
            lines = list(outlines(each, root, Path(folder)))
        (FOLDER / f"{each}.jsonl").write_text("\n".join(lines) + "\n", "utf-8")
