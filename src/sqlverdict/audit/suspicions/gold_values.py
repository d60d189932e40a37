"""The gold asks for a value that neither the question nor its knowledge mentions.

Shown by: a literal in a condition of the gold, text or number, that does not occur in the question
nor in the knowledge, in any usual spelling (case, accents, plural, number words, dates).

Weight: 0.15 for the value alone, since codes and flags are often silent knowledge of the data;
0.3 where the knowledge is at hand and does not have it either; 0.25 more where two or more systems
answered and none of them uses it.

It ignores 0, 1, 100 and texts of one or two letters: flags, percentages and codes.
"""

from __future__ import annotations

from collections.abc import Iterable

from sqlverdict.audit.gold_report import GoldReport
from sqlverdict.audit.suspicion import SUSPICIONS, Suspicion
from sqlverdict.files.text import count
from sqlverdict.signs.mentions import asked_values, mentions_value

NAME = "gold_values"
ALONE = 0.15
WITH_KNOWLEDGE = 0.3
UNUSED = 0.25


@SUSPICIONS.member
class GoldValues:
    """Golds with values out of nowhere."""

    title = "the gold asks for values that the question does not mention"

    def look(self, report: GoldReport) -> Iterable[Suspicion]:
        """The values that are not mentioned, together."""
        if not report.case.question:
            return
        text = f"{' '.join(report.case.earlier)} {report.case.question} {report.knowledge or ''}"
        absent = [
            value
            for value in asked_values(report.case.gold[0], report.schema)
            if not mentions_value(text, value)
        ]
        if not absent:
            return
        weight = ALONE if report.knowledge is None else WITH_KNOWLEDGE
        where = "the question" if report.knowledge is None else "the question and its knowledge"
        predictions = [one.result.prediction or "" for one in report.answers]
        unused = [value for value in absent if not any(_uses(sql, value) for sql in predictions)]
        values = ", ".join(repr(value) for value in absent)
        message = f"{values} of the gold not in {where}"
        if unused and len(predictions) > 1:
            weight += UNUSED
            message += (
                f"; none of {count(len(predictions), 'system')} uses {', '.join(map(repr, unused))}"
            )
        yield Suspicion(
            NAME, round(weight, 3), message, detail={"absent": absent, "unused": unused}
        )


def _uses(sql: str, value: str) -> bool:
    return value.casefold() in sql.casefold()
