"""How the work of a run grows with the actors of a Ray cluster.

The load is made up: in place of its queries an actor waits 20 ms for each case, so that the figures
show what the driver and Ray cost, on a machine with fewer cores than actors too. Chunks, messages
and the order of work are those of a run.

Run: ``python bench/ray_pool.py [--cases N]``; needs ``sqlverdict[ray]``.
"""

from __future__ import annotations

import argparse
import time
from dataclasses import replace

import ray

from sqlverdict.records import Case, Prediction
from sqlverdict.report.terminal.tables import plain_table, table
from sqlverdict.run.examine import Examiner
from sqlverdict.run.options import Options
from sqlverdict.run.outcome import LogLine
from sqlverdict.run.plan import RunPlan, plan_run
from sqlverdict.run.pool import ray_pool
from sqlverdict.run.task import Task

ACTORS = (1, 2, 4, 8)
SECONDS = 0.02


class WaitingActor(ray_pool.Actor):
    """Waits, and gives a line of usual length."""

    def __init__(self, plan: RunPlan, systems: int) -> None:  # noqa: ARG002
        self._plan = plan

    def work(self, tasks: list[Task], *_: object) -> ray_pool.ChunkResult:
        """Wait for each task."""
        lines = []
        for task in tasks:
            time.sleep(SECONDS)
            lines.append(LogLine(task.system, task.index, b"x" * 800))
        return ray_pool.ChunkResult(list(lines), 0)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cases", type=int, default=1_600)
    count = parser.parse_args().cases
    ray.init(num_cpus=max(ACTORS), include_dashboard=False, log_to_driver=False)
    ray_pool.Actor = WaitingActor  # type: ignore[misc]
    tasks = [
        Task(0, index, Case(str(index), "shop", "?", ("SELECT 1",)), Prediction("x", "SELECT 1"))
        for index in range(count)
    ]
    plan = plan_run(Options(on="ray"))
    lines = []
    alone = 0.0
    for actors in ACTORS:
        pool = ray_pool.RayPool(Examiner(replace(plan, workers=actors)))
        began = 0.0
        done = 0
        for batch in pool.run(tasks):
            # The clock starts when all actors have: to start them is no part of the work.
            if began:
                done += len(batch)
            elif not pool._starting:
                began = time.monotonic()
        rate = done / (time.monotonic() - began)
        alone = alone or rate
        lines.append((str(actors), f"{rate:.0f}", f"{rate / alone:.2f}"))
    ray.shutdown()
    print(f"{count} cases that wait {1_000 * SECONDS:g} ms each")
    print(plain_table(table(("actors", "cases a second", "times one actor"), lines)))


if __name__ == "__main__":
    main()
