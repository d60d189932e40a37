"""Works on cases in this process.

For notebooks, trainers and tests: nothing to start, and anything may be passed in. Queries
are stopped by the engine's own limits; there is no process to kill behind them.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable

from sqlverdict.execute.desk import Desk
from sqlverdict.run.task import Done, Finding, Task, chunks, done

Examine = Callable[[Task, Desk], bytes | Finding]
"""Works on one task; returns its line, or a finding for the coordinator. Never raises."""


def run_here(
    tasks: Iterable[Task], examine: Examine, desk: Desk
) -> Generator[list[Done], None, None]:
    """Work on all tasks; yields what is done in batches, and closes the desk at the end."""
    try:
        for chunk in chunks(tasks):
            yield [done(task, examine(task, desk)) for task in chunk]
            desk.flush()
    finally:
        desk.close()
