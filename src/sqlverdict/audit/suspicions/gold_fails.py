"""The gold query itself fails, or reaches a limit.

Shown by: a case that is unscored by the gold's fault, or the gold's failure when it is run again.

Weight: 0.9; 0.5 where it only reached a limit, which may be the machine's.
"""

from __future__ import annotations

from collections.abc import Iterable

from sqlverdict.audit.gold_report import GoldReport
from sqlverdict.audit.suspicion import SUSPICIONS, Suspicion
from sqlverdict.evidence import Failed
from sqlverdict.records import LIMIT_REASONS, Failure, Reason

NAME = "gold_fails"


@SUSPICIONS.member
class GoldFails:
    """Golds that give no answer."""

    title = "the gold gives no answer"

    def look(self, report: GoldReport) -> Iterable[Suspicion]:
        """Its failure, in the run or now."""
        for entry in report.answers:
            for evidence in entry.result.evidence:
                if isinstance(evidence, Failed) and evidence.query == "gold":
                    limit = Reason.GOLD_EXECUTION_TIMEOUT in evidence.reasons
                    yield _suspicion(evidence.message, limit)
                    return
        outcome = report.rerun(report.case.gold[0]) if report.rerun is not None else None
        if isinstance(outcome, Failure) and outcome.fault is None:
            yield _suspicion(outcome.message, outcome.reason in LIMIT_REASONS)


def _suspicion(message: str, limit: bool) -> Suspicion:
    what = "the gold reaches a limit" if limit else "the gold fails"
    text = f"{what}: {message}" if message else what
    detail = {"message": message, "limit": limit}
    return Suspicion(NAME, 0.5 if limit else 0.9, text, detail=detail)
