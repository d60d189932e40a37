"""Thresholds for detectors, found on validation questions whose answers are marked.

TrustSQL's heuristic (appendix J) by default; with ``risk`` a certified threshold, which comes
with a promise. Both are in ``thresholds.py``; here they meet a detector.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sqlverdict.abstain.method import Detection, Detector, TrainingExample
from sqlverdict.abstain.thresholds import certified_threshold, heuristic_threshold
from sqlverdict.errors import DataError


@dataclass(frozen=True)
class ThresholdFit:
    """How a threshold was found.

    Attributes:
        detector: The detector's name.
        threshold: What it was set to; infinite: never answer.
        items: Validation answers it was found on.
        answered: How many of them it lets through.
        wrong: How many of those are wrong.
        how: The way, in words: the penalty, or the promise.
        curve: ``(answered, sum)`` after each group of equal confidence (the paper's figure 2).
    """

    detector: str
    threshold: float
    items: int
    answered: int
    wrong: int
    how: str
    curve: tuple[tuple[int, float], ...] = ()


def calibrate(
    detector: Detector,
    examples: Sequence[TrainingExample],
    findings: Sequence[Detection],
    *,
    penalty: float = 1.0,
    risk: float | None = None,
    delta: float = 0.1,
) -> ThresholdFit:
    """Set a detector's threshold.

    Args:
        detector: Its threshold is set.
        examples: Answerable validation questions with marked drafts.
        findings: What the detector found about each.
        penalty: What a wrong answer costs; a right one is worth 1.
        risk: Certify this error rate instead.
        delta: The chance that such a certificate is wrong.

    Raises:
        DataError: no marked answer is left to learn from.
    """
    known = [
        (finding.confidence, example.correct)
        for example, finding in zip(examples, findings, strict=True)
        if finding.confidence is not None and example.correct is not None
    ]
    if not known:
        raise DataError(
            f"{detector.name}: found no validation answers that are marked right or wrong, so no "
            f"threshold can be found. Expected answerable validation questions whose gold runs"
        )
    confidences = [confidence for confidence, _ in known]
    right = [correct for _, correct in known]
    if risk is None:
        threshold = heuristic_threshold(confidences, right, penalty)
        detector.threshold = threshold.value
        return ThresholdFit(
            detector.name,
            threshold.value,
            threshold.items,
            threshold.answered,
            threshold.wrong,
            f"largest sum, a right answer worth 1 and a wrong one -{penalty:g}",
            tuple(threshold.curve()),
        )
    sure = certified_threshold(confidences, right, risk=risk, delta=delta)
    detector.threshold = sure.value
    return ThresholdFit(
        detector.name, sure.value, sure.items, sure.answered, sure.wrong, sure.guarantee
    )
