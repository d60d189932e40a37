"""How much of a run's time is ours: execution, comparison and logging against plain sqlite3.

Spider dev, four published systems. The floor is Python's ``sqlite3`` alone: connections kept
open, each distinct query run once, rows fetched, nothing checked and nothing written. Figures
are ratios within one run, medians over interleaved rounds, since machines are noisy.

One worker runs its queries in a second process where a core is free. The row "on one core" has
floor and run share a single core: all the processor time that a run takes.

Run: ``make bench`` or ``python bench/execution.py [rounds]``; needs SQLVERDICT_DATA.
"""

from __future__ import annotations

import os
import sqlite3
import statistics
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from time import perf_counter

from sqlverdict.execute.engine import Limits
from sqlverdict.pipeline import Options, System, evaluate_systems
from sqlverdict.records import Case

DATA = Path(os.environ.get("SQLVERDICT_DATA", Path(__file__).parents[2] / "shared" / "data"))
SYSTEMS = ("C3", "DAIL", "RASAT+PICARD", "RESDSQL")


def load() -> tuple[list[Case], dict[str, dict[str, str]]]:
    """The runnable cases of Spider dev and the predictions of each system."""
    root = DATA / "spider"
    lines = (root / "dev_gold.sql").read_text().splitlines()
    cases = []
    for number, line in enumerate(lines):
        gold, db_id = line.rsplit("\t", 1)
        file = root / "database" / db_id / f"{db_id}.sqlite"
        if file.is_file():
            cases.append(Case(str(number), db_id, golds=(gold,), database=str(file)))
    predictions = {}
    for system in SYSTEMS:
        said = (root / "predictions" / "dev" / f"{system}.txt").read_text().splitlines()
        predictions[system] = {case.id: said[int(case.id)] for case in cases}
    return cases, predictions


def floor(cases: Sequence[Case], systems: Sequence[dict[str, str]]) -> float:
    """Seconds of plain sqlite3: each distinct query once, connections kept open."""
    began = perf_counter()
    connections: dict[str, sqlite3.Connection] = {}
    seen: set[tuple[str, str]] = set()
    for case in cases:
        assert case.database is not None
        connection = connections.get(case.database)
        if connection is None:
            connection = connections[case.database] = sqlite3.connect(case.database)
        for sql in (case.golds[0], *(said[case.id] for said in systems)):
            if (case.database, sql) in seen:
                continue
            seen.add((case.database, sql))
            try:
                connection.execute(sql).fetchall()
            except (sqlite3.Error, sqlite3.Warning):
                continue
    seconds = perf_counter() - began
    for connection in connections.values():
        connection.close()
    return seconds


def ours(
    cases: Sequence[Case],
    predictions: dict[str, dict[str, str]],
    folder: Path,
    *,
    metrics: str = "ex",
    workers: int = 1,
) -> float:
    """Seconds from opening the run folders to the finished logs, answers cached on disk."""
    systems = [System(name, said, folder / name) for name, said in predictions.items()]
    options = Options(
        metrics=metrics, workers=workers, cache=folder / "answers.sqlite", limits=Limits()
    )
    runs = evaluate_systems(cases, systems, options=options)
    return max(run.manifest.seconds for run in runs)


def wall(work: Callable[..., object], *arguments: object) -> float:
    """Seconds of a call."""
    began = perf_counter()
    work(*arguments)
    return perf_counter() - began


@contextmanager
def on_one_core() -> Iterator[None]:
    """Keep this process and its children on one core, where the system can."""
    if not hasattr(os, "sched_setaffinity"):
        yield
        return
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {max(before)})
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)


def slow_cases(folder: Path) -> tuple[list[Case], dict[str, str]]:
    """Cases whose queries take about 5 ms each."""
    file = folder / "slow.sqlite"
    connection = sqlite3.connect(file)
    connection.execute("CREATE TABLE n (v INTEGER)")
    connection.executemany("INSERT INTO n VALUES (?)", [(v,) for v in range(12_000)])
    connection.commit()
    connection.close()
    sql = "SELECT sum(v * {0} % 7), count(DISTINCT v % {0}), max(v * v % {0}) FROM n"
    cases = [
        Case(str(i), "slow", golds=(sql.format(i + 11),), database=str(file)) for i in range(300)
    ]
    return cases, {case.id: case.golds[0].replace("sum(", "total(") for case in cases}


def main() -> None:
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 7
    if not (DATA / "spider" / "dev_gold.sql").is_file():
        sys.exit(f"no data at {DATA}: set SQLVERDICT_DATA")
    cases, predictions = load()
    one = {SYSTEMS[0]: predictions[SYSTEMS[0]]}
    figures: dict[str, list[float]] = {}

    def note(name: str, value: float) -> None:
        figures.setdefault(name, []).append(value)

    for _ in range(rounds):
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            base = floor(cases, list(predictions.values()))
            for metrics in ("ex", "ex[spider]"):
                place = folder / metrics
                place.mkdir()
                note(
                    f"four systems, {metrics}, 1 worker / floor (at most 1.6)",
                    ours(cases, predictions, place, metrics=metrics) / base,
                )
            with on_one_core():
                (folder / "core").mkdir()
                alone = floor(cases, list(predictions.values()))
                note(
                    "four systems, ex, 1 worker / floor, on one core",
                    ours(cases, predictions, folder / "core") / alone,
                )
            (folder / "one").mkdir()
            first, second = (wall(ours, cases, one, folder / "one") for _ in range(2))
            note("second run of the same command / first (at most 0.3)", second / first)
            (folder / "four").mkdir()
            together = wall(ours, cases, predictions, folder / "four")
            note("four systems together / one (at most 2.5)", together / first)
            slow, said = slow_cases(folder)
            times = [
                ours(slow, {f"w{n}": said}, folder / f"slow{n}", workers=n)
                for n in (1, 2)
                if not (folder / f"slow{n}").mkdir()
            ]
            note("5 ms queries: one worker / two workers (at least 1.7)", times[0] / times[1])
    print(f"| measure (median of {rounds} rounds) | ratio | best | worst |")
    print("| --- | --- | --- | --- |")
    for name, values in figures.items():
        middle = statistics.median(values)
        print(f"| {name} | {middle:.2f} | {min(values):.2f} | {max(values):.2f} |")


if __name__ == "__main__":
    main()
