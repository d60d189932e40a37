"""Can our parser read every gold that the engine runs?"""

from __future__ import annotations

from collections.abc import Iterable

from sqlverdict.audit.check import CHECKS, AuditFinding, Check
from sqlverdict.audit.data import AuditData, GoldQuery
from sqlverdict.records import ParseFailure

NAME = "gold_parses"


@CHECKS.member
class GoldParses(Check):
    """Golds that our parser cannot read; those that fail on the engine too are not repeated."""

    title = "golds that cannot be parsed"

    def gold(self, data: AuditData, gold: GoldQuery) -> Iterable[AuditFinding]:
        """A failure of our parser."""
        parsed = gold.parsed
        if not isinstance(parsed, ParseFailure) or (gold.answer is None and not gold.unavailable):
            return
        data.figures["golds_not_parsed"] += 1
        hint = "it is scored by its answer; ties, hardness and proofs need the tree"
        if gold.unavailable:
            hint = "correct the query: the engine could not be asked, its database is missing"
        detail = {"reason": parsed.reason.value, "sql": gold.sql}
        yield AuditFinding(NAME, "warning", gold.subject, parsed.message, hint, detail)
