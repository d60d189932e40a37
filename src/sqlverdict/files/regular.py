"""Files that users name: opened only where they are files.

To open a pipe waits until somebody writes to it, for ever if need be; a device may never end.
"""

from __future__ import annotations

import errno
import os
import stat
from io import FileIO
from pathlib import Path
from typing import Literal

from sqlverdict.error_reasons import DatabaseReason

NOT_REGULAR = "it is a pipe, a socket or a device, not a file"
_FLAGS = os.O_RDONLY | getattr(os, "O_BINARY", 0) | getattr(os, "O_NONBLOCK", 0)
"""Windows reads text otherwise, and has no pipes among its files."""


def descriptor_of(path: Path) -> int:
    """An open file, for reading.

    Raises:
        OSError: it cannot be read, or is no file.
    """
    descriptor = os.open(path, _FLAGS)
    kind = os.fstat(descriptor).st_mode
    if stat.S_ISREG(kind):
        return descriptor
    os.close(descriptor)
    if stat.S_ISDIR(kind):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
    raise OSError(errno.EINVAL, NOT_REGULAR, str(path))


def why_unread(error: Exception) -> Literal["missing", "unreadable"]:
    """Why a file could not be read, by what opening or reading it raised."""
    is_missing = isinstance(error, FileNotFoundError | NotADirectoryError)
    return "missing" if is_missing else "unreadable"


def os_reason(error: OSError) -> DatabaseReason:
    """Why a database's file cannot be used, by what the system says."""
    # ENXIO: a socket.
    is_other = error.errno in (errno.EISDIR, errno.ENXIO) or error.strerror == NOT_REGULAR
    return "not_a_database" if is_other else why_unread(error)


def open_regular(path: Path) -> FileIO:
    """The same as a stream of bytes."""
    return FileIO(descriptor_of(path))
