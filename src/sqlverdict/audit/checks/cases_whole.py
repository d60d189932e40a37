"""Does every case have an id of its own, a question, and golds if and only if answerable?"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from sqlverdict.audit.check import CHECKS, AuditFinding, Check
from sqlverdict.audit.data import AuditData
from sqlverdict.files.text import count as count_of

NAME = "cases_whole"


@CHECKS.member
class CasesWhole(Check):
    """Repeated ids, empty questions, unanswerable cases with golds and the reverse."""

    title = "cases that are incomplete"

    def whole(self, data: AuditData) -> Iterable[AuditFinding]:
        """Look at each case."""
        unanswerable = sum(not case.answerable for case in data.cases)
        data.figures["cases_unanswerable"] = unanswerable
        times = Counter(case.id for case in data.cases)
        for case_id, count in times.items():
            if count > 1:
                message = f"{count} cases have the id {case_id!r}"
                hint = "predictions pair by id: give each case its own"
                yield AuditFinding(NAME, "error", f"case {case_id}", message, hint)
        if data.cases and not any(case.question.strip() for case in data.cases):
            message = "no case has a question"
            hint = "fine for execution scores; judges and duplicates need questions"
            yield AuditFinding(NAME, "info", data.benchmark.name, message, hint)
        else:
            for case in data.cases:
                if not case.question.strip():
                    hint = "add the question"
                    yield AuditFinding(NAME, "warning", f"case {case.id}", "no question", hint)
        for case in data.cases:
            has_gold = bool(case.gold_answers) or any(sql.strip() for sql in case.golds)
            if case.answerable and not has_gold:
                hint = "give its gold, or mark it as unanswerable"
                yield AuditFinding(
                    NAME, "error", f"case {case.id}", "answerable, but no gold", hint
                )
            elif not case.answerable and case.golds:
                message = (
                    f"unanswerable, but {count_of(len(case.golds), 'gold is', 'golds are')} given"
                )
                hint = "abstaining counts as right and the golds are not used: correct one of them"
                yield AuditFinding(NAME, "warning", f"case {case.id}", message, hint)
