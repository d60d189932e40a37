"""How fast calls may start: so many a minute, and not while the server asks for a pause.

Starts are spread evenly. A burst of a minute's calls in its first second is within the letter
of a limit, but servers measure over shorter stretches and refuse it.
"""

from __future__ import annotations

import threading
import time
from typing import Protocol


class Clock(Protocol):
    """Time, as this package needs it; tests bring their own."""

    def now(self) -> float:
        """Seconds that never run backwards."""
        ...

    def wait(self, seconds: float, stop: threading.Event) -> None:
        """Sleep, at most until ``stop`` is set."""
        ...


class RealClock:
    """The machine's clock."""

    def now(self) -> float:
        """Seconds that never run backwards."""
        return time.monotonic()

    def wait(self, seconds: float, stop: threading.Event) -> None:
        """Sleep, at most until ``stop`` is set."""
        stop.wait(seconds)


class Pace:
    """Lets calls start one after the other at a given rate. Threads may share it.

    Args:
        per_minute: The most starts a minute; ``None``: no limit but the server's pauses.
        clock: The clock.
        stop: Set when waiting is pointless.
    """

    def __init__(
        self,
        per_minute: float | None,
        clock: Clock | None = None,
        stop: threading.Event | None = None,
    ) -> None:
        self._gap = 60.0 / per_minute if per_minute else 0.0
        self._clock = clock or RealClock()
        self._stop = stop or threading.Event()
        self._lock = threading.Lock()
        self._next = self._clock.now()

    def hold(self, seconds: float) -> None:
        """Let nothing start for so long: the server asked for it."""
        with self._lock:
            self._next = max(self._next, self._clock.now() + seconds)

    def take_turn(self) -> bool:
        """Wait for a turn and take it; false where there is no point any more."""
        while not self._stop.is_set():
            with self._lock:
                now = self._clock.now()
                wait = self._next - now
                if wait <= 0:
                    self._next = now + self._gap
                    return True
            # A pause may be announced while we sleep, so the turn is taken after it, not before.
            self._clock.wait(wait, self._stop)
        return False
