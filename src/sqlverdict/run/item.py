"""One case with its prediction: runs what it is asked for, once."""

from __future__ import annotations

from collections.abc import Sequence

from sqlverdict.compare.preset import PRESETS, Pair
from sqlverdict.execute.desk import Desk
from sqlverdict.records import (
    Answer,
    Case,
    Comparison,
    Failure,
    Outcome,
    ParseFailure,
    Prediction,
    Query,
    Reason,
)
from sqlverdict.refute.witness import NotRefuted, Refutation
from sqlverdict.run.refuter import Refuter

_RUNS_OUT = frozenset({Reason.EXECUTION_TIMEOUT, Reason.ROW_LIMIT, Reason.MEMORY_LIMIT})


class DeskItem:
    """An :class:`~sqlverdict.score.metric.Item` whose answers come from a desk."""

    def __init__(
        self, case: Case, prediction: Prediction, desk: Desk, refuter: Refuter | None = None
    ) -> None:
        self.case = case
        self.prediction = prediction
        self.database = case.database or case.db_id
        self._desk = desk
        self._refuter = refuter
        self._refutation: Refutation | None = None
        self._golds: list[Outcome] | None = None
        self._answer: Outcome | None = None
        self._compared: dict[tuple[str, str | None], Comparison] = {}

    def golds(self) -> Sequence[Outcome]:
        """What each gold query gave."""
        if self._golds is None:
            self._golds = [self._desk.run(self.database, gold) for gold in self.case.golds]
        return self._golds

    def answer(self) -> Outcome:
        """What the predicted query gave."""
        if self._answer is None:
            self._answer = self._desk.run(self.database, self.prediction.sql or "")
        return self._answer

    def compare(self, preset: str, database: str | None = None) -> Comparison:
        """The prediction against the golds: equal if it equals any of them."""
        place = (preset, database)
        found = self._compared.get(place)
        if found is None:
            found = self._compared[place] = self._compare(preset, database or self.database)
        return found

    def _compare(self, preset: str, database: str) -> Comparison:
        best: Comparison | None = None
        for gold in self.case.golds:
            found = self._compare_one(preset, database, gold)
            if found.equal:
                return found
            if best is None or _rank(found) > _rank(best):
                best = found
        assert best is not None, "an answerable case has a gold"
        return best

    def _compare_one(self, name: str, database: str, gold_sql: str) -> Comparison:
        preset = PRESETS.get(name)
        gold_sql, prediction_sql = preset.prepare(gold_sql, self.prediction.sql or "")
        gold = self._desk.run(database, gold_sql)
        if isinstance(gold, Failure):
            return _gold_failed(gold)
        prediction = self._desk.run(database, prediction_sql)
        if isinstance(prediction, Failure):
            equal = None if prediction.fault else False
            return Comparison(equal, (prediction.reason,), message=prediction.message)

        def probe(sql: str) -> Outcome:
            return self._desk.run(database, sql)

        dialect = self._desk.engine.dialect
        pair = Pair(gold_sql, prediction_sql, dialect, self.case.contract, probe)
        return preset.compare(gold, prediction, pair)

    def pair(self) -> Pair:
        """What relations may look at besides the answers."""
        gold = self.case.golds[0]
        return Pair(
            gold,
            self.prediction.sql or "",
            self._desk.engine.dialect,
            self.case.contract,
            lambda sql: self._desk.run(self.database, sql),
        )

    def databases(self) -> Sequence[str]:
        """The case's database and the others in its folder: its test suite."""
        from sqlverdict.load.databases import suite_of

        return suite_of(self.database, self.case.db_id, self._desk.engine.suffixes)

    def clock(self, rounds: int) -> tuple[list[float], list[float]]:
        """Seconds of the first gold that answers and of the prediction, interleaved."""
        for gold in self.case.golds:
            if isinstance(self._desk.run(self.database, gold), Answer):
                queries = [gold, self.prediction.sql or ""]
                ours, theirs = self._desk.clock(self.database, queries, rounds)
                return ours, theirs
        return [], []

    def refute(self) -> Refutation:
        """A witness against every gold, or that none was found."""
        if self._refutation is None:
            if self._refuter is None:
                self._refutation = NotRefuted(0, message="this run does not search for witnesses")
            else:
                refuter, sql = self._refuter, self.prediction.sql or ""
                found = self._desk.watched(
                    self.database, f"refute {sql}", lambda: refuter.refute(self.case, sql)
                )
                self._refutation = found or NotRefuted(0, reason=Reason.BUDGET_EXHAUSTED)
        return self._refutation

    def witness_file(self) -> str | None:
        """The name of the file that holds the witness, where one was found and kept."""
        refuter, found = self._refuter, self._refutation
        if refuter is None or refuter.how.folder is None or found is None or not found.refuted:
            return None
        from sqlverdict.refute.export import safe_name
        from sqlverdict.run.refuter import witness_name

        return f"{safe_name(witness_name(self.case, self.prediction.sql or ''))}.sql"

    def query(self, sql: str) -> Query | ParseFailure:
        """The parsed query."""
        from sqlverdict.parse.query import parse

        return parse(sql, self._desk.engine.dialect)


def _rank(comparison: Comparison) -> int:
    """Among golds none of which is equal: different beats open beats failed."""
    if comparison.equal is False:
        return 2
    failed = {Reason.GOLD_EXECUTION_ERROR, Reason.GOLD_EXECUTION_TIMEOUT}
    return 0 if failed.intersection(comparison.reasons) else 3


def _gold_failed(gold: Failure) -> Comparison:
    if gold.fault is not None:
        return Comparison(None, (gold.reason,), message=gold.message)
    late = gold.reason in _RUNS_OUT
    reason = Reason.GOLD_EXECUTION_TIMEOUT if late else Reason.GOLD_EXECUTION_ERROR
    return Comparison(None, (reason,), message=f"{gold.reason}: {gold.message}")
