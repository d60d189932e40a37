"""Metrics on rows: the best value over several golds, and whose fault a missing answer is."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from operator import attrgetter
from typing import Any

from sqlverdict.records import Answer, Failure, Reason, Row, Score
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
