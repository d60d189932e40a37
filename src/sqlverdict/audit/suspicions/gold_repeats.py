"""The gold's answer repeats whole rows.

Shown by: rows of the gold's answer that occur more than once, when the gold is run again.

Weight: 0.3. A join that gives a row several partners, or a forgotten DISTINCT, repeats rows;
comparisons of rows as sets hide that.

Misleads where the question wants one row for each of several things that look the same.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from sqlverdict.audit.gold_report import GoldReport
from sqlverdict.audit.suspicion import DOUBT, SUSPICIONS, Suspicion
from sqlverdict.report.terminal.tables import short

NAME = "gold_repeats"
WEIGHT = 0.3


@SUSPICIONS.member
class GoldRepeats:
    """Golds that return a row more than once."""

    title = "the gold's answer repeats whole rows"

    def look(self, report: GoldReport) -> Iterable[Suspicion]:
        """How many rows there are, and how many different ones."""
        rows = report.gold_answer.rows if report.gold_answer is not None else []
        # Values of one row may be of types that cannot be hashed.
        times = Counter(tuple(map(repr, row)) for row in rows)
        if len(times) == len(rows):
            return
        # Not the first one: some engines return rows in any order.
        most, row = max((number, row) for row, number in times.items())
        message = (
            f"the gold returns {len(rows)} rows, {len(times)} of them different; "
            f"({short(', '.join(row), 80)}) comes {most} times"
        )
        detail = {"rows": len(rows), "different": len(times)}
        yield Suspicion(NAME, WEIGHT, message, detail=detail, feature=DOUBT)
