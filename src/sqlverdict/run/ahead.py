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
from dataclasses import dataclass, field
from itertools import islice
from multiprocessing.connection import Connection, Pipe
from typing import NoReturn

from sqlverdict.execute.desk import Desk
from sqlverdict.run.batches import Needs, prepared
from sqlverdict.run.beat import Beat
from sqlverdict.run.inbox import Inbox
from sqlverdict.run.task import Task

_ASKED = 10_000


@dataclass(frozen=True)
class Runner:
    """The worker's end: what it needs to use its runner."""

    pid: int
    connection: Connection
    needs: Callable[[Task], Needs]
    beat: Beat
    asked: set[tuple[str, str]] = field(default_factory=set)

    def pass_on(self, chunk: Sequence[Task]) -> None:
        """Hand over a chunk: what its tasks need."""
        # A runner that is gone is missed when its answers are taken.
        with suppress(BrokenPipeError, ConnectionResetError):
            self.connection.send([self._unasked(*self.needs(task)) for task in chunk])

    def _unasked(self, database: str, queries: Sequence[tuple[str, str]]) -> Needs:
        """What was not asked for lately; the answer to all else was taken over, or soon is."""
        asked = self.asked
        new = [pair for pair in queries if (database, pair[1]) not in asked]
        if new:
            if len(asked) > _ASKED:
                asked.clear()
            asked.update([(database, canon) for _, canon in new])
        return database, new

    def take(self, rest: Iterator[Task], desk: Desk, own: Beat) -> list[Task]:
        """The next tasks of the chunk; the desk knows their answers then."""
        try:
            count, told = self.connection.recv()
        except (EOFError, OSError):
            self._die_with_it(own)
        desk.take_over(told)
        return list(islice(rest, count))

    def end(self) -> None:
        """Let the runner go."""
        self.connection.close()
        os.waitpid(self.pid, 0)

    def _die_with_it(self, own: Beat) -> NoReturn:
        own.copy(self.beat)
        _, status = os.waitpid(self.pid, 0)
        if os.WIFSIGNALED(status):
            os.kill(os.getpid(), os.WTERMSIG(status))
        os._exit(os.waitstatus_to_exitcode(status) or 1)


def start_runner(
    needs: Callable[[Task], Needs],
    make_desk: Callable[[], Desk],
    beat: Beat,
    workers_end: Connection,
) -> Runner:
    """Fork a runner. The caller has one thread.

    Args:
        needs: The queries of a task.
        make_desk: Makes the runner's desk, which relays.
        beat: Says which query is running.
        workers_end: The worker's connection, which is not the runner's business.
    """
    ours, theirs = Pipe()
    pid = os.fork()
    if pid:
        theirs.close()
        return Runner(pid, ours, needs, beat)
    code = 1
    try:
        ours.close()
        workers_end.close()
        _run_ahead(theirs, make_desk())
        code = 0
    finally:
        # Whatever happens, no line of the worker's code may run twice.
        os._exit(code)


def _run_ahead(connection: Connection, desk: Desk) -> None:
    inbox: Inbox[Needs] = Inbox(connection)
    for chunk in inbox:
        rest = iter(chunk)
        while batch := prepared(rest, _as_given, desk):
            connection.send((len(batch), desk.relay()))
        connection.send((0, desk.relay()))


def _as_given(needs: Needs) -> Needs:
    return needs
