"""Who is asking what right now, so that one question is never paid for twice at the same time.

Within a process a set is enough. Between processes a claim is a lock on one byte of a file
beside the cache, the byte that the content address names: the system lets go of it when its
process ends, however it ends, so that a killed run blocks nobody. Where the system has no such
locks (Windows), only the threads of one process are kept apart.
"""

from __future__ import annotations

import contextlib
import os
import threading
from pathlib import Path

try:
    import fcntl
except ImportError:  # pragma: no cover - Windows
    fcntl = None  # type: ignore[assignment]

_HEX_DIGITS = 15  # 60 bits: the largest offset a lock may have is below 2**63


class Claims:
    """The claims of this process.

    Args:
        path: The lock file; made where it is missing. ``None``: this process only.
    """

    def __init__(self, path: Path | None = None) -> None:
        self._addresses: set[str] = set()
        self._changed = threading.Condition()
        self._file = None
        if path is not None and fcntl is not None:
            path.parent.mkdir(parents=True, exist_ok=True)
            # One descriptor for good: closing any descriptor of a file drops all its locks.
            self._file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)

    def take(self, address: str, wait: float, stop: threading.Event) -> bool:
        """Claim an address; false where it is still somebody else's after about ``wait`` seconds.

        Args:
            address: What is claimed.
            wait: How long to wait before the caller had better look for a reply.
            stop: Ends the waiting.
        """
        with self._changed:
            if not self._changed.wait_for(lambda: address not in self._addresses, wait):
                return False
            self._addresses.add(address)
        if self._lock(address):
            return True
        self.release(address)
        stop.wait(wait)
        return False

    def release(self, address: str) -> None:
        """Let go of an address."""
        self._unlock(address)
        with self._changed:
            self._addresses.discard(address)
            self._changed.notify_all()

    def _lock(self, address: str) -> bool:
        if self._file is None:
            return True
        try:
            # Never wait inside the lock: the system takes two processes whose threads wait for
            # each other's other claims for a deadlock.
            fcntl.lockf(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB, 1, _byte(address))
        except (BlockingIOError, PermissionError):
            return False
        except OSError:
            # A file system without locks: better two calls than none.
            return True
        return True

    def _unlock(self, address: str) -> None:
        if self._file is not None:
            with contextlib.suppress(OSError):
                fcntl.lockf(self._file, fcntl.LOCK_UN, 1, _byte(address))

    def close(self) -> None:
        """Let go of everything."""
        if self._file is not None:
            os.close(self._file)
            self._file = None


def _byte(address: str) -> int:
    return int(address[:_HEX_DIGITS], 16)
