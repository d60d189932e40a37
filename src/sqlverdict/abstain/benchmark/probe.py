"""Probes for leakage: can a classifier that never sees the schema tell the answerable questions?

Answerability is about a question *and* a database. Where the question's words or letters alone
tell, a detector can score well and know nothing. Accuracy is measured on questions that the
classifier was not fitted on (five folds; the same wording is never on both sides). Both kinds
weigh the same, however many there are of each: guessing gets 50 % of that balanced accuracy.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from sqlverdict.abstain.benchmark.lint import LintData, LintFinding, LintResult, Severity
from sqlverdict.abstain.benchmark.unanswerable import TYPE_TAG
from sqlverdict.abstain.benchmark.words import same_wording
from sqlverdict.abstain.learn.saved import need_sklearn
from sqlverdict.files.text import count
from sqlverdict.records import Case
from sqlverdict.score.statistics.intervals import wilson

FOLDS = 5
PURPOSE = "a probe for leakage"
"""What scikit-learn is needed for."""
FEWEST = 20
"""Different questions of either kind; with fewer, the accuracy says nothing."""

_SUSPECT, _BROKEN = 0.6, 0.8
"""Balanced accuracy, the lower end of its interval, that is a warning or an error."""

Fit = Callable[[Sequence[str], Sequence[bool], Sequence[str]], Sequence[bool]]
"""From training questions, their labels and test questions to the labels of the latter."""


@dataclass(frozen=True)
class Probe:
    """How well a classifier tells answerable questions from others.

    Attributes:
        accuracy: The share it got right, on questions it was not fitted on.
        balanced: The mean of both kinds' shares got right; guessing gets a half.
        low: The lower end of its interval: the mean of both shares' 95 % intervals.
        high: The upper end.
        answerable: How many answerable questions there were.
        unanswerable: How many others.
        caught: For each type of unanswerable question the share that was told.
    """

    accuracy: float
    balanced: float
    low: float
    high: float
    answerable: int
    unanswerable: int
    caught: Mapping[str, float] = field(default_factory=dict)

    @property
    def severity(self) -> Severity:
        """How bad it is: how well it tells, for certain."""
        return "error" if self.low >= _BROKEN else "warning" if self.low >= _SUSPECT else "info"


def probe_cases(data: LintData) -> list[Case]:
    """The cases to probe: those with words, from the parts that hold unanswerable ones."""
    spoken = [case for case in data.cases if case.question.strip()]
    parts = {case.tags.get("split") for case in spoken if not case.answerable}
    return [case for case in spoken if case.tags.get("split") in parts]


def probed(
    name: str, title: str, what: str, data: LintData, fit: Fit, explain: Callable[[], str]
) -> LintResult:
    """What a probe says, as a lint.

    Args:
        name: The lint's name.
        title: Its title.
        what: What the classifier looks at, in words.
        data: The cases.
        fit: Fits a classifier and applies it.
        explain: What the classifier went by, once it has been fitted.
    """
    cases = probe_cases(data)
    wordings = {(case.answerable, same_wording(case.question)) for case in cases}
    yes = sum(answerable for answerable, _ in wordings)
    if min(yes, len(wordings) - yes) < FEWEST:
        why = (
            f"{yes} answerable and {count(len(wordings) - yes, 'unanswerable question')} in "
            f"different words: a probe needs {FEWEST} of each"
        )
        return LintResult(name, title, skipped=why)
    probe = cross_validated(cases, fit, data.seed)
    figures: dict[str, int | float] = {
        "accuracy": probe.accuracy,
        "balanced_accuracy": probe.balanced,
        "low": probe.low,
        "high": probe.high,
        "answerable": probe.answerable,
        "unanswerable": probe.unanswerable,
        **{f"caught {kind}": share for kind, share in probe.caught.items()},
    }
    message = (
        f"{what} alone tells {probe.balanced:.1%} ({probe.low:.1%} to {probe.high:.1%}) of the "
        f"questions, where guessing gets 50 %{explain()}"
    )
    finding = LintFinding(probe.severity, (), message)
    hint = "word both kinds alike: same writers, same letter case, same marks"
    return LintResult(name, title, figures, (finding,), hint=hint)


def cross_validated(cases: Sequence[Case], fit: Fit, seed: int) -> Probe:
    """The accuracy on questions that the classifier was not fitted on.

    Raises:
        MissingExtra: scikit-learn is not installed.
    """
    # In the order of their words, so that folds do not depend on the order of the file.
    ordered = sorted(cases, key=lambda case: (same_wording(case.question), case.id))
    texts = [case.question for case in ordered]
    labels = [case.answerable for case in ordered]
    groups = [same_wording(text) for text in texts]
    folds = need_sklearn("model_selection", PURPOSE).StratifiedGroupKFold(
        n_splits=FOLDS, shuffle=True, random_state=seed
    )
    labels_by_index: dict[int, bool] = {}
    for train, test in folds.split(texts, labels, groups):
        known = [texts[i] for i in train], [labels[i] for i in train]
        predictions = fit(*known, [texts[i] for i in test])
        labels_by_index |= dict(zip(map(int, test), map(bool, predictions), strict=True))
    return _measured(ordered, labels, labels_by_index)


def _measured(
    cases: Sequence[Case], labels: Sequence[bool], predictions: Mapping[int, bool]
) -> Probe:
    right = [predictions[number] == label for number, label in enumerate(labels)]
    yes, no = sum(labels), len(labels) - sum(labels)
    of_yes = sum(r for r, label in zip(right, labels, strict=True) if label)
    of_no = sum(right) - of_yes
    ends = list(zip(wilson(of_yes, yes), wilson(of_no, no), strict=True))
    every: Counter[str] = Counter()
    caught: Counter[str] = Counter()
    for number, case in enumerate(cases):
        if not case.answerable:
            kind = case.tags.get(TYPE_TAG, "no type")
            every[kind] += 1
            caught[kind] += right[number]
    return Probe(
        accuracy=sum(right) / len(right),
        balanced=(of_yes / yes + of_no / no) / 2,
        low=sum(ends[0]) / 2,
        high=sum(ends[1]) / 2,
        answerable=yes,
        unanswerable=no,
        caught={kind: caught[kind] / number for kind, number in sorted(every.items())},
    )
