"""Does letter case alone tell the answerable questions from the others?

A small decision tree on three numbers: whether the first letter is a capital, how many later
words begin with one, and how many words are capitals throughout. On TrustSQL's Advising part
letter case is enough for 95.5 %.
"""

from __future__ import annotations

from collections.abc import Sequence

from sqlverdict.abstain.benchmark.lint import LINTS, LintData, LintResult
from sqlverdict.abstain.benchmark.probe import PURPOSE, probe_cases, probed
from sqlverdict.abstain.learn.saved import need_sklearn


@LINTS.member
class LeakageCase:
    """A classifier that sees nothing but capitals, cross-validated."""

    title = "leakage by letter case"

    def look(self, data: LintData) -> LintResult:
        """How well letter case alone tells."""
        return probed("leakage_case", self.title, "letter case", data, _fit, lambda: _shares(data))


def capitals(text: str) -> tuple[int, int, int]:
    """The three numbers that the tree sees; no share, which would tell a question's length."""
    first = next((letter for letter in text if letter.isalpha()), "a").isupper()
    later = sum(word[:1].isupper() for word in text.split()[1:])
    whole = sum(len(word) > 1 and word.isupper() for word in text.split())
    return int(first), later, whole


def _fit(texts: Sequence[str], labels: Sequence[bool], others: Sequence[str]) -> Sequence[bool]:
    tree = need_sklearn("tree", PURPOSE).DecisionTreeClassifier(
        max_depth=3, class_weight="balanced", random_state=0
    )
    tree.fit([capitals(text) for text in texts], list(labels))
    labels_of_others: list[bool] = tree.predict([capitals(text) for text in others]).tolist()
    return labels_of_others


def _shares(data: LintData) -> str:
    parts = []
    for answerable, word in ((True, "answerable"), (False, "unanswerable")):
        texts = [case.question for case in probe_cases(data) if case.answerable is answerable]
        first = sum(capitals(text)[0] for text in texts) / max(1, len(texts))
        parts.append(f"{first:.0%} of the {word} begin with a capital")
    return "; " + ", ".join(parts)
