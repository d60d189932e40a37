"""The gold does not score 1 as its own prediction.

Shown by: a system that wrote the gold's own query, in any spelling, and whose result is not the
gold's; or the gold's answer, compared with itself when it is run again.

Weight: 0.5: the answer hangs on the clock, on chance or on the order of rows, or the comparison is
at fault. No score on such a case means anything.
"""

from __future__ import annotations

from collections.abc import Iterable

from sqlverdict.audit.gold_report import GoldReport, query_key
from sqlverdict.audit.suspicion import SUSPICIONS, Suspicion
from sqlverdict.compare.preset import DEFAULT_PRESET, PRESETS, QueryPair

NAME = "gold_self"
WEIGHT = 0.5


@SUSPICIONS.member
class GoldSelfSuspicion:
    """Golds that fail against themselves."""

    title = "the gold does not score 1 against itself"

    def look(self, report: GoldReport) -> Iterable[Suspicion]:
        """Systems that wrote the gold and do not match it, else the identity run."""
        golds = {query_key(gold, report.schema) for gold in report.case.gold}
        systems = tuple(
            entry.system
            for entry in report.answers
            if entry.right is False and entry.query in golds
        )
        if systems:
            message = f"the gold's own query, given by {', '.join(systems)}, does not match it"
            yield Suspicion(NAME, WEIGHT, message, systems)
            return
        answer, gold = report.gold_answer, report.case.gold[0]
        if answer is None:
            return
        if (
            PRESETS.get(DEFAULT_PRESET).compare(answer, answer, QueryPair(gold, gold)).equal
            is not True
        ):
            yield Suspicion(NAME, WEIGHT, "the gold's answer does not match itself")
