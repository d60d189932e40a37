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
FEW = 6_000
MANY = sampled(16_000, 100_000)
GROWTH = sampled(40, 60) * MEGABYTE
"""What more cases may add: filling memories of a fixed size, and eight bytes a case for its
position in the log."""

SCRIPT = """
import json, re, resource, sys
from pathlib import Path
from sqlverdict.pipeline import Options, evaluate_pairs
from sqlverdict.records import Case, Prediction

count, database, folder = int(sys.argv[1]), sys.argv[2], Path(sys.argv[3])

def pairs():
    for n in range(count):
        gold = f"SELECT name FROM person WHERE id = {n}"
        sql = gold if n % 3 else f"SELECT name, age FROM person WHERE id = {n} OR id < 3"
        yield Case(str(n), "people", f"question {n}", (gold,), database), Prediction(str(n), sql)

# ru_maxrss of this process begins with that of the process that started it.
def peak():
    return int(re.search(r"VmHWM:\\s+(\\d+) kB", Path("/proc/self/status").read_text())[1])

options = Options(workers=2, cache=folder / "cache.sqlite")
run = evaluate_pairs(pairs(), out=folder / "run", options=options)
print(json.dumps({
    "cases": run.manifest.cases,
    "value": run.estimate("ex").value,
    "coordinator": peak() * 1024,
    "worker": resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1024,
}))
"""


@pytest.mark.slow
@pytest.mark.sampled
@pytest.mark.skipif(sys.platform != "linux", reason="ru_maxrss is in other units elsewhere")
def test_memory_does_not_grow_with_the_number_of_cases(people: Path, tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(SCRIPT)
    results = {}
    for count in (FEW, MANY):
        folder = tmp_path / str(count)
        done = subprocess.run(
            [sys.executable, str(script), str(count), str(people), str(folder)],
            env={**os.environ, "PYTHONPATH": str(Path("src").resolve())},
            capture_output=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr.decode()
        results[count] = msgspec.json.decode(done.stdout)
        assert results[count]["cases"] == count
        assert results[count]["value"] == pytest.approx(2 / 3, abs=0.001)
    few, many = results[FEW], results[MANY]
    for who in ("coordinator", "worker"):
        growth = many[who] - few[who]
        assert growth < GROWTH, f"the {who} grew by {growth / MEGABYTE:.0f} MB: {results}"
