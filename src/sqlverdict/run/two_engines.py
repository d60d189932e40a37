"""Cases whose gold is written for another engine than the predictions.

Both databases hold the same data, for which the user answers. The answers are compared by
meaning. Nothing stronger is shown: no proof and no witness speaks of two dialects.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from msgspec import structs

from sqlverdict.compare.preset import QueryPair
from sqlverdict.records import Outcome
from sqlverdict.run.answers_only import AnswersOnlyItem


class TwoEnginesItem(AnswersOnlyItem):
    """An item whose gold runs on a database of its own."""

    why = (
        "the gold and the prediction are written for two engines: answers on equal data are "
        "compared, and nothing stronger is shown"
    )

    @property
    def _gold_database(self) -> str:
        return self.case.gold_database or ""

    def golds(self) -> Sequence[Outcome]:
        """What each gold query gave on its own database."""
        if self._golds is None:
            self._golds = [self._gold(self._gold_database, gold) for gold in self.case.golds]
        return self._golds

    def _gold_outcome(self, database: str, sql: str, index: int) -> Outcome:
        del database, index
        return self._gold(self._gold_database, sql)

    def _pair(self, database: str, gold: str, prediction: str, index: int = 0) -> QueryPair:
        pair = super()._pair(database, gold, prediction, index)
        engine = self._runner.engine_for(self._gold_database)
        probe = partial(self._run, self._gold_database)
        return structs.replace(pair, dialect=engine.dialect, probe=probe)
