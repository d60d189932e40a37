"""How a process says which query it is running, to those who may have to end it."""

from __future__ import annotations

from time import monotonic
from typing import Any


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
