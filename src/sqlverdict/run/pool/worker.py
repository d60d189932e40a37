"""A worker process: takes chunks of tasks, sends back lines, says what it is running."""

from __future__ import annotations

import gc
import os
import signal
import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from multiprocessing.connection import Connection
from queue import SimpleQueue
from threading import Thread
from time import monotonic
from typing import Any

from sqlverdict.execute.apart.process import bound_memory
from sqlverdict.execute.query_runner import QueryRunner
from sqlverdict.execute.servers.patience import learn
from sqlverdict.records import Failure
from sqlverdict.run.examine import Examiner
from sqlverdict.run.garbage import THRESHOLDS
from sqlverdict.run.pool.batches import Examine, in_batches
from sqlverdict.run.task import Task


class Heartbeat:
    """Shared memory in which a process says since when it has been running which query."""

    def __init__(self, context: Any) -> None:
        self._since = context.RawValue("d", 0.0)
        self._key = context.RawArray("c", 16)

    def __call__(self, key: bytes | None, more: float = 0.0) -> None:
        """A query begins (its key) or has ended (``None``).

        ``more`` seconds do not count: what is done has a budget of its own.
        """
        if key is None:
            self._since.value = 0.0
        else:
            self._key.raw = key
            self._since.value = monotonic() + more

    def running(self) -> tuple[bytes, float] | None:
        """The key of the running query and for how long it has been running."""
        since = self._since.value
        return (bytes(self._key.raw), monotonic() - since) if since else None


_OURS = {signal.SIGINT, signal.SIGTERM}
"""Signals that a worker treats otherwise than the coordinator."""


def work_on_chunks(
    connection: Connection,
    other_end: Connection,
    heartbeat: Heartbeat,
    examiner: Examiner,
    known: Mapping[bytes, Failure],
    servers: Iterable[str] = (),
) -> None:
    """The worker's life: chunks in, lines out, until the other end closes.

    Args:
        connection: To the coordinator.
        other_end: The coordinator's end of it.
        heartbeat: Says what is running.
        examiner: Examines the tasks by its plan.
        known: Outcomes of queries that must not be tried again, by key.
        servers: Those that have answered to the coordinator.
    """
    # A forked worker holds the coordinator's end too, and would never hear that it is gone.
    other_end.close()
    _reset_signals()
    learn(servers)
    plan = examiner.plan
    bound_memory(plan.limits)
    if plan.times:
        _stay_on_one_core()
    # What was loaded before the first chunk will not become garbage.
    gc.freeze()
    gc.set_threshold(*THRESHOLDS)
    runner = plan.open_runner(heartbeat, known)
    try:
        for chunk in ChunkQueue(connection):
            _work_on(chunk, connection, examiner, runner)
    except (BrokenPipeError, ConnectionResetError):
        # The coordinator is gone; there is nobody to report to.
        pass
    finally:
        runner.close()
        examiner.close()
    connection.close()


@contextmanager
def deferring_signals() -> Iterator[None]:
    """Start a worker: a signal that comes meanwhile waits until the worker has its own handlers."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, _OURS)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _reset_signals() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    # A forked worker has the coordinator's handler: one that raises may be lost in a callback.
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    if hasattr(signal, "pthread_sigmask"):
        signal.pthread_sigmask(signal.SIG_UNBLOCK, _OURS)


class ChunkQueue:
    """The chunks that a worker is given: a thread reads them until the giver ends or is gone.

    If nobody read while a chunk is worked on, a giver that hands over a bulky chunk and a worker
    that sends bulky lines would wait for each other for ever. And when the giver dies, the process
    ends at once, even inside a long opcode.

    Args:
        connection: Where chunks come from.
    """

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._chunks: SimpleQueue[list[Task] | None] = SimpleQueue()
        Thread(target=self._listen, daemon=True).start()

    def __iter__(self) -> Iterator[list[Task]]:
        """The chunks, in turn."""
        while (chunk := self._chunks.get()) is not None:
            yield chunk

    def _listen(self) -> None:
        chunk: list[Task] | None = []
        try:
            while chunk is not None:
                chunk = self._connection.recv()
                self._chunks.put(chunk)
        finally:
            # The giver is gone, or the chunk cannot be read: without chunks nobody would ever end.
            if chunk is not None:
                os._exit(1)


def _work_on(
    chunk: list[Task],
    connection: Connection,
    examine: Examine,
    runner: QueryRunner,
) -> None:
    for lines in in_batches(chunk, examine, runner):
        connection.send(lines)
    runner.flush()
    connection.send(None)


def _stay_on_one_core() -> None:
    if sys.platform != "linux":
        return
    cores = sorted(os.sched_getaffinity(0))
    os.sched_setaffinity(0, {cores[-1]})
