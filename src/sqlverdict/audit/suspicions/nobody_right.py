"""No system's result matches the gold's.

Shown by: three or more systems that answered with a query that runs, none of them as the gold,
nor with the gold's values otherwise arranged.

Weight: 0.2 for three systems, 0.3 for more: the question may only be hard.
"""

from __future__ import annotations

from collections.abc import Iterable

from sqlverdict.audit.gold_report import GoldReport
from sqlverdict.audit.suspicion import SUSPICIONS, Suspicion
from sqlverdict.audit.suspicions.systems_agree import same_values

NAME = "nobody_right"
FEWEST = 3


@SUSPICIONS.member
class NobodyRight:
    """Golds that nobody matches."""

    title = "no system answers as the gold does"

    def look(self, report: GoldReport) -> Iterable[Suspicion]:
        """Nothing where somebody does, or few tried."""
        ran = [entry for entry in report.answers if entry.runs]
        wrong = all(entry.right is False for entry in ran)
        if len(ran) >= FEWEST and wrong and not any(same_values(entry) for entry in ran):
            weight = 0.2 if len(ran) == FEWEST else 0.3
            message = f"none of {len(ran)} systems whose query runs answers as the gold does"
            yield Suspicion(NAME, weight, message, tuple(entry.system for entry in ran))
