"""What a case counts as under a metric, and which metric of a run decides.

A run may have several metrics, and its evidence has a verdict of its own. Reports, JUnit files and
``show`` go by one of them alone: ``verdict`` where it is among the metrics, else the
first metric whose values are 0 or 1. The others stand beside it as figures.

:func:`counted_verdict` says what a case counts as under a metric of 0 and 1, and :data:`WORTH`
what that is worth: every value of such a metric over cases is made of these two.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping

from sqlverdict.records import Fault, Result, Verdict

VERDICT = "verdict"
_OPEN = (Verdict.UNSCORED, Verdict.NEEDS_REVIEW)

WORTH: Mapping[Verdict, float | None] = {
    Verdict.CORRECT: 1.0,
    Verdict.INCORRECT: 0.0,
    Verdict.NEEDS_REVIEW: 0.0,
    Verdict.ABSTAINED_RIGHT: 1.0,
    Verdict.ABSTAINED_WRONG: 0.0,
    Verdict.UNSCORED: None,
}
"""What a case adds to a metric of 0 and 1; ``None``: it is not in the denominator."""


COUNTING = (
    ("a right answer (value 1)", "right", "its value", "+1"),
    ("a wrong answer (value below 1)", "wrong", "its value", "-c"),
    ("a query that fails or exceeds a limit", "wrong where queries are run", "its value", "-c"),
    ("a reply without SQL, a missing prediction", "wrong", "0", "-c"),
    ("abstained, and there is an answer", "not right", "0", "0"),
    ("abstained, and there is none", "right", "left out", "+1"),
    ("answered, and there is none", "wrong", "left out", "-c"),
    ("to review (`verdict` alone)", "not right so far", "", "0"),
    ("unscored", "left out", "left out", "left out"),
)
"""Each kind of case, and what it counts as: by a metric of 0 and 1, by one of degrees, in RS(c)."""


def deciding_metric(labels: Iterable[str], binary: Collection[str]) -> str | None:
    """``verdict``, else the first binary metric; ``None`` where evidence decides."""
    binary_labels = [label for label in labels if label in binary]
    return VERDICT if VERDICT in binary_labels else next(iter(binary_labels), None)


def verdict_by(result: Result, label: str | None) -> Verdict:
    """The verdict on a case by a metric of 0 and 1; by evidence where ``label`` is ``None``.

    A question without an answer is right where the system abstains, whatever the metric. Where the
    metric has no value the case is unscored, or left to a person where evidence says so. Where
    evidence contradicts itself the bug is ours, and no metric can be believed.
    """
    ours = result.verdict is Verdict.UNSCORED and result.fault is Fault.TOOLKIT
    if label is None or not result.answerable or ours:
        return result.verdict
    scores = result.scores
    if label not in scores and (label == VERDICT or result.abstained):
        return result.verdict
    value = scores.get(label)
    if value is None:
        return result.verdict if result.verdict in _OPEN else Verdict.UNSCORED
    if result.abstained:
        return Verdict.ABSTAINED_WRONG
    return Verdict.CORRECT if value >= 1 else Verdict.INCORRECT


def counted_verdict(result: Result, label: str) -> Verdict:
    """What a case counts as under a metric of 0 and 1.

    What needs review does so by ``verdict``; another metric has no value there.
    """
    verdict = verdict_by(result, label)
    needs_review = verdict is Verdict.NEEDS_REVIEW
    return Verdict.UNSCORED if needs_review and label != VERDICT else verdict


def counted_value(result: Result, label: str, *, binary: bool) -> float | None:
    """What a case adds to a metric over a run; ``None``: it is not in the denominator.

    Args:
        result: The case.
        label: The metric.
        binary: Whether its values are all 0 or 1. A metric of degrees has its own value alone.
    """
    return WORTH[counted_verdict(result, label)] if binary else result.scores.get(label)


def reasons_by(result: Result, label: str | None) -> tuple[str, ...]:
    """The reasons of a case; none where the deciding metric goes against them.

    They say why evidence calls a case wrong, or could not say anything: neither holds where the
    metric calls it right, and the second not where the metric has a value.
    """
    if not result.reasons:
        return ()
    verdict = verdict_by(result, label)
    against = verdict is Verdict.CORRECT or result.verdict is Verdict.UNSCORED
    return () if against and verdict is not result.verdict else tuple(result.reasons)
