"""Checks a pair here where its queries can be stopped at any time, else in its own process.

Engines say themselves which queries need it (``execute/apart/brief``); sessions of the others keep
their time by themselves. No handler ends one long step, so the process is killed where a query
overruns its limit. It says what it is running; what it had to be killed for is that query's
failure, and the rest of the pair goes on in a new process (see ``execute/apart``).
"""

from __future__ import annotations

import pickle
from dataclasses import dataclass, replace
from functools import partial

from sqlverdict.api.pair_checker import PairChecker
from sqlverdict.api.pair_result import PairResult
from sqlverdict.execute.apart.brief import BriefEngine
from sqlverdict.execute.apart.process import (
    BROKEN,
    KillableProcess,
    Unreadable,
    bound_memory,
    listen,
    reply,
)
from sqlverdict.execute.engine import Engine
from sqlverdict.records import Case, Failure, Prediction, Reason, Verdict
from sqlverdict.run.attempt import Blame, stand_ins
from sqlverdict.run.memory import ResultMemory
from sqlverdict.run.outcome import MetricValue
from sqlverdict.run.plan import RunPlan
from sqlverdict.run.pool.deaths import Death, inquire

_GRACE = 0.5
_MODULE = __name__
"""The module whose ``work`` the process runs."""
_UNPICKLED = (pickle.PicklingError, AttributeError, TypeError, RecursionError)
"""What ``pickle`` raises for values that it cannot write."""


@dataclass(frozen=True)
class _Running:
    """A process begins something that may take long, or has ended it."""

    key: bytes | None
    more: float


class IsolatedChecker:
    """Checks one pair at a time in a process that is started when it is first needed.

    Args:
        plan: What is done; its limits say what a query may spend.
    """

    def __init__(self, plan: RunPlan) -> None:
        self._plan = plan
        self._process: _PairProcess | None = None

    def close(self) -> None:
        """End the process."""
        if self._process is not None:
            self._process.end()
            self._process = None

    def check(self, case: Case, prediction: Prediction) -> PairResult:
        """As :meth:`PairChecker.check`; never takes longer than the limits of what it runs.

        Raises:
            OSError: no process can be started.
        """
        try:
            return self._check(case, prediction)
        except Unsendable as error:
            return PairChecker(self._plan).crashed(case, prediction, Blame(False, str(error)))

    def _check(self, case: Case, prediction: Prediction) -> PairResult:
        known: dict[bytes, Failure] = {}
        reply = self._try(case, prediction, known)
        if not isinstance(reply, Death):
            return reply
        gold = None
        if prediction.responds:
            gold = partial(self._is_scored, case, next(stand_ins(case)), known)
        outcome = inquire(partial(self._try, case, prediction, known), gold)
        if not isinstance(outcome, Blame):
            return outcome
        if outcome.key is not None:
            # Without that one query the rest of the pair may go well.
            rest = self._try(case, prediction, {**known, outcome.key: outcome.failure})
            unscored = not isinstance(rest, Death) and rest.verdict is Verdict.UNSCORED
            if not isinstance(rest, Death) and not (outcome.by_prediction and unscored):
                return rest
        return PairChecker(self._plan).crashed(case, prediction, outcome)

    def _is_scored(
        self, case: Case, prediction: Prediction, known: dict[bytes, Failure]
    ) -> bool | Death:
        """Whether a pair is scored, or how its process ended."""
        reply = self._try(case, prediction, known)
        return reply if isinstance(reply, Death) else reply.verdict is not Verdict.UNSCORED

    def _try(
        self, case: Case, prediction: Prediction, known: dict[bytes, Failure]
    ) -> PairResult | Death:
        """The result of a pair, or how its process ended.

        What a process is killed for is put among the known, and the pair is tried again.
        """
        while True:
            process = self._process or _PairProcess(self._plan)
            self._process = None
            reply = process.check(case, prediction, known, self._plan.limits.seconds)
            if isinstance(reply, PairResult):
                self._process = process
                return reply
            process.end()
            if reply.failure is None:
                return Death(process.exit_code, reply.key)
            known[reply.key or b""] = reply.failure


@dataclass(frozen=True)
class _Ended:
    """A process that ended before it replied; ``failure``: it was killed for what it ran."""

    key: bytes | None
    failure: Failure | None = None


class Unsendable(Exception):
    """A pair, or a metric, that another process cannot read."""

    def __init__(self, why: str) -> None:
        super().__init__(
            f"a query that may run for long is run in a process of its own, which cannot read this "
            f"pair or a metric ({why}). Classes must be in a module that can be imported, not in "
            f"a notebook or a script"
        )


