"""Ends queries that take too long, for engines that only another thread can stop.

One thread serves a session. It sleeps until the deadline of the query that it saw last, and looks
then whether that query still runs: thousands of short queries wake it up once.
"""

from __future__ import annotations

from collections.abc import Callable
from threading import Condition, Lock, Thread
from time import monotonic


class Deadline:
    """Stops what runs longer than it may.

    Args:
        seconds: How long a query may run.
        stop: Ends the query that runs; called from another thread, at most once a query.
    """

    def __init__(self, seconds: float, stop: Callable[[], None]) -> None:
        self._seconds = seconds
        self._stop = stop
        # By itself a lock takes a tenth of the time that its condition takes to lock it.
        self._lock = Lock()
        self._condition = Condition(self._lock)
        self._thread: Thread | None = None
        self._due: float | None = None
        self._closed = False
        self.late = False
        """Whether the last query was stopped."""

    def __enter__(self) -> None:
        """Start the clock of a query."""
        with self._lock:
            self.late = False
            self._due = monotonic() + self._seconds
            if self._thread is None:
                thread = Thread(target=self._watch, name="deadline", daemon=True)
                # A system that gives no more threads says so here: there is none to wait for then.
                thread.start()
                self._thread = thread

    def __exit__(self, *_: object) -> None:
        """The query is over; what was not stopped by now never is."""
        with self._lock:
            self._due = None

    def close(self) -> None:
        """End the thread."""
        with self._condition:
            self._closed = True
            self._condition.notify()
        if self._thread is not None:
            self._thread.join()

    def _watch(self) -> None:
        with self._condition:
            while not self._closed:
                if self._due is None:
                    # A query that begins in the meantime is due later than this.
                    self._condition.wait(self._seconds)
                    continue
                left = self._due - monotonic()
                if left > 0:
                    self._condition.wait(left)
                    continue
                self.late = True
                self._due = None
                self._stop()
