"""Cases whose gold, or prediction, is a result instead of a query."""

from __future__ import annotations

from collections.abc import Sequence

from sqlverdict.compare.preset import Preset, QueryPair
from sqlverdict.records import Outcome, Reason
from sqlverdict.run.answers_only import AnswersOnlyItem


class ResultItem(AnswersOnlyItem):
    """An item one side of which is a result; the other side is run where it is a query.

    On other data the result would be another one.
    """

    why = "the gold or the prediction is a result, not a query"
    reason = Reason.RESULT_ALONE

    @property
    def gold_texts(self) -> tuple[str, ...]:
        """The gold queries, or the titles of the gold results."""
        answers = self.case.gold_answers
        return tuple(answer.title for answer in answers) or self.case.golds

    @property
    def prediction_text(self) -> str:
        """The predicted query, or the title of the predicted result."""
        answer = self.prediction.answer
        return super().prediction_text if answer is None else answer.title

    def golds(self) -> Sequence[Outcome]:
        """The gold results, or what the gold queries gave."""
        return self.case.gold_answers or super().golds()

    def answer(self) -> Outcome:
        """The predicted result, or what the predicted query gave."""
        answer = self.prediction.answer
        return super().answer() if answer is None else answer

    def pair(self) -> QueryPair:
        """What relations may look at besides the answers: there is no query of a result."""
        return self._pair(self.database, self._gold_sql(0), self._prediction_sql())

    def _gold_sql(self, index: int) -> str:
        return "" if self.case.gold_answers else self.case.golds[index]

    def _prediction_sql(self) -> str:
        return "" if self.prediction.answer is not None else self.prediction.sql or ""

    def _prepare(self, preset: Preset, index: int) -> tuple[str, str]:
        return preset.prepare(self._gold_sql(index), self._prediction_sql())

    def _gold_outcome(self, database: str, sql: str, index: int) -> Outcome:
        answers = self.case.gold_answers
        return answers[index] if answers else super()._gold_outcome(database, sql, index)

    def _prediction_outcome(self, database: str, sql: str) -> Outcome:
        answer = self.prediction.answer
        return super()._prediction_outcome(database, sql) if answer is None else answer
