"""What a search has spent: work that is the same on every machine, and seconds as a safety net.

The seconds are the thread's processor time: other load on the machine cuts no search.
"""

from __future__ import annotations

from collections.abc import Iterable
from time import monotonic, thread_time

from sqlverdict.execute.in_memory import CELL, ScratchDatabase
from sqlverdict.refute.witness import SearchBudget


class Meter:
    """Counts the work of one search: that of its scratch databases, and other work.

    Attributes:
        late: Whether seconds had to end the search.
    """

    def __init__(self, budget: SearchBudget, scratches: Iterable[ScratchDatabase]) -> None:
        self.late = False
        self._scratches = tuple(scratches)
        self._most = budget.work
        self._beside = 0
        self._deadline = monotonic() + budget.seconds
        self._last_second = thread_time() + budget.seconds
        for scratch in self._scratches:
            scratch.begin()

    def spend(self, cells: int) -> None:
        """So many cells were looked at outside of the scratch databases."""
        self._beside += CELL * cells

    @property
    def work(self) -> int:
        """All work so far, in steps of the engine."""
        return self._beside + sum([scratch.work for scratch in self._scratches])

    @property
    def over(self) -> bool:
        """Whether the search must end: by its work, or by seconds if they come first."""
        work = self._beside
        for scratch in self._scratches:
            work += scratch.work
        if work > self._most:
            return True
        # Processor time takes a system call, and is never more than the time of the clock.
        if not self.late and monotonic() > self._deadline:
            self.late = thread_time() > self._last_second
        return self.late
