"""Cases whose answers were recorded elsewhere: which of them are run, and how the others look."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from msgspec import structs

from sqlverdict.compare.preset import DEFAULT_PRESET, PRESETS, QueryPair
from sqlverdict.execute.query_runner import QueryRunner
from sqlverdict.records import (
    Answer,
    Case,
    Comparison,
    Failure,
    Outcome,
    Prediction,
    Reason,
    Recording,
)
from sqlverdict.run.item import RunItem
from sqlverdict.run.refute_stage import Refuter


class RecordedItem(RunItem):
    """An item whose answers, and whether they match, come from a record.

    Where the record says whether they match, it does not depend on the preset: order and
    duplicates, on which presets differ, may be lost. Whole answers of which it says nothing are
    compared.
    """

    def __init__(
        self,
        case: Case,
        prediction: Prediction,
        runner: QueryRunner,
        refuter: Refuter,
        witnesses: Path | None = None,
    ) -> None:
        super().__init__(case, prediction, runner, refuter, witnesses)
        record = case.recorded_answers
        assert record is not None, "a recorded item has a record"
        self._record: Recording = record

    def golds(self) -> Sequence[Outcome]:
        """What each gold gave, as recorded."""
        return self._record.golds

    def answer(self) -> Outcome:
        """What the prediction gave, as recorded."""
        return self._record.prediction

    def compare(self, preset: str, database: str | None = None) -> Comparison:
        """Whether the answers matched, as recorded."""
        if database is not None and database != self.database:
            return Comparison(None, (Reason.DATABASE_UNAVAILABLE,), message="only one is recorded")
        (gold, *_), prediction = self._record.golds, self._record.prediction
        if isinstance(gold, Failure):
            reason = gold.reason if gold.fault is not None else Reason.GOLD_EXECUTION_ERROR
            return Comparison(None, (reason,), message=gold.message)
        if not self.prediction.responds:
            return Comparison(False, (Reason.NO_SQL_PRODUCED,))
        if isinstance(prediction, Failure):
            equal = None if prediction.fault is not None else False
            return Comparison(equal, (prediction.reason,), message=prediction.message)
        if self._record.equal is None:
            return PRESETS.get(preset).compare(gold, prediction, self.pair())
        if self._record.equal:
            return Comparison(True)
        return Comparison(False, self._reasons())

    def pair(self) -> QueryPair:
        """The two queries; there is nothing to probe."""
        pair = self._pair(self.database, self.case.golds[0], self.prediction.sql or "")
        return structs.replace(pair, probe=None)

    def databases(self) -> Sequence[str]:
        """The one database that the record speaks of."""
        return (self.database,)

    def clock(self, rounds: int) -> tuple[list[float], list[float]]:
        """Nothing is run, so nothing can be timed."""
        del rounds
        return [], []

    def _reasons(self) -> tuple[Reason, ...]:
        """How the recorded answers differ, as far as they show it."""
        gold = next(
            (outcome for outcome in self._record.golds if isinstance(outcome, Answer)), None
        )
        prediction = self._record.prediction
        if gold is None or not isinstance(prediction, Answer) or not self._record.whole:
            return (Reason.VALUE_MISMATCH,)
        if gold.rows and not prediction.rows:
            return (Reason.EMPTY_RESULT,)
        compared = PRESETS.get(DEFAULT_PRESET).compare(gold, prediction, self.pair())
        return compared.reasons or (Reason.VALUE_MISMATCH,)
