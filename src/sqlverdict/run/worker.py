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
from queue import SimpleQueue
from threading import Thread
from time import monotonic
from typing import Any

from sqlverdict.execute.cache import AnswerCache
from sqlverdict.execute.desk import Desk
from sqlverdict.execute.engine import Limits
from sqlverdict.records import Failure
from sqlverdict.run.batches import Examine, in_batches
from sqlverdict.run.task import Task

_HEADROOM = 1536 * 2**20


@dataclass(frozen=True)
class Setup:
    """All that a worker needs to begin."""

    examine: Examine
    engine: str
    limits: Limits
    open_cache: Callable[[], AnswerCache | None]
    pin: bool = False


class Beat:
    """Shared memory in which a worker says since when it has been running which query."""

    def __init__(self, context: Any) -> None:
        self._since = context.RawValue("d", 0.0)
        self._key = context.RawArray("c", 16)

    def __call__(self, key: bytes | None) -> None:
        """A query begins (its key) or has ended (``None``)."""
        if key is None:
            self._since.value = 0.0
        else:
            self._key.raw = key
            self._since.value = monotonic()

    def running(self) -> tuple[bytes, float] | None:
        """The key of the running query and for how long it has been running."""
        since = self._since.value
        return (bytes(self._key.raw), monotonic() - since) if since else None

    def clear(self) -> None:
        """Nothing is running any more."""
        self._since.value = 0.0


def work(
    connection: Connection,
    other_end: Connection,
    beat: Beat,
    setup: Setup,
    known: Mapping[bytes, Failure],
) -> None:
    """The worker's life: chunks in, lines out, until the other end closes."""
    # A forked worker holds the coordinator's end too, and would never hear that it is gone.
    other_end.close()
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _bound_memory(setup.limits)
    if setup.pin:
        _stay_on_one_core()
    desk = Desk(setup.engine, setup.limits, setup.open_cache(), beat, known)
    # What was loaded before the first chunk will not become garbage.
    gc.freeze()
    # Rows are many and never in a cycle: looking through them for garbage is time lost.
    gc.set_threshold(100_000, 50, 100)
    inbox: SimpleQueue[list[Task] | None] = SimpleQueue()
    Thread(target=_listen, args=(connection, inbox), daemon=True).start()
    try:
        while (chunk := inbox.get()) is not None:
            _work_on(chunk, connection, setup.examine, desk)
    except (BrokenPipeError, ConnectionResetError):
        # The coordinator is gone; there is nobody to report to.
        pass
    finally:
        desk.close()
    connection.close()


def _listen(connection: Connection, inbox: SimpleQueue[list[Task] | None]) -> None:
    """Take chunks as they come.

    If nobody read here while a chunk is worked on, a coordinator that hands over a bulky chunk
    and a worker that sends bulky lines would wait for each other for ever. And when the
    coordinator dies, the worker ends at once, even inside a long opcode.
    """
    chunk: list[Task] | None = []
    try:
        while chunk is not None:
            chunk = connection.recv()
            inbox.put(chunk)
    except (EOFError, OSError):
        os._exit(1)


def _work_on(chunk: list[Task], connection: Connection, examine: Examine, desk: Desk) -> None:
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
