"""JSON with a checksum as its last field: what was changed afterwards is noticed.

Files that are written at once are one object; the checksum covers the fields and their values, not
the white space between them. Files that only grow have a line for each object, which is on the disk
when it counts. A line that was not written to its end (power cut, kill -9) is dropped when the file
is opened to append. A line whose checksum does not fit was changed; its reader refuses it.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from contextlib import suppress
from hashlib import blake2b
from pathlib import Path
from typing import Any, BinaryIO

import msgspec

from sqlverdict.files.atomic import name_file, sync_folder, write_at_once

_FIELD = "checksum"
_MARK = b',"checksum":"'
_HEX = 16


def write_sealed_json(path: Path, content: Mapping[str, Any]) -> None:
    """Write a JSON object with its checksum, in one step.

    Raises:
        OSError: it cannot be written.
    """
    # Read back first: what is checked later are the plain values of the file.
    plain = msgspec.json.decode(msgspec.json.encode(content))
    plain.pop(_FIELD, None)
    sealed = plain | {_FIELD: _checksum(msgspec.json.encode(plain)).decode()}
    write_at_once(path, msgspec.json.format(msgspec.json.encode(sealed), indent=2) + b"\n")


def seal_fits(content: bytes) -> bool:
    """Whether a JSON object is as it was written; one without a checksum is not.

    Raises:
        msgspec.DecodeError: it is not a JSON object.
    """
    plain = msgspec.json.decode(content, type=dict[str, Any])
    checksum = plain.pop(_FIELD, None)
    return bool(checksum == _checksum(msgspec.json.encode(plain)).decode())


def seal_line(body: bytes) -> bytes:
    """A JSON object as a line: its checksum as the last field, and a line feed."""
    return b'%b%b%b"}\n' % (body[:-1], _MARK, _checksum(body[:-1]))


def has_seal(line: bytes) -> bool:
    """Whether a line has a checksum."""
    return _MARK in line


def is_intact(line: bytes) -> bool:
    """Whether a line with a checksum is as it was sealed."""
    text = line.rstrip(b"\r\n")
    end = len(text) - _HEX - len(_MARK) - 2
    return end > 0 and text[end:] == _MARK + _checksum(text[:end]) + b'"}'


def _checksum(text: bytes) -> bytes:
    return blake2b(text, digest_size=_HEX // 2).hexdigest().encode()


class AppendFile:
    """A file to which lines are appended, each on the disk before :meth:`append` returns.

    Raises:
        OSError: it cannot be opened or written.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        is_new = not path.exists()
        self._file: BinaryIO = path.open("a+b", buffering=0)
        try:
            self._end = self._whole_lines()
            self._file.truncate(self._end)
        except BaseException:
            # Whatever it was, Ctrl-C included, it is raised on; the file is closed.
            self._file.close()
            raise
        if is_new:
            sync_folder(path.parent)

    def _whole_lines(self) -> int:
        self._file.seek(0)
        content = self._file.read()
        return content.rfind(b"\n") + 1

    def append(self, line: bytes, *, lasting: bool = True) -> None:
        """Add one line, and wait until the disk has it.

        Args:
            line: The line.
            lasting: Whether to wait. A process that is killed loses no line either way.

        Raises:
            OSError: it was not saved; the file is as it was.
        """
        try:
            view = memoryview(line)
            while view:
                view = view[self._file.write(view) :]
            if lasting:
                os.fsync(self._file.fileno())
        except OSError as error:
            with suppress(OSError):
                self._file.truncate(self._end)
            name_file(error, self.path)
            raise
        self._end += len(line)

    def close(self) -> None:
        """Close the file."""
        self._file.close()
