"""Many things at once, on a bounded number of threads, and stopped cleanly by Ctrl-C.

Threads fit here: nearly all their time is waiting for a server. They are daemons, so that a
thread that waits for a slow server never keeps the program from ending; whatever a reply
brings is stored by the thread itself, the moment it arrives.
"""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable, Generator, Iterable, Iterator
from typing import Generic, TypeVar

T = TypeVar("T")
R = TypeVar("R")

_POLL = 0.2  # so that Ctrl-C is seen where waiting cannot be interrupted (Windows)


def work_all(
    work: Callable[[T], R],
    items: Iterable[T],
    concurrency: int,
    *,
    grace: float = 10.0,
    on_interrupt: Callable[[], object] | None = None,
) -> Generator[tuple[int, R], None, None]:
    """Each item's number and what ``work`` makes of it, in the order they are done.

    An exception in ``work`` is raised here. Ctrl-C begins nothing new, gives what has begun
    ``grace`` seconds to end, and is raised; a second Ctrl-C does not wait.

    Args:
        work: Called on threads, several at a time.
        items: Read as needed.
        concurrency: How many threads.
        grace: Seconds for what has begun to end when the caller leaves early.
        on_interrupt: Called when an exception, such as Ctrl-C, ends the work early.
    """
    pool = _ThreadPool(work, concurrency)
    try:
        yield from pool.run(items)
    except BaseException as error:
        pool.over.set()
        if on_interrupt is not None and not isinstance(error, GeneratorExit):
            on_interrupt()
        pool.wait(grace)
        raise
    finally:
        pool.close()


class _ThreadPool(Generic[T, R]):
    """Threads that take numbered items from one queue and put results on another."""

    def __init__(self, work: Callable[[T], R], size: int) -> None:
        self.over = threading.Event()
        self._work = work
        self._size = size
        self._todo: queue.SimpleQueue[tuple[int, T] | None] = queue.SimpleQueue()
        self._done: queue.SimpleQueue[tuple[int, R | BaseException]] = queue.SimpleQueue()
        self._threads: list[threading.Thread] = []
        self._busy = 0
        self._idle = threading.Condition()

    def run(self, items: Iterable[T]) -> Iterator[tuple[int, R]]:
        """Results as they come; items are taken so that every thread has one and one waits."""
        source = enumerate(items)
        started = finished = 0
        exhausted = False
        while not exhausted or finished < started:
            while not exhausted and started - finished < 2 * self._size:
                item = next(source, None)
                if item is None:
                    exhausted = True
                    break
                started += 1
                self._todo.put(item)
                if len(self._threads) < min(self._size, started):
                    self._start_thread()
            if finished < started:
                number, result = self._next_done()
                finished += 1
                if isinstance(result, BaseException):
                    raise result
                yield number, result

    def wait(self, seconds: float) -> None:
        """Until every thread is idle, or the time is up."""
        with self._idle:
            self._idle.wait_for(lambda: self._busy == 0, seconds)

    def close(self) -> None:
        """Nothing more to do."""
        self.over.set()
        for _ in self._threads:
            self._todo.put(None)

    def _next_done(self) -> tuple[int, R | BaseException]:
        while True:
            try:
                return self._done.get(timeout=_POLL)
            except queue.Empty:
                continue

    def _start_thread(self) -> None:
        thread = threading.Thread(
            target=self._serve, name=f"sqlverdict-{len(self._threads)}", daemon=True
        )
        self._threads.append(thread)
        thread.start()

    def _serve(self) -> None:
        while (item := self._todo.get()) is not None:
            with self._idle:
                if self.over.is_set():
                    return
                self._busy += 1
            number, thing = item
            result: R | BaseException
            try:
                result = self._work(thing)
            except BaseException as error:  # noqa: BLE001 - carried to the caller, who raises it
                result = error
            finally:
                with self._idle:
                    self._busy -= 1
                    self._idle.notify_all()
            self._done.put((number, result))
