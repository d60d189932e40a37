"""Is every gold's answer the same tomorrow?"""

from __future__ import annotations

from collections.abc import Iterable

from sqlverdict.audit.check import CHECKS, Check
from sqlverdict.audit.data import AuditData, GoldQuery
from sqlverdict.audit.finding import AuditFinding
from sqlverdict.signs.open_limits import reads_clock_or_chance

NAME = "gold_volatile"


@CHECKS.member
class GoldVolatile(Check):
    """Golds that read the clock or depend on chance."""

    title = "golds that depend on the clock or on chance"

    def gold(self, data: AuditData, gold: GoldQuery) -> Iterable[AuditFinding]:
        """A word that reads the clock or makes chance."""
        word = reads_clock_or_chance(gold.sql)
        if word is None:
            return
        data.figures["golds_volatile"] += 1
        hint = "the same prediction may score otherwise another day; write a fixed date"
        detail = {"word": word, "sql": gold.sql}
        yield AuditFinding(NAME, "warning", gold.subject, f"uses {word}", hint, detail)
