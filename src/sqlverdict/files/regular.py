"""Files that users name: opened only where they are files.

To open a pipe waits until somebody writes to it, for ever if need be; a device may never end.
"""

from __future__ import annotations

import errno
import os
import stat
from io import FileIO
from pathlib import Path

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


def open_regular(path: Path) -> FileIO:
    """The same as a stream of bytes."""
    return FileIO(descriptor_of(path))
