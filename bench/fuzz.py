"""Mutated queries, files, databases and run folders through every command and metric.

A seed and a number make one attempt: a pair of queries through all metrics, or a command of the
command line with mutated texts, input files, databases, witnesses, proofs or run folders. Each
attempt runs in a forked process. It fails where there is a traceback, an error of ours, an exit
code that is not documented, a contradiction, a terminal escape in the output, a hang (time of the
processor, not of the wall) or more than 1 GiB of memory. What fails is kept in a folder with its
input files, its command and its output; the same seed and number make it again.

Run: ``python bench/fuzz.py [--seed N|random] [--minutes M | --cases N] [--only NUMBER]
[--kind KIND] [--out FOLDER]``. Real predictions are used where SQLVERDICT_DATA has them, else the
demo's. The exit code is 1 where something failed.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import shutil
import signal
import sys
import tempfile
import traceback
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from random import Random, SystemRandom
from time import monotonic

from fuzz_attempts import KINDS, through_metrics
from fuzz_inputs import sources

MEMORY = 2**30
PROCESSOR = 120
"""Seconds of the processor after which an attempt hangs."""
WALL = 1_800
"""Seconds after which a process that does nothing is ended: a guard, not a measure."""


@dataclass
class Tally:
    """What came out."""

    attempts: Counter[str] = field(default_factory=Counter)
    failures: list[tuple[int, str, str]] = field(default_factory=list)
    most_memory: int = 0
    most_processor: float = 0.0


# One attempt in a process of its own


def attempt_in_child(number: int, seed: str, kind: str, folder: Path, report: Path) -> None:
    """Make the attempt and do it; never returns."""
    os.chdir(folder)
    os.environ["SQLVERDICT_CACHE"] = str(folder / "cache.sqlite")
    os.environ["COLUMNS"] = "100"
    resource.setrlimit(resource.RLIMIT_CPU, (PROCESSOR, PROCESSOR + 5))
    resource.setrlimit(resource.RLIMIT_AS, (4 * MEMORY, 4 * MEMORY))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    signal.alarm(WALL)
    output = os.open(folder / "output.txt", os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    os.dup2(output, 1)
    os.dup2(output, 2)
    problem: str | None
    try:
        attempt = KINDS[kind][1](Random(f"{seed}/{number}/{kind}"), folder)
        (folder / "command.json").write_text(
            json.dumps({"seed": seed, "number": number, "kind": kind, "command": attempt.command})
        )
        problem = attempt.work()
    except BaseException as error:  # noqa: BLE001 - whatever comes here is what is looked for
        problem = f"traceback: {type(error).__name__}: {error} at {_location(error)}"
        traceback.print_exc()
    sys.stdout.flush()
    sys.stderr.flush()
    text = (folder / "output.txt").read_bytes()
    if problem is None and b"Traceback (most recent call last)" in text:
        problem = "a traceback was printed"
    if problem is None and b"\x1b" in text:
        problem = "a terminal escape was printed"
    report.write_text(json.dumps(problem))
    os._exit(0)


def _location(error: BaseException) -> str:
    frames = traceback.extract_tb(error.__traceback__)
    ours = [frame for frame in frames if "sqlverdict" in frame.filename] or frames
    return f"{Path(ours[-1].filename).name}:{ours[-1].lineno}" if ours else "?"


def run_one(number: int, seed: str, kind: str, tally: Tally, out: Path) -> None:
    """One attempt, watched; what fails is kept."""
    with tempfile.TemporaryDirectory(prefix="fuzz-") as home:
        folder, report = Path(home) / "case", Path(home) / "report.json"
        folder.mkdir()
        child = os.fork()
        if not child:
            attempt_in_child(number, seed, kind, folder, report)
        _, status, spent = os.wait4(child, 0)
        tally.attempts[kind] += 1
        memory, processor = spent.ru_maxrss * 1024, spent.ru_utime + spent.ru_stime
        tally.most_memory = max(tally.most_memory, memory)
        tally.most_processor = max(tally.most_processor, processor)
        problem: str | None = None
        if report.is_file():
            problem = json.loads(report.read_text())
        else:
            ended = -os.waitstatus_to_exitcode(status)
            hang = ended in (signal.SIGXCPU, signal.SIGALRM, signal.SIGKILL)
            problem = f"{'hang' if hang else 'died'}: signal {ended} after {processor:.0f} s"
        if problem is None and memory > MEMORY:
            problem = f"memory: {memory / 2**20:.0f} MiB"
        if problem is not None:
            tally.failures.append((number, kind, problem))
            print(f"FAILED {kind} {number} (seed {seed}): {problem[:300]}", flush=True)
            shutil.copytree(folder, out / f"{seed}-{number}-{kind}", dirs_exist_ok=True)


def fuzz(
    seed: str,
    out: Path,
    *,
    cases: int | None = None,
    minutes: float | None = None,
    kind: str | None = None,
    first: int = 0,
) -> Tally:
    """Attempts one after the other, until the number or the time is reached."""
    load_everything()
    tally = Tally()
    end = None if minutes is None else monotonic() + 60 * minutes
    number = first
    names = [name for name, (weight, _) in KINDS.items() for _ in range(weight)]
    while (cases is None or number < first + cases) and (end is None or monotonic() < end):
        attempt = kind or Random(f"{seed}/{number}").choice(names)
        run_one(number, seed, attempt, tally, out)
        number += 1
        if number % 500 == 0:
            print(f"{number} attempts, {len(tally.failures)} failures", flush=True)
    return tally


def load_everything() -> None:
    """What a forked process would load each time is loaded once."""
    from click.testing import CliRunner

    from sqlverdict.cli.main import sqlverdict

    source = sources()[0]
    with tempfile.TemporaryDirectory(prefix="fuzz-") as folder:
        through_metrics(source.gold, source.prediction, source.database, Path(folder)).work()
    pair = [source.gold, source.prediction, "--db", str(source.database)]
    for words in (
        ["pair", *pair, "--set", "no-bank=true"],
        ["prove", *pair],
        ["pair", source.gold],
    ):
        CliRunner().invoke(sqlverdict, words)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seed", default="1", help="a number, or 'random'")
    parser.add_argument("--minutes", type=float)
    parser.add_argument("--cases", type=int)
    parser.add_argument("--only", type=int, help="one attempt, by its number")
    parser.add_argument("--kind", choices=sorted(KINDS))
    parser.add_argument("--out", type=Path, default=Path("fuzz-failures"))
    arguments = parser.parse_args()
    seed = str(SystemRandom().randrange(10**9)) if arguments.seed == "random" else arguments.seed
    if arguments.minutes is None and arguments.cases is None:
        arguments.cases = 1_000
    cases = 1 if arguments.only is not None else arguments.cases
    tally = fuzz(
        seed,
        arguments.out,
        cases=cases,
        minutes=arguments.minutes,
        kind=arguments.kind,
        first=arguments.only or 0,
    )
    total = tally.attempts.total()
    print(f"seed {seed}: {total} attempts, {len(tally.failures)} failures")
    print(", ".join(f"{name} {count}" for name, count in tally.attempts.most_common()))
    print(f"most memory {tally.most_memory >> 20} MiB, most processor {tally.most_processor:.1f} s")
    for (name, problem), count in Counter((k, p[:150]) for _, k, p in tally.failures).most_common():
        print(f"{count:5} {name}: {problem}")
    return 1 if tally.failures else 0


if __name__ == "__main__":
    sys.exit(main())
