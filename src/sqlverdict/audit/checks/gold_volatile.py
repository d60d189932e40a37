"""Is every gold's answer the same tomorrow?"""

from __future__ import annotations

from collections.abc import Iterable

from sqlverdict.audit.check import CHECKS, Check
from sqlverdict.audit.data import Data, Gold
from sqlverdict.audit.finding import Finding
from sqlverdict.signs.loose import reads_clock_or_chance

NAME = "gold_volatile"


@CHECKS.member
class GoldVolatile(Check):
    """Golds that read the clock or depend on chance."""

    title = "golds that depend on the clock or on chance"

    def gold(self, data: Data, gold: Gold) -> Iterable[Finding]:
        """A word that reads the clock or makes chance."""
        word = reads_clock_or_chance(gold.sql)
        if word is None:
            return
        data.figures["golds_volatile"] += 1
        hint = "the same prediction may score otherwise another day; write a fixed date"
        detail = {"word": word, "sql": gold.sql}
        yield Finding(NAME, "warning", gold.subject, f"uses {word}", hint, detail)
