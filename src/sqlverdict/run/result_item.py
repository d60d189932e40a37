"""Cases whose gold, or prediction, is a result instead of a query."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from sqlverdict.compare.preset import Preset, QueryPair
from sqlverdict.evidence import Relation
from sqlverdict.evidence_parts import GeneratedRelation
from sqlverdict.records import Outcome, Reason
from sqlverdict.refute.witness import NotRefuted, Refutation
from sqlverdict.run.item import RunItem
from sqlverdict.run.prove_stage import SOUND

if TYPE_CHECKING:
    from sqlverdict.prove.proof import Derivation

_NO_QUERY = "the gold or the prediction is a result, not a query"


class ResultItem(RunItem):
    """An item one side of which is a result; the other side is run where it is a query.

    Nothing but the two answers is compared: what needs two queries says that there are not two.
    """

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

    def databases(self) -> Sequence[str]:
        """The one database that the result is of."""
        return (self.database,)

    def clock(self, rounds: int) -> tuple[list[float], list[float]]:
        """A result takes no time."""
        del rounds
        return [], []

    def prove(self, profile: str = SOUND) -> Derivation:
        """Nothing: there are not two queries."""
        from sqlverdict.prove.proof import NotProved

        del profile
        return NotProved(_NO_QUERY, Reason.RESULT_ALONE)

    def refute(self) -> Refutation:
        """Nothing: on other data the result would be another one."""
        return NotRefuted(0, reason=Reason.RESULT_ALONE, message=_NO_QUERY)

    def refute_relation(self, relation: Relation) -> Refutation | None:
        """Nothing, as :meth:`refute`."""
        del relation
        return self.refute()

    def relate(self) -> GeneratedRelation | None:
        """Nothing, as :meth:`refute`."""
        return None
