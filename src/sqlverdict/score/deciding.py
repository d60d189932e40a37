"""Which metric of a run decides what its reports call right and wrong, and what it says.

A run may have several metrics, and its evidence has a verdict of its own. Reports, JUnit files
and ``show`` go by one of them alone: the first metric whose values are 0 or 1. The others stand
beside it as figures.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import Protocol

from sqlverdict.records import Fault, Result, Verdict

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
    """The first binary metric of a run; ``None`` where it has none, and evidence decides."""
    return next((label for label in labels if label in binary), None)


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
    """The reasons of a case; none where the deciding metric calls it right against them."""
    if not result.reasons:
        return ()
    verdict = verdict_by(result, label)
    overruled = verdict is Verdict.CORRECT and result.verdict is not Verdict.CORRECT
    return () if overruled else tuple(result.reasons)
