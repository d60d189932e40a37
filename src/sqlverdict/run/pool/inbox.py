"""The chunks that a process is given, taken in as they come.

If nobody read while a chunk is worked on, a giver that hands over a bulky chunk and a worker
that sends bulky lines would wait for each other for ever. And when the giver dies, the process
ends at once, even inside a long opcode.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from multiprocessing.connection import Connection
from queue import SimpleQueue
from threading import Thread
from typing import Generic, TypeVar

T = TypeVar("T")


class ChunkQueue(Generic[T]):
    """Reads in a thread of its own, until the giver says ``None`` or is gone.

    Args:
        connection: Where chunks come from.
    """

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._chunks: SimpleQueue[list[T] | None] = SimpleQueue()
        Thread(target=self._listen, daemon=True).start()

    def __iter__(self) -> Iterator[list[T]]:
        """The chunks, in turn."""
        while (chunk := self._chunks.get()) is not None:
            yield chunk

    def _listen(self) -> None:
        chunk: list[T] | None = []
        try:
            while chunk is not None:
                chunk = self._connection.recv()
                self._chunks.put(chunk)
        finally:
            # The giver is gone, or the chunk cannot be read: without chunks nobody would ever end.
            if chunk is not None:
                os._exit(1)
