"""Checks pairs in a process of their own, which is killed where a query overruns its limit.

For pairs that the engine may not be able to stop: no handler ends one long step. The process says
what it is running; what it had to be killed for is that query's failure, and the rest of the pair
goes on in a new process. It ends with the one that started it, even in the middle of a step. No
signal, no fork and no main module are needed, so it works in daemonic processes and in notebooks.
"""

from __future__ import annotations

import os
import pickle
import signal
import subprocess
import sys
import weakref
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from queue import SimpleQueue
from threading import Thread, Timer
from time import sleep
from typing import IO, Any

from sqlverdict.api.pair_checker import PairChecker
from sqlverdict.api.pair_result import PairResult
from sqlverdict.records import Case, Failure, Prediction, Reason, Verdict
from sqlverdict.run.plan import RunPlan
from sqlverdict.run.pool.deaths import Blame, Death, inquire
from sqlverdict.run.pool.worker import bound_memory

_GRACE = 0.5
_LOOK_SECONDS = 1.0
_START = "import sys; sys.path[:] = sys.argv[1:]; from sqlverdict.api.isolated import work; work()"
_BROKEN = (OSError, EOFError, pickle.UnpicklingError)
_UNPICKLED = (pickle.PicklingError, AttributeError, TypeError, RecursionError)
"""What ``pickle`` raises for values that it cannot write."""


@dataclass(frozen=True)
class _Running:
    """A process begins something that may take long, or has ended it."""

    key: bytes | None
    more: float


@dataclass(frozen=True)
class _Unreadable:
    """A process cannot read what it was sent, and why."""

    why: str


class IsolatedChecker:
    """Checks one pair at a time in a process that is started when it is first needed.

    Args:
        plan: What is done; its limits say what a query may spend.
    """

    def __init__(self, plan: RunPlan) -> None:
        self._plan = plan
        self._process: _Process | None = None

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
        if case.golds and prediction.sql:
            stand_in = Prediction(case.id, case.golds[0])
            gold = partial(self._is_right, case, stand_in, known)
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

    def _is_right(
        self, case: Case, prediction: Prediction, known: dict[bytes, Failure]
    ) -> bool | Death:
        """Whether a pair comes out right, or how its process ended."""
        reply = self._try(case, prediction, known)
        return reply if isinstance(reply, Death) else reply.verdict is Verdict.CORRECT

    def _try(
        self, case: Case, prediction: Prediction, known: dict[bytes, Failure]
    ) -> PairResult | Death:
        """The result of a pair, or how its process ended.

        What a process is killed for is put among the known, and the pair is tried again.
        """
        while True:
            process = self._process or _Process(self._plan)
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


class _Process:
    """A process that checks pairs. Not for several threads at once."""

    def __init__(self, plan: RunPlan) -> None:
        command = [sys.executable, "-P", "-c", _START, *filter(None, sys.path)]
        self._popen = subprocess.Popen(  # noqa: S603 - our own interpreter, and our own code
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )
        self._plan: RunPlan | None = plan
        self.end: Callable[[], Any] = weakref.finalize(self, _end, self._popen, os.getpid())

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
        assert self._popen.stdin is not None
        assert self._popen.stdout is not None
        key, timer, killed = None, None, False

        def kill() -> None:
            nonlocal killed
            killed = True
            self._popen.kill()

        try:
            request = pickle.dumps((self._plan, case, prediction, known))
        except _UNPICKLED as error:
            self.end()
            raise Unsendable(f"{type(error).__name__}: {error}") from error
        try:
            _write(self._popen.stdin, request)
            self._plan = None  # It has the plan now.
            while True:
                message = pickle.load(self._popen.stdout)  # noqa: S301 - from our own code
                if timer is not None:
                    timer.cancel()
                    timer.join()
                    timer = None
                if isinstance(message, PairResult):
                    return message
                if isinstance(message, _Unreadable):
                    self.end()
                    raise Unsendable(message.why)
                key = message.key
                if key is not None:
                    timer = Timer(seconds + _GRACE + message.more, kill)
                    timer.daemon = True
                    timer.start()
        except _BROKEN:
            if timer is not None:
                timer.cancel()
                timer.join()
        if not killed:
            # One that ends by itself is let: its exit code says why.
            with suppress(subprocess.TimeoutExpired):
                self._popen.wait(_GRACE)
            return _Ended(key)
        text = f"stopped after {seconds:g} s by ending its process"
        failure = Failure(Reason.EXECUTION_TIMEOUT, text, seconds=seconds, repeatable=False)
        return _Ended(key, failure)


def _end(popen: subprocess.Popen[bytes], owner: int) -> None:
    """Kill a process; a fork of its owner only lets go of it."""
    for stream in (popen.stdin, popen.stdout):
        if stream is not None:
            with suppress(OSError):
                stream.close()
    if os.getpid() == owner:
        popen.kill()
        popen.wait()
    else:
        # It is not ours to wait for.
        popen.returncode = 0


def _send(stream: IO[bytes], message: object) -> None:
    _write(stream, pickle.dumps(message))


def _write(stream: IO[bytes], content: bytes) -> None:
    stream.write(content)
    stream.flush()


def work() -> None:
    """The process's life: pairs in, results out, until the other end closes."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    replies = os.fdopen(os.dup(1), "wb")
    # What a plug-in prints must not get between the replies.
    os.dup2(2, 1)
    requests: SimpleQueue[Any] = SimpleQueue()
    # Other threads listen and look: when the giver is gone, the process ends even in a long step.
    Thread(target=_listen, args=(requests, replies), daemon=True).start()
    Thread(target=_follow, args=(os.getppid(),), daemon=True).start()
    checker: PairChecker | None = None
    while True:
        plan, case, prediction, known = requests.get()
        if plan is not None:
            bound_memory(plan.limits)
            checker = PairChecker(plan, lambda key, more: _send(replies, _Running(key, more)))
        assert checker is not None
        _send(replies, checker.check(case, prediction, known))


def _listen(requests: SimpleQueue[Any], replies: IO[bytes]) -> None:
    try:
        while True:
            requests.put(pickle.load(sys.stdin.buffer))  # noqa: S301 - from our own code
    except _BROKEN:
        os._exit(0)
    except BaseException as error:  # noqa: BLE001 - whatever a class does when it is read
        # The other end waits for a reply, and nobody would hear any more that it is gone.
        with suppress(OSError):
            _send(replies, _Unreadable(f"{type(error).__name__}: {error}"))
        os._exit(1)


def _follow(parent: int) -> None:
    """End with the parent: its forks have a copy of the pipe, which then stays open."""
    while os.getppid() == parent:
        sleep(_LOOK_SECONDS)
    os._exit(0)
