"""Does the database alone tell the answerable questions from the others, or their types?

Where one database has more unanswerable questions than answerable ones, or one type of them more
than others, a detector wins by knowing the database. The classifier says for each question what
most other questions of its database are. It is measured on questions that it has not seen,
against the share of the most frequent kind, which a guess gets.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from sqlverdict.abstain.benchmark.lint import (
    LINTS,
    LintData,
    LintFinding,
    LintResult,
    Severity,
)
from sqlverdict.abstain.benchmark.probe import FEWEST, FOLDS, PURPOSE, probe_cases
from sqlverdict.abstain.benchmark.unanswerable import TYPE_TAG
from sqlverdict.abstain.benchmark.words import same_wording
from sqlverdict.abstain.learn.saved import need_sklearn
from sqlverdict.files.text import count
from sqlverdict.records import Case
from sqlverdict.score.statistics.intervals import wilson

_NAME = "leakage_database"
_BROKEN = 0.2
"""So far above a guess, for certain, it is an error."""

_HINT = "give each database as many unanswerable questions as answerable ones, of all types alike"


@LINTS.member
class LeakageDatabase:
    """A classifier that sees nothing but the database, cross-validated."""

    title = "leakage by database"

    def look(self, data: LintData) -> LintResult:
        """How well the database alone tells answerable questions, and types of others."""
        cases = probe_cases(data)
        others = [case for case in cases if not case.answerable]
        fewest = min(len(others), len(cases) - len(others))
        if len({case.db_id for case in cases}) < 2 or fewest < FEWEST:
            why = f"a probe needs two databases and {count(FEWEST, 'question')} of either kind"
            return LintResult(_NAME, self.title, skipped=why)
        shares = {
            "": _database_share(cases, lambda case: str(case.answerable), data.seed),
            "type_": _database_share(others, lambda case: case.tags.get(TYPE_TAG, ""), data.seed),
        }
        figures: dict[str, int | float] = {"databases": len({case.db_id for case in cases})}
        for name, share in shares.items():
            figures |= {
                f"{name}accuracy": share.accuracy,
                f"{name}low": share.low,
                f"{name}high": share.high,
                f"{name}majority": share.majority,
                f"{name}questions": share.questions,
            }
        findings = [
            LintFinding(
                share.severity,
                (),
                f"the database alone tells {what} of {share.accuracy:.1%} ({share.low:.1%} to "
                f"{share.high:.1%}) of {count(share.questions, 'question')}, where a guess gets "
                f"{share.majority:.1%}",
            )
            for share, what in zip(
                shares.values(), ("the answerability", "the unanswerable type"), strict=True
            )
        ]
        return LintResult(_NAME, self.title, figures, findings, hint=_HINT)


@dataclass(frozen=True)
class _DatabaseShare:
    """The share of questions that was told, its interval, and what a guess gets."""

    accuracy: float
    low: float
    high: float
    majority: float
    questions: int

    @property
    def severity(self) -> Severity:
        above = self.low - self.majority
        return "error" if above >= _BROKEN else "warning" if above > 0 else "info"


def _database_share(
    cases: Sequence[Case], label: Callable[[Case], str], seed: int
) -> _DatabaseShare:
    """The share of questions whose label is the most frequent one of their database."""
    # In the order of their words, so that folds do not depend on the order of the file.
    ordered = sorted(cases, key=lambda case: (same_wording(case.question), case.id))
    labels = [label(case) for case in ordered]
    groups = [same_wording(case.question) for case in ordered]
    folds = need_sklearn("model_selection", PURPOSE).StratifiedGroupKFold(
        n_splits=FOLDS, shuffle=True, random_state=seed
    )
    right = 0
    for train, test in folds.split(groups, labels, groups):
        most = Counter(labels[i] for i in train)
        by_database: dict[str, Counter[str]] = {}
        for i in train:
            by_database.setdefault(ordered[i].db_id, Counter())[labels[i]] += 1
        for i in test:
            own = by_database.get(ordered[i].db_id, most)
            right += labels[i] == max(sorted(own), key=own.__getitem__)
    low, high = wilson(right, len(ordered))
    majority = max(Counter(labels).values()) / len(ordered)
    return _DatabaseShare(right / len(ordered), low, high, majority, len(ordered))
