"""Digests of files, for manifests; each file is read once while it stays the same."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable
from io import FileIO
from pathlib import Path
from typing import NamedTuple

from sqlverdict.files.regular import descriptor_of
from sqlverdict.files.sqlite import log_of

_HEADER = 100
"""SQLite counts its changes in there; the head of a write-ahead log has salts."""
_ATTEMPTS = 3
_memo: dict[tuple[int, int], tuple[_FileState, str]] = {}
"""The digest of each file with its state then, by device and inode."""


class _FileState(NamedTuple):
    """What tells, without reading a file, that it was changed.

    A writer may set the size and the time of change back; not the time of the inode's change,
    and not SQLite's change counter. Clocks of file systems are coarse, so neither is enough.
    """

    device: int
    inode: int
    size: int
    modified: int
    changed: int
    header: bytes


def sha256_file(path: Path) -> str:
    """The SHA-256 of a file's bytes, in hexadecimal.

    Remembered for as long as nothing shows that the file was changed, so that a run over many
    cases of one database reads it once.

    Raises:
        OSError: the file cannot be read, or is a pipe.
    """
    # Asked for every pair: a descriptor is opened faster than a stream.
    descriptor = descriptor_of(path)
    try:
        state = _state(descriptor)
        known = _memo.get(state[:2])
        if known is not None and known[0] == state:
            return known[1]
        with FileIO(descriptor, closefd=False) as stream:
            for _ in range(_ATTEMPTS):
                stream.seek(0)
                digest = hashlib.file_digest(stream, "sha256").hexdigest()
                stream.seek(0)
                before, state = state, _state(descriptor)
                if before == state:
                    _memo[state[:2]] = (state, digest)
                    break
        return digest
    finally:
        os.close(descriptor)


def sha256_files(paths: Iterable[Path]) -> str:
    """One digest of several files, their names and their order."""
    digest = hashlib.sha256()
    for path in paths:
        digest.update(f"{path.name} {sha256_file(path)}\n".encode("utf-8", "backslashreplace"))
    return digest.hexdigest()


def database_digest(path: Path) -> str:
    """Digest of a SQLite file's bytes, and of its write-ahead log where there is one.

    Raises:
        OSError: the file cannot be read.
    """
    log = log_of(path)
    return sha256_file(path) + (f"+{sha256_file(log)}" if log is not None else "")


def _state(descriptor: int) -> _FileState:
    """The state of an open file that stands at its beginning."""
    seen = os.fstat(descriptor)
    return _FileState(
        seen.st_dev,
        seen.st_ino,
        seen.st_size,
        seen.st_mtime_ns,
        seen.st_ctime_ns,
        os.read(descriptor, _HEADER),
    )
