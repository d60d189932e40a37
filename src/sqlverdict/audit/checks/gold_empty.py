"""Does every gold return something that a wrong answer would not?"""

from __future__ import annotations

from collections.abc import Iterable

from sqlverdict.audit.check import CHECKS, AuditFinding, Check
from sqlverdict.audit.data import AuditData, GoldQuery

NAME = "gold_empty"


@CHECKS.member
class GoldEmpty(Check):
    """Golds that return no rows, or only NULLs."""

    title = "golds that return nothing"

    def gold(self, data: AuditData, gold: GoldQuery) -> Iterable[AuditFinding]:
        """No rows, or no value in them."""
        answer = gold.answer
        if answer is None:
            return
        detail = {"sql": gold.sql}
        if not answer.rows:
            data.figures["golds_empty"] += 1
            hint = "any wrong query that returns nothing scores as right; check its values"
            yield AuditFinding(NAME, "warning", gold.subject, "no rows", hint, detail)
        elif all(cell is None for row in answer.rows for cell in row):
            data.figures["golds_only_null"] += 1
            rows = "one row" if len(answer.rows) == 1 else f"{len(answer.rows):,} rows"
            hint = "an aggregate over no rows, or an empty column: check the query"
            message = f"{rows} with nothing but NULL"
            yield AuditFinding(NAME, "warning", gold.subject, message, hint, detail)
