"""Write a file in one step: a reader, and a machine that stops, see the old or the new one."""

from __future__ import annotations

import errno
import os
import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import get_ident
from typing import BinaryIO

PART = ".part"
"""How the name of a file that is not finished ends."""
_WHILE_WRITING = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO)
"""What goes wrong when a file is open already."""
_OURS = re.compile(rf".+\.\d+-\d+{re.escape(PART)}", re.DOTALL)
"""The names that :func:`replacing_path` gives; other programs have parts of their own."""


@contextmanager
def replacing(path: Path, *, lasting: bool = True, private: bool = False) -> Iterator[BinaryIO]:
    """A file to be written that takes the place of ``path`` when the block ends without an error.

    Args:
        path: The file.
        lasting: Whether to wait until the disk has it. Many small files that can be made again
            need not.
        private: Whether its owner alone may read it.

    Raises:
        OSError: it cannot be written; ``path`` is as it was.
    """
    rights = 0o600 if private else 0o666
    with (
        replacing_path(path) as part,
        open(part, "wb", opener=lambda name, flags: os.open(name, flags, rights)) as stream,
    ):
        yield stream
        if lasting:
            stream.flush()
            os.fsync(stream.fileno())
    if lasting:
        sync_folder(path.parent)


@contextmanager
def replacing_path(path: Path) -> Iterator[Path]:
    """The same for writers that want a path: SQLite, or a text in an encoding.

    Raises:
        OSError: it cannot be written; ``path`` is as it was.
    """
    part = path.with_name(f"{path.name}.{os.getpid()}-{get_ident()}{PART}")
    try:
        yield part
        part.replace(path)
    except BaseException as error:
        # Whatever it was, Ctrl-C included, it is raised on; only the half-written file goes.
        with suppress(OSError):
            part.unlink(missing_ok=True)
        if isinstance(error, OSError):
            # The caller knows the file, not the temporary one.
            if error.filename == str(part):
                error.filename = str(path)
            if error.filename2 == str(part):
                error.filename2 = str(path)
            name_file(error, path)
        raise


def name_file(error: OSError, path: Path) -> None:
    """Say which file could not be written; an open file does not know its name."""
    if error.filename is None and error.errno in _WHILE_WRITING:
        error.filename = str(path)


def write_at_once(
    path: Path, content: bytes, *, lasting: bool = True, private: bool = False
) -> None:
    """Write a whole file in one step; see :func:`replacing`."""
    with replacing(path, lasting=lasting, private=private) as stream:
        stream.write(content)


def write_text_at_once(path: Path, text: str, *, errors: str = "strict") -> None:
    """Write a text in one step that can be made again; see :func:`replacing`."""
    write_at_once(path, text.encode("utf-8", errors), lasting=False)


def copy_at_once(source: Path, target: Path) -> None:
    """Copy a file; ``target`` is whole, or as it was."""
    with replacing_path(target) as part:
        shutil.copyfile(source, part)


def is_part(path: Path) -> bool:
    """Whether a file is a half-written one of ours, by its name."""
    return _OURS.fullmatch(path.name) is not None


def remove_parts(folder: Path) -> None:
    """Remove what earlier processes left half-written in a folder."""
    for part in folder.glob(f"*{PART}"):
        if is_part(part):
            with suppress(OSError):
                part.unlink()


def sync_folder(folder: Path) -> None:
    """Make a renaming last; systems that cannot do it do without."""
    if os.name != "posix":
        return
    with suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
