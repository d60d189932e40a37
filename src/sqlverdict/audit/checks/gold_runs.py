"""Does every gold query run within the limits?"""

from __future__ import annotations

from collections.abc import Iterable

from sqlverdict.audit.check import CHECKS, AuditFinding, Check
from sqlverdict.audit.data import AuditData, GoldQuery
from sqlverdict.records import LIMIT_REASONS, Answer

NAME = "gold_runs"


@CHECKS.member
class GoldRuns(Check):
    """Golds that fail, time out or are beyond a limit."""

    title = "golds that give no answer"

    def gold(self, data: AuditData, gold: GoldQuery) -> Iterable[AuditFinding]:
        """A failure of the query itself; a missing database is another check's finding."""
        outcome = gold.outcome
        if isinstance(outcome, Answer) or gold.unavailable:
            return
        detail = {"reason": outcome.reason.value, "sql": gold.sql}
        if outcome.reason in LIMIT_REASONS:
            data.figures["golds_beyond_limits"] += 1
            hint = "its case is left unscored; raise the setting timeout, or correct the query"
            message = f"{outcome.reason.value}: {outcome.message}"
            yield AuditFinding(NAME, "error", gold.subject, message, hint, detail)
            return
        data.figures["golds_failing"] += 1
        hint = "its case is left unscored; correct the query or its database"
        message = f"{outcome.reason.value}: {outcome.message}"
        yield AuditFinding(NAME, "error", gold.subject, message, hint, detail)
