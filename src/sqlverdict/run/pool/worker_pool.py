"""Works on cases in worker processes that are watched and, if need be, killed.

Processes, not threads: threads are slower than one thread for small queries. Chunks, not
single cases: a message a case costs more than the case. A worker that overruns its limit
inside one opcode is replaced; what it was running is remembered as a failure and never tried
again, and the rest of its chunk goes on. A worker that dies otherwise is replaced, too; of the
case that it died with, an inquiry at the end says whose doing that is.
"""

from __future__ import annotations

import multiprocessing
import sys
import threading
from collections.abc import Generator, Iterable, Iterator
from contextlib import suppress
from functools import partial
from multiprocessing.connection import Connection, wait
from typing import Any

import msgspec
from msgspec import structs

from sqlverdict.execute.servers.patience import servers
from sqlverdict.parse.plain_order import plain_order
from sqlverdict.records import Failure, Reason, Verdict
from sqlverdict.run.attempt import Blame, stand_ins
from sqlverdict.run.examine import Examiner
from sqlverdict.run.outcome import Done, PairFinding, Pending, done, encode_line
from sqlverdict.run.pool.deaths import Death, inquire
from sqlverdict.run.pool.worker import Heartbeat, deferring_signals, work_on_chunks
from sqlverdict.run.task import Task, chunks

_GRACE = 0.5
_LOOK_EVERY = 0.1
_QUEUED = 2
"""Chunks that wait at a worker."""
_OUTSIDE = 3
"""After so many inquiries in a row in which all was ended from outside, they are short."""


def _context() -> Any:
    """Fork where that is safe (one thread, Linux): it starts at once; spawn elsewhere.

    Asked for each worker: one that is replaced while a judge is asked finds threads.
    """
    safe = sys.platform == "linux" and threading.active_count() == 1
    return multiprocessing.get_context("fork" if safe else "spawn")


class _Worker:
    """One worker process and what it has still to deliver."""

    def __init__(self, context: Any, examiner: Examiner, known: dict[bytes, Failure]) -> None:
        self.heartbeat = Heartbeat(context)
        self.chunks: list[list[Task]] = []
        self.done = 0
        ours, theirs = context.Pipe()
        self.connection: Connection = ours
        self.process = context.Process(
            target=work_on_chunks,
            args=(theirs, ours, self.heartbeat, examiner, dict(known), servers()),
            daemon=True,
        )
        with deferring_signals():
            self.process.start()
        theirs.close()

    def give(self, chunk: list[Task]) -> None:
        self.chunks.append(chunk)
        # A worker that just died is found out, and its chunks taken back, when it is read.
        with suppress(BrokenPipeError, ConnectionResetError):
            self.connection.send(chunk)

    def left(self) -> list[list[Task]]:
        """What was given and not delivered."""
        rest = [self.chunks[0][self.done :], *self.chunks[1:]] if self.chunks else []
        return [chunk for chunk in rest if chunk]

    def take(self, lines: list[bytes | PairFinding] | None) -> list[Done]:
        """A message from the worker: what it made of tasks, or the end of its first chunk."""
        if lines is None:
            self.chunks.pop(0)
            self.done = 0
            return []
        tasks = self.chunks[0][self.done : self.done + len(lines)]
        self.done += len(lines)
        return [done(task, line) for task, line in zip(tasks, lines, strict=True)]

    def overdue(self, seconds: float) -> tuple[bytes, float] | None:
        """A query that has been running for longer."""
        running = self.heartbeat.running()
        return running if running is not None and running[1] >= seconds else None

    def death(self) -> Death:
        """How it ended."""
        running = self.heartbeat.running()
        return Death(self.process.exitcode, None if running is None else running[0])

    def end(self) -> None:
        """Let it end by itself where it has nothing to do, else kill it."""
        if not self.chunks:
            with suppress(BrokenPipeError, ConnectionResetError):
                self.connection.send(None)
            self.process.join(timeout=5)
        self.kill()

    def kill(self) -> None:
        self.process.kill()
        self.process.join()
        self.connection.close()


