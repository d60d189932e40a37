"""Checks pairs in a process of their own, which is killed where a query overruns its limit.

For pairs that the engine may not be able to stop: no handler ends one long step. The process says
what it is running; what it had to be killed for is that query's failure, and the rest of the pair
goes on in a new process (see ``execute/apart``).
"""

from __future__ import annotations

import pickle
from dataclasses import dataclass

from sqlverdict.api.pair_checker import PairChecker
from sqlverdict.api.pair_result import PairResult
from sqlverdict.execute.apart.process import (
    BROKEN,
    KillableProcess,
    Unreadable,
    bound_memory,
    listen,
    reply,
)
from sqlverdict.records import Case, Failure, Prediction, Reason
from sqlverdict.run.plan import RunPlan

_GRACE = 0.5
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
            return PairChecker(self._plan).crashed(case, prediction, str(error))

    def _check(self, case: Case, prediction: Prediction) -> PairResult:
        known: dict[bytes, Failure] = {}
        blamed: set[bytes | None] = set()
        while True:
            process = self._process or _PairProcess(self._plan)
            self._process = None
            reply = process.check(case, prediction, known, self._plan.limits.seconds)
            if isinstance(reply, PairResult):
                self._process = process
                return reply
            process.end()
            if reply.failure is not None:
                known[reply.key or b""] = reply.failure
            elif reply.key not in blamed:
                # It may have been ended from outside: only the second time is it to blame.
                blamed.add(reply.key)
            elif reply.key is not None:
                known[reply.key] = Failure(
                    Reason.MEMORY_LIMIT, "the process ended while running it", repeatable=False
                )
            else:
                return PairChecker(self._plan).crashed(case, prediction, "its process ended")


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
        super().__init__(__name__)
        self._plan: RunPlan | None = plan

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
            return _Ended(key)
        text = f"stopped after {seconds:g} s by ending its process"
        failure = Failure(Reason.EXECUTION_TIMEOUT, text, seconds=seconds, repeatable=False)
        return _Ended(key, failure)


def work() -> None:
    """The process's life: pairs in, results out, until the other end closes."""
    requests, replies = listen()
    checker: PairChecker | None = None
    while True:
        plan, case, prediction, known = requests.get()
        if plan is not None:
            bound_memory(plan.limits)
            checker = PairChecker(plan, lambda key, more: reply(replies, _Running(key, more)))
        assert checker is not None
        reply(replies, checker.check(case, prediction, known))
