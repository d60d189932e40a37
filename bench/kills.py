"""A run that is killed at random moments, and given again until it is done.

An undisturbed run of the demo's cases with proofs, witnesses and verdicts is the measure. Then the
same command is started, killed with SIGKILL (all its processes) after a random time, and started
again, until so many kills are done and a last start ends by itself. Some kills fall into the
start, some between two files, some behind the last line. Results, summary and witnesses must then
be those of the undisturbed run, byte for byte; only ``timings`` may differ. Meanwhile:

* every second kill is followed by a start in a folder that is still locked by nobody;
* once, half of a line is added to the log, as a power cut leaves it;
* once, a database is replaced and put back, between two starts.

Usage: ``python bench/kills.py [--kills 30] [--seed 0] [--workers 2] [--metrics ex,verdict]``
"""

from __future__ import annotations

import argparse
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import msgspec

from sqlverdict.load.benchmark import BENCHMARKS
from sqlverdict.load.benchmarks.demo import DATA, predictions_path

ENDED = (0, 4)
MAIN = "from sqlverdict.cli.main import main; main()"


def command(root: Path, out: Path, options: argparse.Namespace) -> list[str]:
    """The command line of one run."""
    return [
        *(sys.executable, "-c", MAIN, "evaluate", "--benchmark", "demo", "--quiet", "--no-llm"),
        *("--databases", str(root / "databases"), "--predictions", str(predictions_path("bold"))),
        *("--metrics", options.metrics, "--refute", "100", "--prove"),
        *("--workers", str(options.workers), "--out", str(out), "--no-cache"),
    ]


def content(out: Path) -> dict[str, object]:
    """All that must not depend on how often a run was killed."""
    lines = [
        msgspec.json.decode(line) for line in (out / "results.jsonl").read_bytes().splitlines()
    ]
    for line in lines:
        line.pop("timings")
    witnesses = {path.name: path.read_bytes() for path in sorted((out / "witnesses").glob("*.sql"))}
    summary = msgspec.json.decode((out / "summary.json").read_bytes())
    return {"lines": lines, "summary": summary, "witnesses": witnesses}


def finish(line: list[str]) -> None:
    """Run to the end; a case of the demo fits a tie, which is exit code 4."""
    ended = subprocess.run(line, check=False, capture_output=True, text=True)
    assert ended.returncode in ENDED, ended.stderr


def start(line: list[str]) -> subprocess.Popen[bytes]:
    """Start a run in a group of its own."""
    return subprocess.Popen(
        line, start_new_session=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )


def disturb(out: Path, databases: Path, kill: int) -> None:
    """What happens to the files between two starts."""
    log = out / "results.jsonl"
    if kill % 7 == 3 and log.exists():
        with log.open("ab") as stream:
            stream.write(b'{"index":3,"id":"half of a li')
    if kill % 7 == 5:
        file = sorted(databases.glob("**/*.sqlite"))[0]
        content = file.read_bytes()
        file.write_bytes(content[:-1] + bytes([content[-1] ^ 1]))
        file.write_bytes(content)


def main() -> int:
    """Kill, resume, compare."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--kills", type=int, default=30)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--metrics", default="ex,verdict,esm")
    options = parser.parse_args()
    chance = random.Random(options.seed)
    root = Path(tempfile.mkdtemp(prefix="sqlverdict-kills-"))
    BENCHMARKS.get("demo").read(DATA, databases=root / "databases")
    began = time.monotonic()
    finish(command(root, root / "whole", options))
    seconds = time.monotonic() - began
    expected = content(root / "whole")
    print(f"undisturbed: {len(expected['lines'])} cases in {seconds:.1f} s", flush=True)  # type: ignore[arg-type]
    done, ended = 0, 0
    out = root / "run"
    while done < options.kills:
        run = start(command(root, out, options))
        time.sleep(chance.uniform(0.05, 1.1) * seconds / 3)
        if run.poll() is None:
            os.killpg(run.pid, signal.SIGKILL)
            done += 1
        else:
            ended += 1
            assert run.returncode in ENDED, f"exit code {run.returncode}"
            assert content(out) == expected, f"after {done} kills"
            shutil.rmtree(out)
        run.communicate()
        disturb(out, root / "databases", done)
    finish(command(root, out, options))
    same = content(out) == expected
    print(f"{done} kills, {ended + 1} runs ended by themselves: {'the same' if same else 'OTHER'}")
    if same:
        shutil.rmtree(root)
    return 0 if same else 1


if __name__ == "__main__":
    sys.exit(main())
