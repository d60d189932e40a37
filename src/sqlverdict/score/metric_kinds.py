"""What the metrics of one kind share.

On rows (:class:`SimilarityMetric`): the best value over several golds, and whose fault a missing
answer is. On time (:class:`EfficiencyMetric`): medians of interleaved warm runs. On proofs
(:class:`ProofMetric`): 1 where gold and prediction are proved to be one query under a profile. On
opinions (:func:`opinion_score`): what a judge says of every pair that runs.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from operator import attrgetter
from statistics import median
from typing import Any, ClassVar

from sqlverdict.compare.preset import PRESETS
from sqlverdict.evidence import Evidence, Failed, Judged, fault_of
from sqlverdict.records import Answer, Failure, ParseFailure, Reason, Row, Score
from sqlverdict.score.metric import Item, Need


class SimilarityMetric(ABC):
    """A metric whose value is how much two answers have in common, from 0 to 1."""

    needs: frozenset[Need] = frozenset({"answers"})
    parameters: tuple[str, ...] = ()
    binary = False

    @abstractmethod
    def similarity(self, gold: list[Row], prediction: list[Row]) -> float:
        """What the rows have in common."""

    def score(self, item: Item, parameter: str) -> Score:  # noqa: ARG002 - takes none
        """The best similarity over the golds."""
        return best_over_golds(item, self.similarity)


def best_over_golds(
    item: Item,
    similarity: Callable[[list[Row], list[Row]], float],
    rows_of: Callable[[Answer], list[Any]] = attrgetter("rows"),
) -> Score:
    """The best similarity of the prediction's rows to any gold's rows.

    Golds that fail are left out while another gold answers; where all fail, and where the
    database is to blame, the case is unscored. A prediction that fails is worth 0.
    """
    golds = item.golds()
    answered = [rows_of(gold) for gold in golds if isinstance(gold, Answer)]
    if not answered:
        return Score(None, gold_reasons([gold for gold in golds if isinstance(gold, Failure)]))
    outcome = item.answer()
    if isinstance(outcome, Failure):
        return Score(0.0 if outcome.fault is None else None, (outcome.reason,))
    return Score(max(similarity(rows, rows_of(outcome)) for rows in answered))


def gold_reasons(failures: list[Failure]) -> tuple[Reason, ...]:
    """Why no gold gave an answer; no gold at all is a suspect case."""
    if not failures:
        return (Reason.GOLD_SUSPECT,)
    return tuple(dict.fromkeys(_gold_reason(failure) for failure in failures))


def _gold_reason(failure: Failure) -> Reason:
    if failure.fault is not None or failure.reason.startswith("GOLD_"):
        return failure.reason
    if failure.reason is Reason.EXECUTION_TIMEOUT:
        return Reason.GOLD_EXECUTION_TIMEOUT
    return Reason.GOLD_EXECUTION_ERROR


def preset_names(first: str) -> tuple[str, ...]:
    """Every preset's name, ``first`` before the others, which makes it the default.

    Found when asked for, so that a plug-in's preset is a parameter of every metric.
    """
    return (first, *(name for name in PRESETS.names() if name != first))


ROUNDS = 9
"""Timed runs of each query after one warm-up: odd, so that the median is a measured time."""

RESOLUTION = 1e-9
"""Seconds; no clock here is finer, and a query that seems to take no time divides by this."""


class EfficiencyMetric(ABC):
    """A metric whose value is 0 for a wrong answer, else what the speed of a right one is worth."""

    needs: frozenset[Need] = frozenset({"answers", "timing"})
    binary = False

    @property
    def parameters(self) -> tuple[str, ...]:
        """The comparison presets, BIRD's first."""
        return preset_names("bird")

    @abstractmethod
    def worth(self, ratio: float) -> float:
        """What a right answer is worth that is ``ratio`` times as fast as the gold."""

    def score(self, item: Item, parameter: str) -> Score:
        """The worth of a right answer; 0 for a wrong one."""
        ratio = time_ratio(item, parameter)
        return ratio if isinstance(ratio, Score) else Score(self.worth(ratio))


def time_ratio(item: Item, preset: str) -> float | Score:
    """Gold's median time over the prediction's (2.0: twice as fast), or the final score.

    The final score is 0 for a wrong answer and unscored where the preset cannot tell or the
    clock has nothing to say.
    """
    comparison = item.compare(preset)
    if comparison.equal is None:
        return Score(None, comparison.reasons)
    if not comparison.equal:
        return Score(0.0, comparison.reasons)
    gold, prediction = item.clock(ROUNDS)
    if not gold or not prediction:
        return Score(None, (Reason.BUDGET_EXHAUSTED,))
    return max(median(gold), RESOLUTION) / max(median(prediction), RESOLUTION)


class ProofMetric:
    """A metric whose value is whether there is a derivation under its profile."""

    profile: ClassVar[str]
    dialects: ClassVar[frozenset[str] | None] = None
    """The dialects whose queries the profile reads; ``None``: it decides about each query."""
    needs: frozenset[Need] = frozenset({"proof"})
    parameters: tuple[str, ...] = ()
    binary = True

    def score(self, item: Item, parameter: str) -> Score:  # noqa: ARG002 - takes none
        """1 for a derivation, 0 for none; unscored where no gold can be read."""
        if self.dialects is not None and not _dialects(item) <= self.dialects:
            return Score(None, (Reason.UNSUPPORTED_FEATURE,))
        return score_proof(item, self.profile)


def _dialects(item: Item) -> set[str]:
    """The dialects of the golds."""
    return {item.query(gold).dialect for gold in item.case.golds}


def score_proof(item: Item, profile: str) -> Score:
    """1 for a derivation under a profile, 0 for none; unscored where no gold can be read."""
    golds = [gold for gold in item.case.golds if gold.strip()]
    if not golds:
        return Score(None, (Reason.GOLD_SUSPECT,))
    if item.schema() is None:
        return Score(None, (Reason.DATABASE_UNAVAILABLE,))
    derivation = item.prove(profile)
    if derivation.proved:
        return Score(1.0)
    read = [item.query(gold) for gold in golds]
    if all(isinstance(query, ParseFailure) for query in read):
        reasons = {query.reason for query in read if isinstance(query, ParseFailure)}
        return Score(None, tuple(sorted(reasons)))
    reason = getattr(derivation, "reason", None)
    return Score(0.0, () if reason is None else (reason,))


def opinion_score(evidence: Sequence[Evidence], is_asked: Callable[[Judged], bool]) -> Score:
    """1 where the judge says right, 0 where it denies it or the prediction fails.

    Args:
        evidence: All that was found out about a case.
        is_asked: Whether an opinion is the one that the metric asked for.
    """
    for piece in evidence:
        if isinstance(piece, Judged) and is_asked(piece):
            return Score(None if piece.correct is None else float(piece.correct), piece.reasons)
    for piece in evidence:
        if isinstance(piece, Failed) and piece.query == "prediction":
            return Score(0.0, piece.reasons)
    # Why no judge was asked: a fault, else that there is none.
    faults = (piece.reasons for piece in evidence if fault_of(piece) is not None)
    return Score(None, next(faults, (Reason.JUDGE_UNAVAILABLE,)))
