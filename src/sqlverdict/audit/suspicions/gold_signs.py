"""The gold shows signs that a query is not what its author meant.

Shown by: the signs that runs with a policy log for the gold, or those that are found when the gold
is run again and its schema is known: literals that the data do not hold, numbers compared as texts,
a column that is neither grouped by nor aggregated, a join without a condition and so on
(``docs/signs.md``). Empty answers, open LIMITs and unmentioned values are suspicions of their own.

Weight: 0.5 where one of the signs counts in the model, 0.15 for others.
"""

from __future__ import annotations

from collections.abc import Iterable

from sqlverdict.audit.gold_report import GoldReport
from sqlverdict.audit.suspicion import SUSPICIONS, Suspicion
from sqlverdict.evidence import Signs
from sqlverdict.signs.look import signs_of
from sqlverdict.signs.sign import Subject

NAME = "gold_signs"
COUNTED_SIGNS = frozenset(
    {
        "bare_column",
        "cross_join",
        "dead_literal",
        "integer_division",
        "null_sort_key",
        "numbers_as_text",
        "type_confusion",
        "unrelated_join",
        "zero_answer",
    }
)
"""Signs that count in the model; the labels say nothing against golds with one of the others."""
DOUBTFUL_SIGNS = frozenset({"multiplied_rows"})
"""Signs that count less, since right golds show them too."""
ELSEWHERE = frozenset(
    {"empty_answer", "empty_group", "tie_at_limit", "unordered_limit", "unmentioned_value"}
)


@SUSPICIONS.member
class GoldSigns:
    """Golds that look wrong by themselves."""

    title = "the gold shows signs of a mistake"

    def look(self, report: GoldReport) -> Iterable[Suspicion]:
        """All signs together, those that count first."""
        messages = _signs_now(report) or _logged(report)
        own = {name: text for name, text in messages.items() if name not in ELSEWHERE}
        if not own:
            return
        names = sorted(own, key=lambda name: (name not in COUNTED_SIGNS, name))
        strong = [name for name in names if name in COUNTED_SIGNS]
        message = "; ".join(f"{name}: {own[name]}" for name in names)
        doubtful = [name for name in names if name in DOUBTFUL_SIGNS]
        detail = {"signs": names, "counted": strong, "doubtful": doubtful}
        yield Suspicion(NAME, 0.5 if strong else 0.15, message, detail=detail)


def _logged(report: GoldReport) -> dict[str, str]:
    messages: dict[str, str] = {}
    for entry in report.answers:
        for evidence in entry.result.evidence:
            for sign in evidence.gold if isinstance(evidence, Signs) else ():
                messages.setdefault(sign.name, sign.message)
    return messages


def _signs_now(report: GoldReport) -> dict[str, str]:
    schema, answer, query = report.schema, report.gold_answer, report.query
    if report.rerun is None or schema is None or answer is None or query is None:
        return {}
    known = "\n".join((*report.case.earlier, report.knowledge or ""))
    subject = Subject(query, schema, report.probe, report.case.question, known, answer)
    messages: dict[str, str] = {}
    for notice in signs_of(subject):
        messages.setdefault(notice.name, notice.message)
    return messages
