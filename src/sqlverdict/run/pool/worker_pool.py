"""Works on cases in worker processes that are watched and, if need be, killed.

Processes, not threads: threads are slower than one thread for small queries. Chunks, not
single cases: a message a case costs more than the case. A worker that overruns its limit
inside one opcode, or dies, is replaced; what it was running is remembered as a failure and
never tried again, and the rest of its chunk goes on.
"""

from __future__ import annotations

import multiprocessing
import sys
import threading
from collections.abc import Generator, Iterable, Iterator
from contextlib import suppress
from multiprocessing.connection import Connection, wait
from typing import TYPE_CHECKING, Any

from msgspec import structs

from sqlverdict.records import Failure, Prediction, Reason, Verdict
from sqlverdict.run.pool.heartbeat import Heartbeat
from sqlverdict.run.pool.worker import work
from sqlverdict.run.task import Done, LogLine, PairFinding, Task, chunks, done

if TYPE_CHECKING:
    from sqlverdict.run.examine import Examiner

_GRACE = 0.5
_RIGHT = f'"verdict":"{Verdict.CORRECT}"'.encode()
_LOOK_EVERY = 0.1
_QUEUED = 2
"""Chunks that wait at a worker."""


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
            target=work,
            args=(theirs, ours, self.heartbeat, examiner, dict(known)),
            daemon=True,
        )
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
        self._blamed: set[bytes] = set()
        self._suspects: set[tuple[int, int]] = set()
        self._trials: dict[tuple[int, int], tuple[Task, str]] = {}
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
        lines: list[Done] = []
        try:
            while worker.connection.poll():
                lines += map(self._after_trial, worker.take(worker.connection.recv()))
        except (EOFError, OSError):
            more, returned = self._remove_dead(worker)
            return lines + more, returned
        return lines, []

    def _remove_dead(self, worker: _Worker) -> tuple[list[Done], list[list[Task]]]:
        """A worker died by itself: blame its query, else the case, but only the second time."""
        worker.kill()
        self._workers.remove(worker)
        self.killed += 1
        how = _exit_text(worker.process.exitcode)
        left = worker.left()
        running = worker.heartbeat.running()
        if running is not None and running[0] not in self._blamed:
            self._blamed.add(running[0])
            return [], left
        if running is not None:
            self._known[running[0]] = Failure(
                Reason.MEMORY_LIMIT,
                f"the worker process ended while running it ({how})",
                repeatable=False,
            )
            return [], left
        if not left:
            return [], []
        if len(left[0]) > 1:
            # Any of them may be to blame: one at a time, the culprit dies alone.
            return [], [*([task] for task in left[0]), *left[1:]]
        first = left[0][0]
        key = (first.system, first.index)
        if key not in self._suspects:
            self._suspects.add(key)
            return [], left
        why = f"worker process {how}"
        if key not in self._trials and first.case.golds and first.prediction.sql:
            # Whose fault is it? The gold takes the place of the prediction once.
            self._trials[key] = first, why
            gold = Prediction(first.case.id, first.case.golds[0])
            return [], [[structs.replace(first, prediction=gold)], *left[1:]]
        task, why = self._trials.pop(key, (first, why))
        line = LogLine(task.system, task.index, self.examiner.crashed(task, why))
        return [line], left[1:]

    def _after_trial(self, done: Done) -> Done:
        """What is done; of a task that killed its workers, what its trial showed."""
        key = (done.system, done.index) if isinstance(done, LogLine) else done.task.key
        if key not in self._trials:
            return done
        task, why = self._trials.pop(key)
        lives = _RIGHT in done.text if isinstance(done, LogLine) else done.finding.is_right
        return LogLine(
            task.system, task.index, self.examiner.crashed(task, why, by_prediction=lives)
        )

    def _stop_overdue(self) -> list[list[Task]]:
        """Kill workers whose query has overrun its limit: no handler stops one long opcode."""
        limit = self.examiner.plan.limits.seconds
        returned: list[list[Task]] = []
        for worker in list(self._workers):
            running = worker.overdue(limit + _GRACE)
            if running is None or worker.connection.poll():
                continue
            worker.kill()
            self._workers.remove(worker)
            self.killed += 1
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
            if worker.chunks:
                worker.kill()
                continue
            with suppress(BrokenPipeError, ConnectionResetError):
                worker.connection.send(None)
            worker.process.join(timeout=5)
            worker.kill()
        self._workers.clear()


def _load_for_all() -> None:
    """Forked workers inherit what is loaded; each would load it by itself."""
    from sqlverdict.parse.plain_order import plain_order
    from sqlverdict.parse.query import parse

    parse("SELECT 1")
    plain_order("SELECT 1")


def _exit_text(code: int | None) -> str:
    if code is None:
        return "vanished"
    return f"was ended by signal {-code}" if code < 0 else f"ended with exit code {code}"
