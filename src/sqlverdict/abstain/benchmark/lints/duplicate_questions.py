"""Questions that stand more than once on one database, in any letter case."""

from __future__ import annotations

from collections import Counter

from sqlverdict.abstain.benchmark.lint import (
    LINTS,
    SPLIT_TAG,
    LintData,
    LintFinding,
    LintResult,
    Severity,
)
from sqlverdict.abstain.benchmark.words import same_wording
from sqlverdict.parse.tokens import normalised
from sqlverdict.records import Case

_HINT = "keep one of each; a question in two parts lets memory pass for skill"


@LINTS.member
class DuplicateQuestions:
    """Groups questions by database and wording."""

    title = "questions that occur more than once"

    def look(self, data: LintData) -> LintResult:
        """Groups of the same question, the worst first."""
        groups: dict[tuple[str, str, str], list[Case]] = {}
        silent = 0
        for case in data.cases:
            if not case.question.strip():
                silent += 1
                continue
            key = (case.db_id, same_wording(case.full_question), same_wording(case.knowledge))
            groups.setdefault(key, []).append(case)
        figures: Counter[str] = Counter()
        findings = []
        for cases in groups.values():
            if len(cases) > 1:
                severity, what = _kind_of(cases)
                figures["repeated"] += len(cases) - 1
                figures[what.replace(" ", "_")] += 1
                ids = tuple(case.id for case in cases)
                message = f"{len(cases)} times {cases[0].question_line[:80]!r}: {what}"
                findings.append(LintFinding(severity, ids, message))
        measured = {"questions": sum(map(len, groups.values())), "without_text": silent, **figures}
        return LintResult("duplicate_questions", self.title, measured, findings, hint=_HINT)


def _kind_of(cases: list[Case]) -> tuple[Severity, str]:
    if len({case.answerable for case in cases}) > 1:
        return "error", "answerable and unanswerable"
    if len({case.tags.get(SPLIT_TAG) for case in cases}) > 1:
        return "error", "in several parts"
    if len({frozenset(map(normalised, case.golds)) for case in cases}) > 1:
        return "warning", "with different golds"
    return "info", "the same item"
