"""Is every gold's answer the same tomorrow?"""

from __future__ import annotations

from collections.abc import Iterable

from sqlverdict.audit.check import CHECKS, AuditFinding, Check
from sqlverdict.audit.data import AuditData, GoldQuery
from sqlverdict.dialects import dialect_of
from sqlverdict.execute.frozen_text import clock_use
from sqlverdict.signs.open_limits import reads_clock_or_chance

NAME = "gold_volatile"
_SOMEWHERE = (
    "the clock or chance, through a view or a function; or the role may not see its text, "
    "which may use them"
)


@CHECKS.member
class GoldVolatile(Check):
    """Golds that read the clock or depend on chance."""

    title = "golds that depend on the clock or on chance"

    def gold(self, data: AuditData, gold: GoldQuery) -> Iterable[AuditFinding]:
        """A word that reads the clock or makes chance."""
        plain = dialect_of(gold.dialect).plain_tokens
        word = reads_clock_or_chance(gold.sql) if plain else _word(gold)
        if word is None:
            return
        data.figures["golds_volatile"] += 1
        hint = (
            "the same prediction may score differently on another day; write a fixed date, or "
            "freeze the clock with the setting now=TIME"
        )
        detail = {"word": word, "sql": gold.sql}
        yield AuditFinding(NAME, "warning", gold.subject, f"uses {word}", hint, detail)


def _word(gold: GoldQuery) -> str | None:
    """What makes the answer change by itself: in the text, or in a view that it reads."""
    use = clock_use(gold.sql, gold.dialect)
    if use.chance:
        return "chance"
    if use.reads:
        return "the clock"
    is_volatile = gold.answer is not None and gold.answer.volatile
    return _SOMEWHERE if is_volatile else None
