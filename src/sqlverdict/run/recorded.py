"""A case whose answers were recorded elsewhere: nothing is run for it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from sqlverdict.compare.preset import DEFAULT_PRESET, PRESETS, Pair
from sqlverdict.execute.desk import Desk
from sqlverdict.parse.schema import Schema
from sqlverdict.records import Answer, Case, Comparison, Outcome, Prediction, Reason, Recording
from sqlverdict.run.item import DeskItem
from sqlverdict.run.refuter import Refuter


class RecordedItem(DeskItem):
    """An item whose answers, and whether they match, come from a record.

    Whether they match does not depend on the preset: the record says it, and order and
    duplicates, on which presets differ, may be lost in it.
    """

    def __init__(
        self,
        case: Case,
        prediction: Prediction,
        desk: Desk,
        refuter: Refuter | None = None,
        schemas: Mapping[str, Schema] | None = None,
        null_keys: bool = False,
        witnesses: Path | None = None,
    ) -> None:
        super().__init__(case, prediction, desk, refuter, schemas or {}, null_keys, witnesses)
        assert case.recorded is not None, "a recorded item has a record"
        self._record: Recording = case.recorded

    def golds(self) -> Sequence[Outcome]:
        """What each gold gave, as recorded."""
        return self._record.golds

    def answer(self) -> Outcome:
        """What the prediction gave, as recorded."""
        return self._record.prediction

    def compare(self, preset: str, database: str | None = None) -> Comparison:
        """Whether the answers matched, as recorded."""
        del preset
        if database is not None and database != self.database:
            return Comparison(None, (Reason.DATABASE_UNAVAILABLE,), message="only one is recorded")
        if self._record.equal:
            return Comparison(True)
        return Comparison(False, self._reasons())

    def pair(self) -> Pair:
        """The two queries; there is nothing to probe."""
        dialect = self._desk.engine.dialect
        return Pair(self.case.golds[0], self.prediction.sql or "", dialect, self.case.contract)

    def databases(self) -> Sequence[str]:
        """The one database that the record speaks of."""
        return (self.database,)

    def clock(self, rounds: int) -> tuple[list[float], list[float]]:
        """Nothing is run, so nothing can be timed."""
        del rounds
        return [], []

    def _reasons(self) -> tuple[Reason, ...]:
        """How the recorded answers differ, as far as they show it."""
        gold = next((found for found in self._record.golds if isinstance(found, Answer)), None)
        found = self._record.prediction
        if gold is None or not isinstance(found, Answer) or not self._record.whole:
            return (Reason.VALUE_MISMATCH,)
        if gold.rows and not found.rows:
            return (Reason.EMPTY_RESULT,)
        compared = PRESETS.get(DEFAULT_PRESET).compare(gold, found, self.pair())
        return compared.reasons or (Reason.VALUE_MISMATCH,)
