"""Systems ask for distinct values where the gold does not.

Shown by: at least half of the systems that differ from the gold, and two of them or the only one,
write DISTINCT, and no gold does.

Weight: 0.4: a gold that forgets DISTINCT repeats rows or counts them twice, which comparisons of
rows as sets hide until it sits in an aggregate.

Misleads where systems write DISTINCT out of habit.
"""

from __future__ import annotations

from collections.abc import Iterable

from sqlverdict.audit.gold_report import GoldReport, SystemAnswer
from sqlverdict.audit.suspicion import SUSPICIONS, Suspicion
from sqlverdict.parse.tokens import has_word

NAME = "gold_distinct"
WEIGHT = 0.4


@SUSPICIONS.member
class GoldDistinct:
    """Golds without the DISTINCT that systems write."""

    title = "systems ask for distinct values, the gold does not"

    def look(self, report: GoldReport) -> Iterable[Suspicion]:
        """Those that write it, where they are at least half."""
        against, of = distinct_against(report)
        if not against or len(against) * 2 < of or (len(against) < 2 < of):
            return
        message = f"{len(against)} of {of} systems that differ write DISTINCT, the gold does not"
        yield Suspicion(NAME, WEIGHT, message, tuple(entry.system for entry in against))


def distinct_against(report: GoldReport) -> tuple[list[SystemAnswer], int]:
    """The systems that differ and write DISTINCT where no gold does, and how many differ."""
    differing = [entry for entry in report.answers if entry.right is False and entry.runs]
    if any(has_word(gold, "distinct") for gold in report.case.gold):
        return [], len(differing)
    writing = [entry for entry in differing if has_word(entry.result.prediction or "", "distinct")]
    return writing, len(differing)
