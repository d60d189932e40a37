"""What a run spent: money, tokens and seconds over the cases whose predictions say so.

A case that does not say is left out and counted as unknown; it is never a zero.
"""

from __future__ import annotations

import math
from array import array
from dataclasses import dataclass
from statistics import median

from sqlverdict.records import PredictionUsage

QUANTITIES = ("cost", "tokens", "prompt_tokens", "completion_tokens", "latency")
"""In the order of reports."""


@dataclass(frozen=True)
class UsageFigures:
    """One quantity over the cases that carry it.

    Attributes:
        quantity: ``cost``, ``tokens``, ``prompt_tokens``, ``completion_tokens`` or ``latency``.
        known: How many cases carry it.
        unknown: How many do not.
        mean: Over the cases that carry it, as are the others.
        median: Half of them have at most this.
        p95: The smallest value that at least 95 % of them do not exceed.
        total: The sum.
        per_right: The sum over decided cases for each of these that is right; ``None``: none is.
    """

    quantity: str
    known: int
    unknown: int
    mean: float
    median: float
    p95: float
    total: float
    per_right: float | None = None


class UsageCounts:
    """Collects usage case by case: a number for each case and quantity, nothing where unknown."""

    def __init__(self) -> None:
        self._cases = 0
        self._values = {name: array("d") for name in QUANTITIES}
        self._decided = {name: array("d") for name in QUANTITIES}
        self._right = dict.fromkeys(QUANTITIES, 0)

    def add(self, usage: PredictionUsage | None, right: bool | None) -> None:
        """Count one case; ``right`` is ``None`` where that is not decided."""
        self._cases += 1
        if usage is None:
            return
        for name in QUANTITIES:
            value = getattr(usage, name)
            if value is not None:
                self._values[name].append(value)
                if right is not None:
                    self._decided[name].append(value)
                    self._right[name] += right

    def figures(self) -> tuple[UsageFigures, ...]:
        """The figures of each quantity that some case carries."""
        return tuple(self._figures(name) for name in QUANTITIES if self._values[name])

    def _figures(self, name: str) -> UsageFigures:
        values = sorted(self._values[name])
        # Rounded once, so that the order of the cases makes no difference.
        total = math.fsum(values)
        right = self._right[name]
        return UsageFigures(
            name,
            len(values),
            self._cases - len(values),
            total / len(values),
            median(values),
            values[(95 * len(values) + 99) // 100 - 1],
            total,
            math.fsum(self._decided[name]) / right if right else None,
        )
