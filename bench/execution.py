"""How much of a run's processor time is ours: execution, comparison and logging against sqlite3.

Spider dev, four published systems. The floor is Python's ``sqlite3`` alone: connections kept
open, each distinct query run once, rows fetched, nothing checked and nothing written. The main
figure is processor time, user and system, of this process and its worker, both kept on one core,
from the call until the logs are finished. A row beside it adds the summaries. Figures are ratios
within one run, medians over interleaved rounds, since machines are noisy.

Run: ``make bench`` or ``python bench/execution.py [rounds]``; needs SQLVERDICT_DATA.
"""

from __future__ import annotations

import os
import sqlite3
import statistics
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from resource import RUSAGE_CHILDREN, RUSAGE_SELF, getrusage
from time import perf_counter
from unittest.mock import patch

from sqlverdict.execute.engine import Limits
from sqlverdict.pipeline import Options, System, evaluate_systems
from sqlverdict.records import Case
from sqlverdict.runlog.folder import RunFolder
from sqlverdict.runlog.run import Run

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
        lines = (root / "predictions" / "dev" / f"{system}.txt").read_text().splitlines()
        predictions[system] = {case.id: lines[int(case.id)] for case in cases}
    return cases, predictions


def processor_seconds() -> float:
    """User and system time of this process and of the children that have ended."""
    spent = [getrusage(RUSAGE_SELF), getrusage(RUSAGE_CHILDREN)]
    return sum(usage.ru_utime + usage.ru_stime for usage in spent)


@dataclass
class Cost:
    """What a piece of work cost, in seconds."""

    wall: float = 0.0
    processor: float = 0.0


@contextmanager
def measured() -> Iterator[Cost]:
    """The cost of what is done inside."""
    cost = Cost()
    began, spent = perf_counter(), processor_seconds()
    yield cost
    cost.wall, cost.processor = perf_counter() - began, processor_seconds() - spent


def floor(cases: Sequence[Case], systems: Sequence[dict[str, str]]) -> Cost:
    """Plain sqlite3: each distinct query once, connections kept open."""
    connections: dict[str, sqlite3.Connection] = {}
    seen: set[tuple[str, str]] = set()
    with measured() as cost:
        for case in cases:
            assert case.database is not None
            connection = connections.get(case.database)
            if connection is None:
                connection = connections[case.database] = sqlite3.connect(case.database)
            for sql in (case.golds[0], *(predictions[case.id] for predictions in systems)):
                if (case.database, sql) in seen:
                    continue
                seen.add((case.database, sql))
                try:
                    connection.execute(sql).fetchall()
                except (sqlite3.Error, sqlite3.Warning):
                    continue
    for connection in connections.values():
        connection.close()
    return cost


def ours(
    cases: Sequence[Case],
    predictions: dict[str, dict[str, str]],
    folder: Path,
    *,
    metrics: str = "ex",
    workers: int = 1,
) -> tuple[Cost, Cost]:
    """A run with a new cache in a new folder: all of it, and its summaries alone."""
    folder.mkdir(exist_ok=True)
    systems = [System(name, own, folder / name) for name, own in predictions.items()]
    options = Options(
        metrics=metrics, workers=workers, cache=folder / "answers.sqlite", limits=Limits()
    )
    summaries = Cost()
    summarise = RunFolder.summarise

    def timed(self: RunFolder) -> Run:
        with measured() as cost:
            run = summarise(self)
        summaries.wall += cost.wall
        summaries.processor += cost.processor
        return run

    with patch.object(RunFolder, "summarise", timed), measured() as whole:
        evaluate_systems(cases, systems, options=options)
    return whole, summaries


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

    def add(name: str, value: float) -> None:
        figures.setdefault(name, []).append(value)

    for _ in range(rounds):
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            with on_one_core():
                base = floor(cases, list(predictions.values())).processor
                for metrics in ("ex", "ex[spider]"):
                    whole, summaries = ours(cases, predictions, folder / metrics, metrics=metrics)
                    logs = whole.processor - summaries.processor
                    add(f"one core: four systems, {metrics} / floor", logs / base)
                    if metrics == "ex":
                        add("one core: the same with its summaries", whole.processor / base)
            first = ours(cases, one, folder / "one")[0].wall
            again = ours(cases, one, folder / "one")[0].wall
            add("wall: second run of the same command / first (at most 0.3)", again / first)
            together = ours(cases, predictions, folder / "four")[0].wall
            add("wall: four systems together / one (at most 2.5)", together / first)
            slow, own = slow_cases(folder)
            single, double = (
                ours(slow, {f"w{n}": own}, folder / f"slow{n}", workers=n)[0].wall for n in (1, 2)
            )
            add("wall: 5 ms queries, one worker / two workers (at least 1.7)", single / double)
    print(f"| measure (median of {rounds} rounds) | ratio | best | worst |")
    print("| --- | --- | --- | --- |")
    for name, values in figures.items():
        middle = statistics.median(values)
        print(f"| {name} | {middle:.2f} | {min(values):.2f} | {max(values):.2f} |")


if __name__ == "__main__":
    main()
