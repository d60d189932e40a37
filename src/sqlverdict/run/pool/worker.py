"""A worker process: takes chunks of tasks, sends back lines, says what it is running."""

from __future__ import annotations

import gc
import os
import signal
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path

from sqlverdict.execute.cache import AnswerCache
from sqlverdict.execute.engine import Limits
from sqlverdict.execute.query_runner import QueryRunner
from sqlverdict.records import Failure
from sqlverdict.run.pool.batches import Examine, in_batches
from sqlverdict.run.pool.heartbeat import Heartbeat
from sqlverdict.run.pool.inbox import ChunkQueue
from sqlverdict.run.task import Task

_HEADROOM = 1536 * 2**20


@dataclass(frozen=True)
class WorkerSetup:
    """All that a worker needs to begin."""

    examine: Examine
    engine: str
    limits: Limits
    open_cache: Callable[[], AnswerCache | None]
    pin: bool = False


def work(
    connection: Connection,
    other_end: Connection,
    heartbeat: Heartbeat,
    setup: WorkerSetup,
    known: Mapping[bytes, Failure],
) -> None:
    """The worker's life: chunks in, lines out, until the other end closes.

    Args:
        connection: To the coordinator.
        other_end: The coordinator's end of it.
        heartbeat: Says what is running.
        setup: What is done, and with what.
        known: Outcomes of queries that must not be tried again, by key.
    """
    # A forked worker holds the coordinator's end too, and would never hear that it is gone.
    other_end.close()
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _bound_memory(setup.limits)
    if setup.pin:
        _stay_on_one_core()
    # What was loaded before the first chunk will not become garbage.
    gc.freeze()
    # Rows are many and never in a cycle: looking through them for garbage is time lost.
    gc.set_threshold(100_000, 50, 100)
    desk = QueryRunner(setup.engine, setup.limits, setup.open_cache(), heartbeat, known)
    inbox: ChunkQueue[Task] = ChunkQueue(connection)
    try:
        for chunk in inbox:
            _work_on(chunk, connection, setup.examine, desk)
    except (BrokenPipeError, ConnectionResetError):
        # The coordinator is gone; there is nobody to report to.
        pass
    finally:
        desk.close()
    connection.close()


def _work_on(
    chunk: list[Task],
    connection: Connection,
    examine: Examine,
    desk: QueryRunner,
) -> None:
    for lines in in_batches(chunk, examine, desk):
        connection.send(lines)
    desk.flush()
    connection.send(None)


def _bound_memory(limits: Limits) -> None:
    """The last resort against an answer that does not fit: allocation fails, and is typed."""
    if sys.platform != "linux":
        return
    import resource

    mapped = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    most = mapped + limits.memory + 8 * limits.bytes + _HEADROOM
    _, hard = resource.getrlimit(resource.RLIMIT_AS)
    if hard != resource.RLIM_INFINITY:
        most = min(most, hard)
    resource.setrlimit(resource.RLIMIT_AS, (most, hard))


def _stay_on_one_core() -> None:
    if sys.platform != "linux":
        return
    cores = sorted(os.sched_getaffinity(0))
    os.sched_setaffinity(0, {cores[-1]})
