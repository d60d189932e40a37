"""The vote log of a folder while people vote: locked, read, and appended to."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path

import msgspec

from sqlverdict.errors import OptionName, UsageError
from sqlverdict.files.lock import FolderLock, Locked
from sqlverdict.files.sealed import AppendFile, seal_line
from sqlverdict.load.people.votes import VOTES_FILE, VoteEvent, VoteLogContent, read_events

_encode = msgspec.json.Encoder().encode


class VoteLog:
    """An open vote log: what is in :attr:`content` is on the disk.

    Attributes:
        path: The file.
        content: The votes.

    Raises:
        UsageError: another process has it open.
        DataError: a line was changed.
        OSError: it cannot be read or written.
    """

    def __init__(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.path = folder / VOTES_FILE
        try:
            self._lock = FolderLock(folder)
        except Locked as holder:
            raise UsageError(
                f"{folder} is open in {holder}. Stop that one, or name all annotators in one "
                "call: ",
                OptionName("annotators", "ann,bob"),
            ) from holder
        with ExitStack() as on_error:
            on_error.callback(self._lock.release)
            self._file = AppendFile(self.path)
            on_error.callback(self._file.close)
            self.content = VoteLogContent(read_events(self.path))
            on_error.pop_all()

    def append(self, event: VoteEvent) -> None:
        """Save an event, then count it.

        Raises:
            OSError: it was not saved, and does not count.
        """
        self._file.append(seal_line(_encode(event)))
        self.content.add(event)

    def close(self) -> None:
        """Close the log, and let others in."""
        self._file.close()
        self._lock.release()
