"""Works on cases in this process.

For notebooks, trainers and tests: nothing to start, and anything may be passed in. Queries
are stopped by the engine's own limits; there is no process to kill behind them.
"""

from __future__ import annotations

from collections.abc import Generator, Iterable
from itertools import chain

from sqlverdict.execute.query_runner import QueryRunner
from sqlverdict.run.outcome import Done, done
from sqlverdict.run.pool.batches import Examine, in_batches
from sqlverdict.run.task import Task, chunks


def run_here(
    tasks: Iterable[Task], examine: Examine, runner: QueryRunner
) -> Generator[list[Done], None, None]:
    """Work on all tasks; yields what is done in batches, and closes the runner at the end."""
    try:
        for chunk in chunks(tasks):
            lines = chain.from_iterable(in_batches(chunk, examine, runner))
            yield [done(task, each) for task, each in zip(chunk, lines, strict=True)]
            runner.flush()
    finally:
        runner.close()
