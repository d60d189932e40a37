"""Where the answers of a case come from: one small class for each place.

Most are run here. Others were recorded elsewhere, or are result files, or are what a database
shows after statements that write, or the gold runs on another engine than the prediction.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import TypeVar

from msgspec import structs

from sqlverdict.compare.preset import QueryPair
from sqlverdict.execute.clock import uses_chance
from sqlverdict.execute.query_runner import QueryRunner
from sqlverdict.files.references import is_server
from sqlverdict.load.databases import suite_of, unknown_database
from sqlverdict.records import (
    LIMIT_REASONS,
    Answer,
    Case,
    Failure,
    Fault,
    Outcome,
    Prediction,
    Reason,
    Recording,
)

T = TypeVar("T")
# A database id is a name and never a path: nothing is opened by it.
_UNKNOWN = Failure(Reason.DATABASE_UNAVAILABLE, "", fault=Fault.ENGINE, repeatable=False)


class LiveAnswers:
    """Both queries are run here.

    Within one case a query has one outcome, whatever a server does meanwhile. That is no memory:
    it ends with the case.

    Attributes:
        repeatable: False once a limit in seconds, or a process that died, had a part in a result.
        lasting: False once an answer had a part in it that changes by itself: a clock, or chance.
        answers_alone: Why answers are compared and nothing more is done, no proof and no search
            for a witness; empty: that can be done.
        reason: The same as a reason.
    """

    answers_alone = ""
    reason = Reason.UNSUPPORTED_FEATURE

    def __init__(self, case: Case, prediction: Prediction, runner: QueryRunner) -> None:
        self.repeatable = True
        self.lasting = True
        self._case = case
        self._prediction = prediction
        self._database = case.database or ""
        self._runner = runner
        self._outcomes: dict[tuple[str, str], Outcome] = {}

    def dialect(self, database: str) -> str:
        """The dialect of a database's engine."""
        return self._runner.engine_for(database).dialect

    def run(self, database: str, sql: str) -> Outcome:
        """What a query gives on a database, once."""
        key = (database, sql)
        outcome = self._outcomes.get(key)
        if outcome is None:
            outcome = self._execute(database, sql) if database else _UNKNOWN
            if isinstance(outcome, Failure) and outcome.reason is Reason.DATABASE_UNAVAILABLE:
                outcome = self._explained(outcome, database)
            if isinstance(outcome, Failure):
                lasts = outcome.fault is None and not is_cut(outcome)
                self.repeatable = self.repeatable and lasts
            elif outcome.volatile:
                self.lasting = False
            self._outcomes[key] = outcome
        return outcome

    def _execute(self, database: str, sql: str) -> Outcome:
        controls = self._case.golds if self._case.gold_database is None else ()
        return self._runner.run(database, sql, controls)

    def _explained(self, failure: Failure, database: str) -> Failure:
        """A database that is not there: what was looked for, and which option says where."""
        case, engine = self._case, self._runner.engine_for(database)
        option = "gold_databases" if database and database == case.gold_database else "databases"
        message = unknown_database(case.db_id, option, database, engine.suffixes)
        if is_server(database):
            message = f"{failure.message}. The server's URL is that of the option {option}"
        return replace(failure, message=message or failure.message)

    def watched(self, what: str, work: Callable[[], T], more: float = 0.0) -> T | None:
        """As :meth:`QueryRunner.watched`; what had to be ended by the clock is noted."""
        result = self._runner.watched(self._database, what, work, more=more)
        self.repeatable = self.repeatable and result is not None
        return result

    def golds(self) -> Sequence[Outcome]:
        """What each gold query gave."""
        golds = enumerate(self._case.golds)
        return [self.gold_on(self._database, gold, index) for index, gold in golds]

    def prediction(self) -> Outcome:
        """What the predicted query gave."""
        return self.run(self._database, self._prediction.sql or "")

    def gold_on(self, database: str, sql: str, index: int) -> Outcome:
        """What a gold gives, ``sql`` its text as a preset has it.

        An answer that depends on chance can be compared with nothing.
        """
        del index
        outcome = self.run(database, sql)
        volatile = isinstance(outcome, Answer) and outcome.volatile
        if volatile and uses_chance(sql, self.dialect(database)):
            return Failure(Reason.GOLD_SUSPECT, "the gold's answer depends on chance: random()")
        return outcome

    def prediction_on(self, database: str, sql: str) -> Outcome:
        """What the predicted query gives."""
        return self.run(database, sql)

    def pair(self, database: str, gold: str, prediction: str, index: int = 0) -> QueryPair:
        """Both queries, and what else may be asked of the database."""
        case = self._case
        return QueryPair(
            gold,
            prediction,
            self.dialect(database),
            case.contract,
            partial(self.run, database),
            case.question,
            case.tags.get("category", ""),
            index,
            case.golds,
        )

    def databases(self) -> Sequence[str]:
        """The case's database and the others in its folder: its test suite."""
        if is_server(self._database):
            return (self._database,)
        suffixes = self._runner.engine_for(self._database).suffixes
        return suite_of(self._database, self._case.db_id, suffixes)

    def clock(self, rounds: int) -> tuple[list[float], list[float]]:
        """Seconds of the first gold that answers and of the prediction, interleaved."""
        for gold in self._case.golds:
            if isinstance(self.run(self._database, gold), Answer):
                queries = [gold, self._prediction.sql or ""]
                ours, theirs = self._runner.clock(self._database, queries, rounds)
                return ours, theirs
        return [], []


