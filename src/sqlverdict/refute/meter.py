"""What a search has spent: work that is the same on every machine, and seconds as a safety net."""

from __future__ import annotations

from collections.abc import Iterable
from time import monotonic

from sqlverdict.refute.trial.scratch_database import CELL, ScratchDatabase
from sqlverdict.refute.witness import SearchBudget


class Meter:
    """Counts the work of one search: that of its scratch databases, and other work.

    Attributes:
        late: Whether the clock had to end the search.
    """

    def __init__(self, budget: SearchBudget, scratches: Iterable[ScratchDatabase]) -> None:
        self.late = False
        self._scratches = tuple(scratches)
        self._most = budget.work
        self._beside = 0
        self._deadline = monotonic() + budget.seconds
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
        """Whether the search must end: by its work, or by the clock if that comes first."""
        work = self._beside
        for scratch in self._scratches:
            work += scratch.work
        if work > self._most:
            return True
        self.late = self.late or monotonic() > self._deadline
        return self.late
