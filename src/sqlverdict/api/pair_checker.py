"""Examines one pair after the other on open databases, for one thread at a time."""

from __future__ import annotations

from collections.abc import Mapping

from sqlverdict.api.pair_result import MOST_ROWS, PairResult, difference_of
from sqlverdict.compare.difference import AnswerDifference
from sqlverdict.execute.query_runner import QueryRunner, Watch
from sqlverdict.load.replies.notes import reply_notes
from sqlverdict.records import Answer, Case, Failure, Outcome, Prediction
from sqlverdict.run.attempt import Blame
from sqlverdict.run.examine import Examiner
from sqlverdict.run.memory import ResultMemory
from sqlverdict.run.outcome import MetricValue, result_of
from sqlverdict.run.plan import RunPlan
from sqlverdict.run.task import Task
from sqlverdict.score.deciding import deciding_metric


class PairChecker:
    """Open databases, and their answers.

    Args:
        plan: What is done.
        watch: Told what begins and ends, so that a guardian can step in.
        memory: That of the scorer; by default proofs and searches have one of their own.
    """

    def __init__(
        self, plan: RunPlan, watch: Watch | None = None, memory: ResultMemory | None = None
    ) -> None:
        self.runner: QueryRunner = plan.open_runner(watch)
        self._plan = plan
        self._examiner = Examiner(plan, memory=ResultMemory(plan, 0) if memory is None else memory)
        binary = [spec.label for spec in plan.specs if spec.metric.binary]
        self._deciding = deciding_metric(binary, binary)

    def close(self) -> None:
        """Close all databases."""
        self.runner.close()
        self._examiner.close()

    def check(
        self,
        case: Case,
        prediction: Prediction,
        known: Mapping[bytes, Failure] | None = None,
        *,
        digest: str | None = None,
    ) -> PairResult:
        """Examine one pair, and keep the first rows of both answers.

        Args:
            case: The case.
            prediction: The prediction.
            known: Outcomes of queries that must not be tried again for this pair, by key.
            digest: That of the database, where it was looked at for this pair.
        """
        self.runner.try_again(known or {})
        result = self._examiner.result(self._task(case, prediction, digest), self.runner)
        gold = self._outcome(case, case.golds[0] if case.golds else None)
        own = self._outcome(case, prediction.sql)
        return PairResult(
            result,
            _shortened(gold),
            _shortened(own),
            _count(gold),
            _count(own),
            prediction.sql,
            _difference_of_long(gold, own),
            self._deciding,
            reply_notes(prediction, self._plan.tag),
        )

    def value(self, case: Case, prediction: Prediction, digest: str) -> MetricValue:
        """The value of the first metric on a database with a digest. Never raises."""
        self.runner.try_again({})
        return self._examiner.value(self._task(case, prediction, digest), self.runner)

    def crashed(self, case: Case, prediction: Prediction, blame: Blame) -> PairResult:
        """The result of a pair on which we failed ourselves."""
        task = self._task(case, prediction)
        result = result_of(task, self._examiner.crashed(task, blame))
        return PairResult(result, sql=prediction.sql)

    def _task(self, case: Case, prediction: Prediction, digest: str | None = None) -> Task:
        if case.database is None:
            return Task(0, 0, case, prediction, "")
        if digest is None:
            digest = self.runner.digest(case.database)
        # A database may have changed since it was last used here, however many pairs ago.
        self.runner.refresh(case.database, digest)
        return Task(0, 0, case, prediction, digest)

    def _outcome(self, case: Case, sql: str | None) -> Outcome | None:
        """What a query gave; it is still in memory."""
        if not self._plan.executes or case.database is None or not sql or not case.answerable:
            return None
        return self.runner.run(case.database, sql)


def _shortened(outcome: Outcome | None) -> Outcome | None:
    """An answer with its first rows alone; failures as they are."""
    if not isinstance(outcome, Answer) or len(outcome.rows) <= MOST_ROWS:
        return outcome
    return Answer(outcome.columns, outcome.rows[:MOST_ROWS], outcome.seconds)


def _difference_of_long(gold: Outcome | None, own: Outcome | None) -> AnswerDifference | None:
    """The difference of answers that a result does not hold whole."""
    if max(_count(gold) or 0, _count(own) or 0) <= MOST_ROWS:
        return None
    return difference_of(gold, own)


def _count(outcome: Outcome | None) -> int | None:
    return len(outcome.rows) if isinstance(outcome, Answer) else None