class _PairProcess(KillableProcess):
    """A process that checks pairs. Not for several threads at once."""

    def __init__(self, plan: RunPlan) -> None:
        super().__init__(_MODULE)
        self._plan: RunPlan | None = plan

    @property
    def exit_code(self) -> int | None:
        """That of a process that has ended."""
        return self._popen.returncode

    def check(
        self, case: Case, prediction: Prediction, known: dict[bytes, Failure], seconds: float
    ) -> PairResult | _Ended:
        """The result of a pair; where the process ended before, what it was running.

        Raises:
            Unsendable: the process cannot read the pair, or what it is checked by.
        """
        key = None
        try:
            request = pickle.dumps((self._plan, case, prediction, known))
        except _UNPICKLED as error:
            self.end()
            raise Unsendable(f"{type(error).__name__}: {error}") from error
        try:
            self.send(request)
            self._plan = None  # It has the plan now.
            while True:
                message = self.receive()
                if isinstance(message, PairResult):
                    return message
                if isinstance(message, Unreadable):
                    self.end()
                    raise Unsendable(message.why)
                key = message.key
                if key is not None:
                    self.kill_after(seconds + _GRACE + message.more)
        except BROKEN:
            self.stop_timer()
        if not self.killed:
            # One that ends by itself is let: its exit code says why.
            self.wait()
            return _Ended(key)
        text = f"stopped after {seconds:g} s by ending its process"
        failure = Failure(Reason.EXECUTION_TIMEOUT, text, seconds=seconds, repeatable=False)
        return _Ended(key, failure)


def work() -> None:
    """What the process does: reads pairs and sends results, until the other end closes."""
    requests, replies = listen()
    checker: PairChecker | None = None
    while True:
        plan, case, prediction, known = requests.get()
        if plan is not None:
            bound_memory(plan.limits)
            checker = PairChecker(plan, lambda key, more: reply(replies, _Running(key, more)))
        assert checker is not None
        reply(replies, checker.check(case, prediction, known))


class BoundedChecker:
    """Checks pairs within the limits of their queries, for one thread at a time.

    Args:
        plan: What is done.
        memory: That of the scorer.
    """

    def __init__(self, plan: RunPlan, memory: ResultMemory) -> None:
        self._plan = plan
        self._memory = memory
        self._here: dict[str, tuple[PairChecker, BriefEngine | None]] = {}
        """By the name of the engine: a cell of a query that is run here may have another size.

        Beside a checker stands the engine, where it says which queries are brief.
        """
        self._apart: IsolatedChecker | None = None

    def close(self) -> None:
        """Close all databases, and end the process."""
        for checker, _ in self._here.values():
            checker.close()
        if self._apart is not None:
            self._apart.close()

    def check(self, engine: Engine, case: Case, prediction: Prediction, digest: str) -> PairResult:
        """Check one pair on a database with a digest, by its engine. Never raises."""
        here, brief = self._checker(engine)
        if brief is None:
            return here.check(case, prediction, digest=digest)
        if _are_brief(brief, case, prediction):
            here.runner.short_of_memory = False
            result = here.check(case, prediction, digest=digest)
            if not here.runner.short_of_memory:
                return result
        return self._check_apart(here, case, prediction)

    def value(self, engine: Engine, case: Case, prediction: Prediction, digest: str) -> MetricValue:
        """The value of the first metric. Never raises; the arguments are those of check."""
        here, brief = self._checker(engine)
        if brief is None:
            return here.value(case, prediction, digest)
        if _are_brief(brief, case, prediction):
            here.runner.short_of_memory = False
            value = here.value(case, prediction, digest)
            if not here.runner.short_of_memory:
                return value
        result = self._check_apart(here, case, prediction)
        return MetricValue(result.scores[self._plan.specs[0].label], result.result.final)

    def refresh(self, database: str, before: str, now: str) -> None:
        """Forget what was found while a database changed, whose digests these are."""
        self._memory.forget(before)
        for checker, _ in self._here.values():
            checker.runner.refresh(database, now)
        if self._apart is not None:
            # Its process has a memory of its own.
            self._apart.close()

    def _checker(self, engine: Engine) -> tuple[PairChecker, BriefEngine | None]:
        """What checks pairs on the databases of an engine in this process."""
        known = self._here.get(engine.name)
        if known is None:
            # The plan's own engine decides which files are whose; it stays.
            plan, limits = self._plan, self._plan.limits
            brief = engine if isinstance(engine, BriefEngine) else None
            if brief is not None:
                cell = min(brief.brief_cell, limits.cell)
                plan = replace(plan, limits=replace(limits, cell=cell))
            known = self._here[engine.name] = PairChecker(plan, memory=self._memory), brief
        return known

    def _check_apart(self, here: PairChecker, case: Case, prediction: Prediction) -> PairResult:
        """Check one pair in a process that can be killed."""
        here.runner.short_of_memory = False
        if self._apart is None:
            self._apart = IsolatedChecker(self._plan)
        try:
            return self._apart.check(case, prediction)
        except OSError as error:
            why = f"the process for queries that may run for long does not start ({error})"
            return here.crashed(case, prediction, Blame(False, why))


def _are_brief(engine: BriefEngine, case: Case, prediction: Prediction) -> bool:
    """Whether all queries of a pair can be stopped at any time."""
    return all(map(engine.is_brief, (*case.golds, prediction.sql or "")))