class WorkerPool:
    """Worker processes over one stream of tasks.

    Args:
        examiner: Examines the tasks; each worker gets a copy. Its plan says how many workers
            there are and what a query may spend.
    """

    def __init__(self, examiner: Examiner) -> None:
        self.examiner = examiner
        self.size = examiner.plan.workers
        self.killed = 0
        self._known: dict[bytes, Failure] = {}
        self._suspects: list[Task] = []
        """With these alone in its chunk a worker died."""
        self._outside = 0
        """Inquiries in a row in which all was ended from outside."""
        _load_for_all()
        self._workers: list[_Worker] = []

    def run(self, tasks: Iterable[Task]) -> Generator[list[Done], None, None]:
        """Work on all tasks; yields what is done in batches, in no particular order."""
        try:
            yield from self.work(chunks(tasks, self.size))
        finally:
            self.close()

    def work(self, waiting: Iterator[list[Task]]) -> Generator[list[Done], None, None]:
        """Work on chunks; the workers stay for more."""
        again: list[list[Task]] = []
        ended = False
        while True:
            while not ended and (again or len(self._workers) < self.size or self._has_room()):
                chunk = again.pop() if again else next(waiting, None)
                if chunk is None:
                    ended = True
                else:
                    self._least_busy().give(chunk)
            if again:
                self._least_busy().give(again.pop())
                continue
            busy = [worker for worker in self._workers if worker.chunks]
            if not busy:
                break
            for worker in self._ready(busy):
                lines, returned = self._receive(worker)
                again += returned
                if lines:
                    yield lines
            again += self._stop_overdue()
        if self._suspects:
            # Nothing else runs meanwhile: what others need of the memory is not to blame.
            self.close()
        while self._suspects:
            yield [self._inquire(self._suspects.pop(0))]

    def _has_room(self) -> bool:
        return any(len(worker.chunks) < _QUEUED for worker in self._workers)

    def _least_busy(self) -> _Worker:
        if len(self._workers) < self.size and all(worker.chunks for worker in self._workers):
            self._workers.append(_Worker(_context(), self.examiner, self._known))
            return self._workers[-1]
        return min(self._workers, key=lambda worker: len(worker.chunks))

    def _ready(self, busy: list[_Worker]) -> list[_Worker]:
        ready = wait([worker.connection for worker in busy], timeout=_LOOK_EVERY)
        return [worker for worker in busy if worker.connection in ready]

    def _receive(self, worker: _Worker) -> tuple[list[Done], list[list[Task]]]:
        """What a worker has done; where it died, what has to be done again."""
        lines: list[Done] = []
        try:
            while worker.connection.poll():
                lines += worker.take(worker.connection.recv())
        except (EOFError, OSError):
            return lines, self._remove_dead(worker)
        return lines, []

    def _remove_dead(self, worker: _Worker) -> list[list[Task]]:
        """A worker died, by itself or from outside; what it had left."""
        self._remove(worker, _GRACE)
        left = worker.left()
        if left and len(left[0]) == 1:
            self._suspects += left.pop(0)
        elif left:
            # Any of them may be to blame: one at a time, the culprit dies alone.
            left[:1] = [[task] for task in left[0]]
        return left

    def _remove(self, worker: _Worker, seconds: float = 0.0) -> None:
        # One that ends by itself is let: its exit code says why.
        worker.process.join(timeout=seconds)
        worker.kill()
        self._workers.remove(worker)
        self.killed += 1

    def _inquire(self, task: Task) -> Done:
        """What comes of a case whose worker died."""
        gold = None
        if task.prediction.responds:
            # Whose fault is it? The gold takes the place of the prediction.
            stand_in = next(stand_ins(task.case))
            gold = partial(self._is_scored, structs.replace(task, prediction=stand_in))
        brief = self._outside >= _OUTSIDE
        outcome: Done | Blame = inquire(partial(self._try, task), gold, brief=brief)
        if not isinstance(outcome, Blame):
            self._outside = 0
            return outcome
        self._outside = self._outside + 1 if outcome.from_outside else 0
        return self._after(task, outcome)

    def _after(self, task: Task, blame: Blame) -> Done:
        """The line of a case that nobody got through."""
        if blame.key is not None:
            # Without that one query the rest of the case may go well.
            self._known[blame.key] = blame.failure
            rest = self._try(task)
            if not isinstance(rest, Death) and not (
                blame.by_prediction and _verdict(rest) is Verdict.UNSCORED
            ):
                return rest
            del self._known[blame.key]
        return done(task, encode_line(task, self.examiner.crashed(task, blame)))

    def _is_scored(self, task: Task) -> bool | Death:
        """Whether a task is scored, or how its worker ended."""
        outcome = self._try(task)
        return outcome if isinstance(outcome, Death) else _verdict(outcome) is not Verdict.UNSCORED

    def _try(self, task: Task) -> Done | Death:
        """What a new worker makes of a task alone, or how it ended."""
        lines: list[Done] = []
        while not lines:
            worker = _Worker(_context(), self.examiner, self._known)
            self._workers.append(worker)
            worker.give([task])
            while worker in self._workers and worker.chunks:
                for _ in self._ready([worker]):
                    try:
                        lines += worker.take(worker.connection.recv())
                    except (EOFError, OSError):
                        self._remove(worker, _GRACE)
                        return lines[0] if lines else worker.death()
                self._stop_overdue()
        self.close()
        return lines[0]

    def _stop_overdue(self) -> list[list[Task]]:
        """Kill workers whose query has overrun its limit: no handler stops one long opcode."""
        limit = self.examiner.plan.limits.seconds
        returned: list[list[Task]] = []
        for worker in list(self._workers):
            running = worker.overdue(limit + _GRACE)
            if running is None or worker.connection.poll():
                continue
            self._remove(worker)
            self._known[running[0]] = Failure(
                Reason.EXECUTION_TIMEOUT,
                f"stopped after {limit:g} s by ending its process",
                seconds=running[1],
                repeatable=False,
            )
            returned += worker.left()
        return returned

    def close(self) -> None:
        """End all workers."""
        for worker in self._workers:
            worker.end()
        self._workers.clear()


def _load_for_all() -> None:
    """Forked workers inherit what is loaded; each would load it by itself."""
    from sqlverdict.parse.query import parse

    parse("SELECT 1")
    plain_order("SELECT 1")


def _verdict(done: Done) -> Verdict:
    """The verdict of what is done, before any judge was asked."""
    if isinstance(done, Pending):
        return done.finding.judgement.verdict
    return msgspec.json.decode(done.text, type=_VerdictOfLine).verdict


class _VerdictOfLine(msgspec.Struct):
    verdict: Verdict
