"""Does letter case alone tell the answerable questions from the others?

A small decision tree on four numbers: whether the first letter is a capital, whether there is
any, how many words begin with one after the first, and the share of capitals. On TrustSQL's
Advising part that is enough for 95.5 %.
"""

from __future__ import annotations

from collections.abc import Sequence

from sqlverdict.abstain.benchmark.lint import LINTS, LintData, Linted
from sqlverdict.abstain.benchmark.probe import need_sklearn, probe_cases, probed


@LINTS.member
class LeakageCase:
    """A classifier that sees nothing but capitals, cross-validated."""

    title = "leakage by letter case"

    def look(self, data: LintData) -> Linted:
        """How well letter case alone tells."""
        return probed("leakage_case", self.title, "letter case", data, _fit, lambda: _shares(data))


def capitals(text: str) -> tuple[float, float, float, float]:
    """The four numbers that the tree sees."""
    letters = [letter for letter in text if letter.isalpha()]
    upper = sum(letter.isupper() for letter in letters)
    later = sum(word[:1].isupper() for word in text.split()[1:])
    first = bool(letters) and letters[0].isupper()
    return float(first), float(upper > 0), float(later), upper / max(1, len(letters))


def _fit(texts: Sequence[str], labels: Sequence[bool], others: Sequence[str]) -> Sequence[bool]:
    tree = need_sklearn("tree").DecisionTreeClassifier(
        max_depth=3, class_weight="balanced", random_state=0
    )
    tree.fit([capitals(text) for text in texts], list(labels))
    found: list[bool] = tree.predict([capitals(text) for text in others]).tolist()
    return found


def _shares(data: LintData) -> str:
    parts = []
    for answerable, word in ((True, "answerable"), (False, "unanswerable")):
        texts = [case.question for case in probe_cases(data) if case.answerable is answerable]
        first = sum(capitals(text)[0] for text in texts) / max(1, len(texts))
        parts.append(f"{first:.0%} of the {word} begin with a capital")
    return "; " + ", ".join(parts)
