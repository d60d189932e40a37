"""Digests of files, for manifests; each file is read once while it stays the same."""

from __future__ import annotations

import hashlib
from pathlib import Path

from sqlverdict.files.sqlite import log_of

_memo: dict[tuple[str, int, int], str] = {}


def sha256_file(path: Path) -> str:
    """The SHA-256 of a file's bytes, in hexadecimal.

    Remembered for as long as the file keeps its size and its time of change, so that a run
    over many cases of one database reads it once.

    Raises:
        OSError: the file cannot be read.
    """
    state = path.stat()
    key = (str(path.absolute()), state.st_size, state.st_mtime_ns)
    if key not in _memo:
        with path.open("rb") as stream:
            _memo[key] = hashlib.file_digest(stream, "sha256").hexdigest()
    return _memo[key]


def database_digest(path: Path) -> str:
    """Digest of a SQLite file's bytes, and of its write-ahead log where there is one.

    Raises:
        OSError: the file cannot be read.
    """
    log = log_of(path)
    return sha256_file(path) + (f"+{sha256_file(log)}" if log is not None else "")
