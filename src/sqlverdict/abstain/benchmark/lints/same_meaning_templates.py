"""Templates that are the same query in other words, found by proof.

Where one is in train and the other is not, an "unseen" question has been seen.
"""

from __future__ import annotations

from collections.abc import Iterable

from sqlverdict.abstain.benchmark.lint import (
    LINTS,
    SPLIT_TAG,
    LintData,
    LintFinding,
    LintResult,
    Severity,
)
from sqlverdict.records import Case

_HINT = "give both the same template, and split by templates that mean the same"


@LINTS.member
class SameMeaningTemplates:
    """Joins templates by proof."""

    title = "templates that mean the same"

    def look(self, data: LintData) -> LintResult:
        """Pairs of templates that were proved to be one query."""
        meanings = data.meanings
        members: dict[str, list[Case]] = {}
        for case in data.cases:
            if case.id in data.templates:
                members.setdefault(data.templates[case.id].id, []).append(case)
        findings = []
        across = 0
        for pair in meanings.same:
            first, second = pair.first.id, pair.second.id
            one, other = members.get(first, []), members.get(second, [])
            ids = tuple(case.id for case in one[:1] + other[:1])
            leaks = _leaks(one, other) or _leaks(other, one)
            across += leaks
            severity: Severity = "error" if leaks else "warning"
            message = f"{pair.first.text} is {pair.second.text}"
            detail = {"rules": list(pair.rules), "templates": [first, second], "unseen": leaks}
            findings.append(LintFinding(severity, ids, message, detail))
        figures = {
            "templates": len(meanings.templates),
            "meanings": len(set(meanings.classes.values())),
            "pairs_proved": len(meanings.same),
            "pairs_alike": meanings.pairs,
            "unseen_but_known": across,
            "beyond_the_prover": meanings.unreadable,
        }
        return LintResult("same_meaning_templates", self.title, figures, findings, hint=_HINT)


def _leaks(known: Iterable[Case], others: Iterable[Case]) -> bool:
    """Whether train knows a template that counts as unseen elsewhere."""
    parts = {case.tags.get(SPLIT_TAG) for case in others}
    unseen = any(case.tags.get("seen") != "seen" for case in others)
    in_train = any(case.tags.get(SPLIT_TAG) == "train" for case in known)
    return in_train and "train" not in parts and unseen
