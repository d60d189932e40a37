"""How long a test waits: for ever, nearly. A busy machine must not turn a test red."""

from __future__ import annotations

import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from time import process_time, sleep

PATIENCE = 600
"""Seconds after which something hangs, and is not merely slow: a guard, not an assertion."""

LOOK_EVERY = 0.01


def wait_until(true: Callable[[], bool]) -> bool:
    """Wait for something that happens soon or never; whether it happened."""
    for _ in range(int(PATIENCE / LOOK_EVERY)):
        if true():
            return True
        sleep(LOOK_EVERY)
    return true()


@contextmanager
def processor_time(seconds: float) -> Iterator[None]:
    """Fail what needs more time of the processor, which no other process takes part in.

    For work that must not explode: the limit is far above what the work needs.
    """

    def stop(_signal: int, _frame: object) -> None:
        raise TimeoutError(f"more than {seconds:g} s of the processor's time")

    began = process_time()
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
    assert process_time() - began < seconds


@contextmanager
def no_endless_wait() -> Iterator[None]:
    """A deadlock fails the test instead of stopping the suite."""

    def stop(_signal: int, _frame: object) -> None:
        raise TimeoutError("the run hangs")

    before = signal.signal(signal.SIGALRM, stop)
    signal.alarm(PATIENCE)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)