class _OneDatabase(LiveAnswers):
    """Answers of one database alone, which are not timed: the two do not run side by side."""

    def databases(self) -> Sequence[str]:
        """The one database that the answers are of."""
        return (self._database,)

    def clock(self, rounds: int) -> tuple[list[float], list[float]]:
        """Nothing is timed."""
        del rounds
        return [], []


class RecordedAnswers(_OneDatabase):
    """Answers that were recorded elsewhere; nothing of them is run."""

    def __init__(self, case: Case, prediction: Prediction, runner: QueryRunner) -> None:
        super().__init__(case, prediction, runner)
        assert case.recorded_answers is not None, "a recorded case has a record"
        self.record: Recording = case.recorded_answers

    def golds(self) -> Sequence[Outcome]:
        """What each gold gave, as recorded."""
        return self.record.golds

    def prediction(self) -> Outcome:
        """What the prediction gave, as recorded."""
        return self.record.prediction

    def pair(self, database: str, gold: str, prediction: str, index: int = 0) -> QueryPair:
        """The two queries; there is nothing to probe."""
        pair = super().pair(database, gold, prediction, index)
        return structs.replace(pair, probe=None)


class ResultAnswers(_OneDatabase):
    """The gold or the prediction is a result; the other side is run where it is a query.

    On other data the result would be another one.
    """

    answers_alone = "the gold or the prediction is a result, not a query"
    reason = Reason.RESULT_ALONE

    def golds(self) -> Sequence[Outcome]:
        """The gold results, or what the gold queries gave."""
        return self._case.gold_answers or super().golds()

    def prediction(self) -> Outcome:
        """The predicted result, or what the predicted query gave."""
        answer = self._prediction.answer
        return super().prediction() if answer is None else answer

    def gold_on(self, database: str, sql: str, index: int) -> Outcome:
        """The gold result, or what the gold query gives."""
        answers = self._case.gold_answers
        return answers[index] if answers else super().gold_on(database, sql, index)

    def prediction_on(self, database: str, sql: str) -> Outcome:
        """The predicted result, or what the predicted query gives."""
        answer = self._prediction.answer
        return super().prediction_on(database, sql) if answer is None else answer


class ScriptAnswers(_OneDatabase):
    """Answers are what a throw-away copy of the database shows after statements that may write."""

    answers_alone = "the statements may write: answers on a copy are compared, and nothing more"

    def _execute(self, database: str, sql: str) -> Outcome:
        script = self._case.script
        assert script is not None, "such a case has a script"
        return self._runner.run_script(database, script, sql, self._case.golds)


class TwoEngineAnswers(_OneDatabase):
    """The gold runs on a database of its own, of another engine.

    Both databases hold the same data, for which the user answers. The answers are compared by
    meaning. Nothing stronger is shown: no proof and no witness speaks of two dialects.
    """

    answers_alone = (
        "the gold and the prediction are written for two engines: answers on equal data are "
        "compared, and nothing stronger is shown"
    )

    @property
    def _gold_database(self) -> str:
        return self._case.gold_database or ""

    def gold_on(self, database: str, sql: str, index: int) -> Outcome:
        """What a gold gives on its own database."""
        del database
        return super().gold_on(self._gold_database, sql, index)

    def pair(self, database: str, gold: str, prediction: str, index: int = 0) -> QueryPair:
        """Both queries; questions go to the database of the gold."""
        pair = super().pair(database, gold, prediction, index)
        own = self._gold_database
        return structs.replace(pair, dialect=self.dialect(own), probe=partial(self.run, own))


def open_source(case: Case, prediction: Prediction, runner: QueryRunner) -> LiveAnswers:
    """Where the answers of a case come from."""
    kind = LiveAnswers
    if case.gold_answers or prediction.answer is not None:
        kind = ResultAnswers
    elif case.script is not None:
        kind = ScriptAnswers
    elif case.gold_database is not None:
        kind = TwoEngineAnswers
    elif case.recorded_answers is not None:
        kind = RecordedAnswers
    return kind(case, prediction, runner)


def is_cut(outcome: Outcome) -> bool:
    """Whether a limit in seconds, or a process that died, ended a query: not what it asks for."""
    failed = isinstance(outcome, Failure) and outcome.reason in LIMIT_REASONS
    return failed and not getattr(outcome, "repeatable", True)
