"""Runs a worker's queries ahead of it, in a process of its own.

Where a core is free, the queries of the next batch run while the worker compares the answers of
this one. The runner is the worker's child and serves it alone: the worker passes its chunks on
and gets back, for each batch, the answers. Neither outlives the other. If a query ends the
runner, the worker dies the same death with that query on record, so that the coordinator sees
what it would see of a worker that runs its queries itself.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from itertools import islice
from multiprocessing.connection import Connection, Pipe
from threading import Thread, active_count

from sqlverdict.execute.query_runner import QueryRunner
from sqlverdict.run.pool.batches import Needs, prepared
from sqlverdict.run.pool.heartbeat import Heartbeat
from sqlverdict.run.pool.inbox import ChunkQueue
from sqlverdict.run.task import Task

_ASKED = 10_000


class Runner:
    """The worker's end of its runner.

    Args:
        pid: The runner's process.
        connection: To the runner.
        needs: The queries of a task.
        beat: What the runner says it is running.
        own: Where the worker says so: there the coordinator looks for whom to blame.
    """

    def __init__(
        self,
        pid: int,
        connection: Connection,
        needs: Callable[[Task], Needs],
        beat: Heartbeat,
        own: Heartbeat,
    ) -> None:
        self._connection = connection
        self._needs = needs
        self._beat, self._own = beat, own
        self._asked: set[tuple[str, str]] = set()
        self._ended = False
        self._watch = Thread(target=self._wait, args=(pid,), daemon=True)
        self._watch.start()

    def pass_on(self, chunk: Sequence[Task]) -> None:
        """Hand over a chunk: what its tasks need."""
        # A runner that is gone takes the worker along.
        with suppress(BrokenPipeError, ConnectionResetError):
            self._connection.send([self._unasked(task) for task in chunk])

    def _unasked(self, task: Task) -> Needs:
        """What was not asked for lately; the answer to all else was taken over, or soon is."""
        try:
            database, queries = self._needs(task)
        except Exception:  # noqa: BLE001 - it comes again, and is typed, when the task is examined
            return "", ()
        asked = self._asked
        new = [pair for pair in queries if (database, pair[1]) not in asked]
        if new:
            if len(asked) > _ASKED:
                asked.clear()
            asked.update([(database, canon) for _, canon in new])
        return database, new

    def take(self, rest: Iterator[Task], desk: QueryRunner) -> list[Task]:
        """The next tasks of the chunk; the desk knows their answers then."""
        try:
            count, told = self._connection.recv()
        except (EOFError, OSError):
            self._watch.join()
            raise
        desk.take_over(told)
        return list(islice(rest, count))

    def end(self) -> None:
        """Let the runner go."""
        self._ended = True
        self._connection.close()
        self._watch.join()

    def _wait(self, pid: int) -> None:
        """Die the runner's death at once: its beat must not seem to go on."""
        _, status = os.waitpid(pid, 0)
        if self._ended:
            return
        self._own.copy(self._beat)
        self._beat(None)
        if os.WIFSIGNALED(status):
            os.kill(os.getpid(), os.WTERMSIG(status))
        os._exit(os.waitstatus_to_exitcode(status) or 1)


def start_runner(
    needs: Callable[[Task], Needs],
    make_desk: Callable[[], QueryRunner],
    beats: tuple[Heartbeat, Heartbeat],
    workers_end: Connection,
) -> Runner | None:
    """Fork a runner; ``None`` where that cannot be done. It only saves time.

    Args:
        needs: The queries of a task.
        make_desk: Makes the runner's desk, which relays.
        beats: Say which query is running: at the worker, and at the runner.
        workers_end: The worker's connection, which is not the runner's business.
    """
    if active_count() > 1:
        # What the other threads hold would be held for ever.
        return None
    own, beat = beats
    ours, theirs = Pipe()
    try:
        pid = os.fork()
    except OSError:
        ours.close()
        theirs.close()
        return None
    if pid:
        theirs.close()
        return Runner(pid, ours, needs, beat, own)
    code = 1
    try:
        ours.close()
        workers_end.close()
        _run_ahead(theirs, make_desk())
        code = 0
    finally:
        # Whatever happens, no line of the worker's code may run twice.
        os._exit(code)


def _run_ahead(connection: Connection, desk: QueryRunner) -> None:
    inbox: ChunkQueue[Needs] = ChunkQueue(connection)
    for chunk in inbox:
        rest = iter(chunk)
        while batch := prepared(rest, _as_given, desk):
            connection.send((len(batch), desk.relay()))
        connection.send((0, desk.relay()))


def _as_given(needs: Needs) -> Needs:
    return needs
