"""Thresholds for detectors, found on validation questions whose answers are marked.

Answers are marked by running them beside the gold, with a named comparison preset. The threshold is
TrustSQL's heuristic (appendix J) by default; with ``risk`` a certified threshold, which comes
with a promise. Both are in ``score/reliability/thresholds.py``; here they meet a detector.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from sqlverdict.abstain.method import Detection, Detector, Draft, TrainingExample
from sqlverdict.compare.preset import PRESETS, QueryPair
from sqlverdict.errors import DataError
from sqlverdict.execute.query_runner import QueryRunner
from sqlverdict.parse.tokens import normalised
from sqlverdict.records import Answer, Failure, Outcome
from sqlverdict.score.reliability.thresholds import certified_threshold, heuristic_threshold


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
            f"threshold can be found. Expected answerable validation questions whose gold runs",
            reason="empty",
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


def mark_drafts(
    examples: Sequence[TrainingExample], runner: QueryRunner, preset: str = "strict"
) -> list[TrainingExample]:
    """The examples with ``correct`` filled in, where a draft can be marked.

    A draft without SQL is wrong, and so is any answer to an unanswerable question. Where the
    gold fails or the database is missing, all stay open (``None``), even a draft that reads as
    the gold does: who learned from those alone would think that the generator is always right.
    """
    return [replace(example, correct=_right(example, runner, preset)) for example in examples]


def _right(example: TrainingExample, runner: QueryRunner, preset: str) -> bool | None:
    draft = example.draft
    if draft is None or draft.problem is not None or draft.abstained:
        return None
    if not example.answerable:
        return False
    return None if example.sql is None else _same(example, draft, runner, preset)


def _same(example: TrainingExample, draft: Draft, runner: QueryRunner, name: str) -> bool | None:
    ask = example.ask
    database = example.marked_on or ask.database or ask.db_id
    preset = PRESETS.get(name)
    gold_sql, sql = preset.prepare(example.sql or "", draft.sql or "")

    def run(text: str) -> Outcome:
        return runner.run(database, text)

    gold = run(gold_sql)
    if not isinstance(gold, Answer):
        return None
    if draft.sql is None:
        return False
    if normalised(draft.sql) == normalised(example.sql or ""):
        return True
    outcome = run(sql)
    if isinstance(outcome, Failure):
        return None if outcome.fault is not None else False
    pair = QueryPair(gold_sql, sql, runner.engine_for(database).dialect, probe=run)
    return preset.compare(gold, outcome, pair).equal
