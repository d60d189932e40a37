"""A lock on a folder or a file that one process at a time may write to.

The lock is the operating system's (``flock``), so that it ends with its process, however that
ends. Where there is none, a file with the holder's name stands for it, and is taken over where
its holder is gone.
"""

from __future__ import annotations

import json
import os
import socket
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from types import ModuleType
from typing import Any

from sqlverdict.errors import OptionName, UsageError
from sqlverdict.files.atomic import name_file

fcntl: ModuleType | None
try:
    import fcntl
except ImportError:  # pragma: no cover - not on Windows
    fcntl = None

LOCK = "run.lock"
"""The name of the lock file."""

_ours: set[int] = set()


class Locked(Exception):
    """Somebody else holds the lock; the text says who."""


class FolderLock:
    """Holds a folder until it is released, or the process ends.

    Args:
        folder: The folder, which exists.
        name: The name of the lock file in it; a file of its own has a lock of its own.

    Raises:
        Locked: another process, or another object of this one, holds it.
        OSError: the folder cannot be written to.
    """

    def __init__(self, folder: Path, name: str = LOCK) -> None:
        self.path = folder / name
        self._process = os.getpid()
        self._handle = self._take()

    def _take(self) -> int:
        while True:
            handle = os.open(self.path, os.O_RDWR | os.O_CREAT, 0o644)
            is_ours = False
            try:
                self._hold(handle)
                # Its last holder may have removed the file between our two steps.
                is_ours = _same_file(handle, self.path)
                if is_ours:
                    _write_holder(handle)
                    _ours.add(handle)
                    return handle
            except BaseException as error:
                # Whatever it was, Ctrl-C included, it is raised on; no handle stays open, and no
                # empty file on a full disk.
                if is_ours:
                    with suppress(OSError):
                        self.path.unlink(missing_ok=True)
                os.close(handle)
                if isinstance(error, OSError):
                    name_file(error, self.path)
                raise
            os.close(handle)

    def _hold(self, handle: int) -> None:
        if fcntl is not None:
            try:
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                raise Locked(_holder_text(_read_holder(self.path))) from None
            except OSError:
                # This file system has no locks; the name in the file has to do.
                self._ask_holder()
        else:  # pragma: no cover - not on Windows
            self._ask_holder()

    def _ask_holder(self) -> None:
        holder = _read_holder(self.path)
        if holder and not _is_gone(holder):
            raise Locked(_holder_text(holder))

    def release(self) -> None:
        """Release the lock."""
        # A forked worker has a copy of this object, and not the lock.
        if self._handle < 0 or self._process != os.getpid():
            return
        handle, self._handle = self._handle, -1
        _ours.discard(handle)
        try:
            with suppress(OSError):
                self.path.unlink(missing_ok=True)
        finally:
            os.close(handle)


@contextmanager
def writing_folder(folder: Path) -> Iterator[None]:
    """Hold a folder that a command writes to; it is made where it is missing.

    Raises:
        UsageError: another process is writing to it.
        OSError: it cannot be written to.
    """
    folder.mkdir(parents=True, exist_ok=True)
    with _holding(folder, LOCK, folder):
        yield


@contextmanager
def writing_file(path: Path) -> Iterator[None]:
    """Hold a file that a command writes to for long; its folder is made where it is missing.

    Raises:
        UsageError: another process is writing to it.
        OSError: it cannot be written to.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    with _holding(path.parent, f"{path.name}.lock", path):
        yield


@contextmanager
def _holding(folder: Path, name: str, what: Path) -> Iterator[None]:
    try:
        lock = FolderLock(folder, name)
    except Locked as holder:
        raise UsageError(
            f"{what} is being written to by {holder}. Wait until it is done, stop it, or give "
            "another ",
            OptionName("out"),
            ".",
        ) from None
    try:
        yield
    finally:
        lock.release()


def _same_file(handle: int, path: Path) -> bool:
    try:
        return os.path.samestat(os.fstat(handle), path.stat())
    except FileNotFoundError:
        return False


def _write_holder(handle: int) -> None:
    holder = {"pid": os.getpid(), "host": socket.gethostname()}
    os.ftruncate(handle, 0)
    os.lseek(handle, 0, os.SEEK_SET)
    os.write(handle, json.dumps(holder).encode())


def _read_holder(path: Path) -> dict[str, Any]:
    try:
        holder = json.loads(path.read_text("utf-8"))
    except (OSError, ValueError):
        return {}
    return holder if isinstance(holder, dict) else {}


def _holder_text(holder: dict[str, Any]) -> str:
    if not holder:
        return "another process"
    return f"process {holder.get('pid')} on {holder.get('host')}"


def _is_gone(holder: dict[str, Any]) -> bool:
    """Whether the process that wrote its name is no more; of another machine nothing is known."""
    if holder.get("host") != socket.gethostname():
        return False
    try:
        os.kill(int(holder["pid"]), 0)
    except ProcessLookupError:
        return True
    except (OSError, ValueError, KeyError, TypeError):
        return False
    return int(holder["pid"]) == os.getpid()


def _forget() -> None:
    """A forked worker must not keep its parent's locks alive."""
    for handle in _ours:
        with suppress(OSError):
            os.close(handle)
    _ours.clear()


if sys.platform != "win32":
    os.register_at_fork(after_in_child=_forget)
