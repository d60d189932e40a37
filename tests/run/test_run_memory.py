"""Many cases: memory does not grow with their number."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import msgspec
import pytest

from tiers import sampled

MEGABYTE = 2**20
FEW = sampled(5_000, 10_000)
MANY = sampled(11_000, 100_000)
GROWTH = {"coordinator": sampled(3, 12) * MEGABYTE, "worker": sampled(25, 60) * MEGABYTE}
"""What more cases may add: filling memories of a fixed size, which workers have, and eight bytes a
case for its position in the log."""

SCRIPT = """
import json, multiprocessing, os, re, sys
from pathlib import Path
from sqlverdict.pipeline import Options, evaluate_pairs
from sqlverdict.records import Case, Prediction

few, many, database, folder = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3], Path(sys.argv[4])
peaks = []

# ru_maxrss of a process begins with that of the one that started it.
def peak(process):
    status = Path(f"/proc/{process}/status").read_text()
    return int(re.search(r"VmHWM:\\s+(\\d+) kB", status)[1]) * 1024

def look():
    workers = [peak(child.pid) for child in multiprocessing.active_children()]
    peaks.append({"coordinator": peak(os.getpid()), "worker": max(workers)})

def pairs():
    for n in range(many):
        if n == few:
            look()
        gold = f"SELECT name FROM person WHERE id = {n}"
        sql = gold if n % 3 else f"SELECT name, age FROM person WHERE id = {n} OR id < 3"
        yield Case(str(n), "people", f"question {n}", (gold,), database), Prediction(str(n), sql)
    look()

options = Options(workers=2, cache=folder / "cache.sqlite")
run = evaluate_pairs(pairs(), out=folder / "run", options=options)
value = run.estimate("ex").value
print(json.dumps({"cases": run.manifest.cases, "value": value, "peaks": peaks}))
"""


@pytest.mark.slow
@pytest.mark.sampled
@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_memory_does_not_grow_with_the_number_of_cases(people: Path, tmp_path: Path) -> None:
    """One run: what it has used when it asks for a case early on, and for the last."""
    script = tmp_path / "script.py"
    script.write_text(SCRIPT)
    done = subprocess.run(
        [sys.executable, str(script), str(FEW), str(MANY), str(people), str(tmp_path)],
        env={**os.environ, "PYTHONPATH": str(Path("src").resolve())},
        capture_output=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr.decode()
    result = msgspec.json.decode(done.stdout)
    assert result["cases"] == MANY
    assert result["value"] == pytest.approx(2 / 3, abs=0.001)
    few, many = result["peaks"]
    for who, most in GROWTH.items():
        growth = many[who] - few[who]
        assert growth < most, f"the {who} grew by {growth / MEGABYTE:.0f} MB: {result}"
