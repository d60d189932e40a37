"""The gold returns no row, or nothing but NULL.

Shown by: the shape of the gold's result in the run log, or the result itself when it is run again.

Weight: 0.4; a question may have no answer in the data, but then every wrong query that returns
nothing scores as right.
"""

from __future__ import annotations

from collections.abc import Iterable

from sqlverdict.audit.gold_report import GoldReport
from sqlverdict.audit.suspicion import SIGN, SUSPICIONS, Suspicion
from sqlverdict.evidence import Related
from sqlverdict.evidence_parts import AnswerShapes

NAME = "gold_nothing"
WEIGHT = 0.4


@SUSPICIONS.member
class GoldNothing:
    """Golds without an answer in the data."""

    title = "the gold returns nothing"

    def look(self, report: GoldReport) -> Iterable[Suspicion]:
        """Its rows, as logged or as returned now."""
        answer = report.gold_answer
        if answer is not None:
            if not answer.rows:
                yield Suspicion(NAME, WEIGHT, "the gold returns no row", feature=SIGN)
            elif all(cell is None for row in answer.rows for cell in row):
                yield Suspicion(NAME, WEIGHT, "the gold returns nothing but NULL", feature=SIGN)
            return
        for entry in report.answers:
            for evidence in entry.result.evidence:
                match evidence:
                    case Related(shape=AnswerShapes(gold=(0, _))):
                        yield Suspicion(NAME, WEIGHT, "the gold returns no row", feature=SIGN)
                        return
