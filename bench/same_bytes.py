"""Whether the whole demo gives the same bytes under any hash seed, workers and load.

Every run evaluates the demo's three systems with proofs, witnesses, relations and verdicts. Results
without timings, and the witness files, are compared line by line with those of the first run. The
test ``tests/run/test_run_same_bytes.py`` does the same for a part of the demo.

Run: ``python bench/same_bytes.py [--seeds N] [--busy N]``.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from itertools import product
from pathlib import Path
from tempfile import TemporaryDirectory

SCRIPT = Path(__file__).parents[1] / "tests" / "run" / "same_bytes.py"
WORKERS = (0, 1, 4)


def evaluated(folder: Path, seed: int, workers: int) -> list[str]:
    """What one run writes, its folder's name left out."""
    done = subprocess.run(
        [sys.executable, str(SCRIPT), str(folder), str(workers), "1"],
        stdout=subprocess.PIPE,
        env={**os.environ, "PYTHONHASHSEED": str(seed)},
        check=True,
    )
    return done.stdout.decode("utf-8").replace(str(folder), "FOLDER").splitlines()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--busy", type=int, default=2 * (os.cpu_count() or 1))
    arguments = parser.parse_args()
    expected: list[str] | None = None
    failed = False
    for busy, (seed, workers) in product(
        (0, arguments.busy), product(range(arguments.seeds), WORKERS)
    ):
        beside = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(busy)]
        try:
            with TemporaryDirectory() as folder:
                lines = evaluated(Path(folder) / "run", seed, workers)
        finally:
            for process in beside:
                process.kill()
                process.wait()
        expected = expected or lines
        differ = len(set(lines) ^ set(expected))
        failed |= lines != expected
        print(f"seed {seed}, {workers} workers, {busy} busy processes: {differ} lines differ")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
