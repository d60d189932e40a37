"""The question names a number that the gold does not use.

Shown by: a number in the digits of the question that is nowhere in the gold, in a text of it or as
a share (80 and 0.8) neither.

Weight: 0.3. A condition was left out, or a number mistyped.

Misleads where a number is part of a name, or where the query needs none, as for "1 of them".
"""

from __future__ import annotations

from collections.abc import Iterable

from sqlverdict.audit.gold_report import GoldReport
from sqlverdict.audit.question_words import absent_numbers
from sqlverdict.audit.suspicion import DOUBT, SUSPICIONS, Suspicion

NAME = "question_number"
WEIGHT = 0.3


@SUSPICIONS.member
class QuestionNumber:
    """Golds that leave out a number of the question."""

    title = "the gold does not use a number of the question"

    def look(self, report: GoldReport) -> Iterable[Suspicion]:
        """The numbers that it does not use, together."""
        numbers = absent_numbers(report.case.question, " ".join(report.case.gold))
        if numbers:
            message = f"the question names {', '.join(numbers)}, which the gold does not use"
            yield Suspicion(NAME, WEIGHT, message, detail={"numbers": numbers}, feature=DOUBT)
