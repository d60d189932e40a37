"""Things by rank, the highest first; where there are very many, they wait in a file."""

from __future__ import annotations

import pickle
import tempfile
from array import array
from collections.abc import Iterator, Sequence
from typing import IO, Generic, TypeVar, overload
from weakref import finalize

T = TypeVar("T")

IN_MEMORY = 5_000
"""So many are kept in memory."""


class Ranking(Generic[T]):
    """Takes things one by one."""

    def __init__(self) -> None:
        self._members: list[tuple[float, T]] = []
        self._ranks = array("d")
        self._offsets = array("q")
        self._file: _SpillFile | None = None

    def add(self, rank: float, member: T) -> None:
        """One more."""
        self._members.append((rank, member))
        if len(self._members) >= IN_MEMORY:
            self._write()

    def _write(self) -> None:
        if self._file is None:
            self._file = _SpillFile()
        stream = self._file.stream
        for rank, member in self._members:
            self._ranks.append(rank)
            self._offsets.append(stream.tell())
            pickle.dump(member, stream, pickle.HIGHEST_PROTOCOL)
        self._members.clear()

    def ranked(self) -> Sequence[T]:
        """All of them, the highest rank first; among equals, in the order they came."""
        if self._file is None:
            return tuple(member for _, member in sorted(self._members, key=lambda one: -one[0]))
        self._write()
        ranks, offsets = self._ranks, self._offsets
        order = sorted(range(len(ranks)), key=lambda number: -ranks[number])
        return _InFile(self._file, array("q", (offsets[number] for number in order)))


class _SpillFile:
    """A file that is closed when nobody needs it any more."""

    def __init__(self) -> None:
        self.stream: IO[bytes] = tempfile.TemporaryFile(prefix="sqlverdict-")  # noqa: SIM115
        finalize(self, self.stream.close)


class _InFile(Sequence[T]):
    """A sequence whose members are read when they are asked for."""

    def __init__(self, file: _SpillFile, offsets: array[int]) -> None:
        self._file = file
        self._offsets = offsets

    def __len__(self) -> int:
        return len(self._offsets)

    @overload
    def __getitem__(self, index: int) -> T: ...

    @overload
    def __getitem__(self, index: slice) -> Sequence[T]: ...

    def __getitem__(self, index: int | slice) -> T | Sequence[T]:
        if isinstance(index, slice):
            return _InFile(self._file, self._offsets[index])
        return self._read(self._offsets[index])

    def __iter__(self) -> Iterator[T]:
        return map(self._read, self._offsets)

    def _read(self, at: int) -> T:
        self._file.stream.seek(at)
        member: T = pickle.load(self._file.stream)  # noqa: S301 - our own file, which has no name
        return member
