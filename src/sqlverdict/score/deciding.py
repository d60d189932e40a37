"""Which metric of a run decides what its reports call right and wrong, and what it says.

A run may have several metrics, and its evidence has a verdict of its own. Reports, JUnit files,
``list`` and ``show`` go by one of them alone: ``verdict`` where it is among the metrics, else the
first metric whose values are 0 or 1. The others stand beside it as figures.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import Protocol

from sqlverdict.records import Fault, Result, Verdict

VERDICT = "verdict"
_OPEN = (Verdict.UNSCORED, Verdict.NEEDS_REVIEW)


class DecidedResult(Protocol):
    """What is read of a result."""

    @property
    def verdict(self) -> Verdict:
        """The verdict by evidence."""
        ...

    @property
    def fault(self) -> Fault | None:
        """Whose fault it is that there is no verdict."""
        ...

    @property
    def abstained(self) -> bool:
        """Whether the system abstained."""
        ...

    @property
    def answerable(self) -> bool:
        """Whether the question has an answer."""
        ...

    @property
    def scores(self) -> Mapping[str, float | None]:
        """The values of the metrics."""
        ...


def deciding_metric(labels: Iterable[str], binary: Collection[str]) -> str | None:
    """``verdict``, else the first binary metric; ``None`` where evidence decides."""
    binary_labels = [label for label in labels if label in binary]
    return VERDICT if VERDICT in binary_labels else next(iter(binary_labels), None)


def verdict_by(result: DecidedResult, label: str | None) -> Verdict:
    """The verdict on a case by the deciding metric.

    Abstentions and questions without an answer are no metric's business. Where the metric has no
    value the case is unscored, or left to a person where evidence says so. Where evidence
    contradicts itself the bug is ours, and no metric can be believed.
    """
    if result.verdict is Verdict.UNSCORED and result.fault is Fault.TOOLKIT:
        return result.verdict
    scores = result.scores
    if label is None or label not in scores or result.abstained or not result.answerable:
        return result.verdict
    value = scores[label]
    if value is None:
        return result.verdict if result.verdict in _OPEN else Verdict.UNSCORED
    return Verdict.CORRECT if value == 1 else Verdict.INCORRECT


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
