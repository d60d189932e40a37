"""How long a test waits. A busy machine must not turn a test red, so limits are generous."""

from __future__ import annotations

import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from time import process_time, sleep

HANG_SECONDS = 600
"""After so many seconds something hangs, and is not merely slow: a guard, not an assertion."""

_POLL_SECONDS = 0.01


def wait_until(condition: Callable[[], bool]) -> bool:
    """Wait for something that happens soon or never, and return whether it happened."""
    for _ in range(int(HANG_SECONDS / _POLL_SECONDS)):
        if condition():
            return True
        sleep(_POLL_SECONDS)
    return condition()


@contextmanager
def cpu_limit(seconds: float) -> Iterator[None]:
    """Fail work that needs more CPU time; other processes do not count.

    For work that must not explode: set the limit far above what the work needs.
    """

    def stop(_signal: int, _frame: object) -> None:
        raise TimeoutError(f"more than {seconds:g} s of CPU time")

    start = process_time()
    if sys.platform == "win32":
        yield
    else:
        before = signal.signal(signal.SIGVTALRM, stop)
        signal.setitimer(signal.ITIMER_VIRTUAL, seconds)
        try:
            yield
        finally:
            signal.setitimer(signal.ITIMER_VIRTUAL, 0)
            signal.signal(signal.SIGVTALRM, before)
    if process_time() - start >= seconds:
        raise TimeoutError(f"more than {seconds:g} s of CPU time")


@contextmanager
def fail_on_hang() -> Iterator[None]:
    """Fail a test that hangs instead of stopping the suite."""

    def stop(_signal: int, _frame: object) -> None:
        raise TimeoutError("the test hangs")

    before = signal.signal(signal.SIGALRM, stop)
    signal.alarm(HANG_SECONDS)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)
