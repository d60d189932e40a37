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

    def look(self, dossier: GoldReport) -> Iterable[Suspicion]:
        """Those that write it, where they are at least half."""
        against, of = distinct_against(dossier)
        if not against or len(against) * 2 < of or (len(against) < 2 < of):
            return
        message = f"{len(against)} of {of} systems that differ write DISTINCT, the gold does not"
        yield Suspicion(NAME, WEIGHT, message, tuple(said.system for said in against))


def distinct_against(dossier: GoldReport) -> tuple[list[SystemAnswer], int]:
    """The systems that differ and write DISTINCT where no gold does, and how many differ."""
    differing = [said for said in dossier.said if said.right is False and said.runs]
    if any(has_word(gold, "distinct") for gold in dossier.golds):
        return [], len(differing)
    found = [said for said in differing if has_word(said.result.prediction or "", "distinct")]
    return found, len(differing)
