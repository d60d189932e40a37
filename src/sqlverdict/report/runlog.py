"""The run log: ``results.jsonl``, one line a case, written as cases finish.

While a run goes on, lines are appended in the order of finishing; a torn last line (power
cut, kill -9) is dropped when the log is opened again, and its case is evaluated anew. When
the run is done the lines are put into the order of the cases, in a new file that replaces
the old one at once.
"""

from __future__ import annotations

import os
from array import array
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, BinaryIO

import msgspec

from sqlverdict.errors import RunLogError
from sqlverdict.records import RESULT_SCHEMA, Result

RESULTS = "results.jsonl"

_encode = msgspec.json.Encoder().encode
_decode = msgspec.json.Decoder(Result).decode
_NOWHERE = 2**64 - 1


class _Place(msgspec.Struct):
    index: int
    schema: int


_place = msgspec.json.Decoder(_Place).decode


def encode_result(result: Result | dict[str, Any]) -> bytes:
    """A result, or a dict with its fields, as one line without the line feed."""
    return _encode(result)


class RunLog:
    """An open run log. Remembers where each case's line stands, eight bytes a case."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / RESULTS
        self._offsets = array("Q")
        self._in_order = True
        self._last = -1
        self.count = 0
        folder.mkdir(parents=True, exist_ok=True)
        self._file: BinaryIO = self.path.open("a+b")
        try:
            self._recover()
        except RunLogError:
            self._file.close()
            raise

    def _recover(self) -> None:
        self._file.seek(0)
        end = 0
        for line in self._file:
            if not line.endswith(b"\n"):
                break
            try:
                place = _place(line)
            except msgspec.DecodeError as error:
                raise RunLogError(
                    f"{self.path} is damaged at byte {end} ({error}). Move the folder away, or "
                    f"start anew with --overwrite."
                ) from error
            _check_schema(place.schema, self.path)
            self._note(place.index, end)
            end += len(line)
        if self._file.seek(0, os.SEEK_END) != end:
            self._file.truncate(end)
            self._file.seek(end)
        self._end = end

    def _note(self, index: int, offset: int) -> None:
        missing = index + 1 - len(self._offsets)
        if missing > 0:
            self._offsets.extend([_NOWHERE] * missing)
        if self._offsets[index] == _NOWHERE:
            self.count += 1
        self._in_order = self._in_order and index == self._last + 1
        self._last = index
        self._offsets[index] = offset

    def has(self, index: int) -> bool:
        """Whether the case at that place is in the log."""
        return index < len(self._offsets) and self._offsets[index] != _NOWHERE

    def append(self, lines: Iterable[tuple[int, bytes]]) -> None:
        """Add finished lines and hand them to the operating system."""
        parts: list[bytes] = []
        for index, text in lines:
            self._note(index, self._end)
            parts += (text, b"\n")
            self._end += len(text) + 1
        self._file.write(b"".join(parts))
        self._file.flush()

    def finish(self) -> None:
        """Put the lines into the order of the cases, and close the log."""
        self._file.flush()
        if not self._in_order:
            ordered = self.path.with_suffix(".ordered")
            with ordered.open("wb") as target:
                for offset in self._offsets:
                    if offset != _NOWHERE:
                        self._file.seek(offset)
                        target.write(self._file.readline())
                target.flush()
                os.fsync(target.fileno())
            ordered.replace(self.path)
        self.close()

    def close(self) -> None:
        """Close the log as it is; the run can be resumed."""
        self._file.close()


def read_results(folder: Path) -> Iterator[Result]:
    """The results of a run, one by one.

    Raises:
        RunLogError: there is no run, or a line cannot be read.
    """
    path = folder / RESULTS
    try:
        file = path.open("rb")
    except OSError as error:
        raise RunLogError(
            f"no run at {folder}: {RESULTS} cannot be read ({error.strerror}). "
            f"Give the folder that evaluate wrote with --out."
        ) from error
    with file:
        for number, line in enumerate(file, 1):
            try:
                result = _decode(line)
            except msgspec.DecodeError as error:
                if not line.endswith(b"\n"):
                    return
                raise RunLogError(f"{path}, line {number}: {error}") from error
            _check_schema(result.schema, path)
            yield result


def _check_schema(schema: int, path: Path) -> None:
    if schema > RESULT_SCHEMA:
        raise RunLogError(
            f"{path} has schema {schema}; this version reads up to {RESULT_SCHEMA}. "
            f"Update sqlverdict."
        )
