"""Threads that run queries for several readers, so that none waits for another one's query.

Each thread has a resource of its own, such as open databases, which it opens and closes itself. A
reader has one thread at a time; what else the reader asks for waits, up to a bound. Where all
threads are taken, or too much waits, the request is refused at once.
"""

from __future__ import annotations

import asyncio
from collections import Counter, defaultdict
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Generic, TypeVar

from sqlverdict.web.refusals import Busy

MOST_THREADS = 8
MOST_WAITING = 4
"""Requests of one reader that wait or run."""

R = TypeVar("R")
T = TypeVar("T")


class _WorkThread(Generic[R]):
    """One thread with its resource."""

    def __init__(self, open_resource: Callable[[], R], close_resource: Callable[[R], None]) -> None:
        self._open = open_resource
        self._close = close_resource
        self._resource: R | None = None
        self.thread = ThreadPoolExecutor(1, "queries")

    def work(self, work: Callable[..., T], arguments: tuple[Any, ...]) -> T:
        if self._resource is None:
            self._resource = self._open()
        return work(self._resource, *arguments)

    def close(self) -> None:
        if self._resource is not None:
            self._close(self._resource)


class WorkPool(Generic[R]):
    """Runs work for readers.

    Args:
        open_resource: Opens what the work of a thread needs, in that thread.
        close_resource: Closes it, in that thread.
        readers: How many readers there are; beyond :data:`MOST_THREADS` they share threads.
    """

    def __init__(
        self,
        open_resource: Callable[[], R],
        close_resource: Callable[[R], None],
        readers: int = 1,
    ) -> None:
        number = max(1, min(readers, MOST_THREADS))
        self._workers = [_WorkThread(open_resource, close_resource) for _ in range(number)]
        self._free = list(self._workers)
        self._requests: Counter[str] = Counter()
        self._turns: defaultdict[str, asyncio.Lock] = defaultdict(asyncio.Lock)

    async def run(self, reader: str, work: Callable[..., T], *arguments: Any) -> T:
        """The result of the work, whose first argument is the thread's resource.

        Raises:
            Busy: too much of this reader waits, or no thread is free.
        """
        if self._requests[reader] >= MOST_WAITING:
            raise Busy
        self._requests[reader] += 1
        try:
            async with self._turns[reader]:
                if not self._free:
                    raise Busy
                # The one used last has the most in memory.
                worker = self._free.pop()
                try:
                    loop = asyncio.get_running_loop()
                    return await loop.run_in_executor(worker.thread, worker.work, work, arguments)
                finally:
                    self._free.append(worker)
        finally:
            self._requests[reader] -= 1

    def close(self) -> None:
        """Wait for what runs, and close all resources."""
        for worker in self._workers:
            worker.thread.submit(worker.close)
        for worker in self._workers:
            worker.thread.shutdown()
