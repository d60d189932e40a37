"""Worker processes that wait inside a case until somebody kills them from outside.

A worker that comes to a case writes down its number and waits; a process of its own, the killer,
reads the number and kills it. After so many kills workers pass. So no test guesses when a worker
is inside a case.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from time import sleep
from typing import TYPE_CHECKING, Any

from sqlverdict.execute.query_runner import QueryRunner
from sqlverdict.records import Outcome
from sqlverdict.run.examine import Examiner
from sqlverdict.run.pool import worker
from sqlverdict.run.task import Task
from timeouts import HANG_SECONDS

if TYPE_CHECKING:
    import pytest

VICTIM = "victim"
"""Where a text has this word, workers wait."""
FOREVER = 1_000
_FOLDER, _KILLS, _STAGE = "KILL_FOLDER", "KILLS", "KILL_STAGE"

_KILLER = """
import os, sys, time
folder, number = sys.argv[1], int(sys.argv[2])
for turn in range(int(sys.argv[3])):
    file = os.path.join(folder, f"{turn}.pid")
    while not os.path.exists(file):
        time.sleep(0.005)
    os.kill(int(open(file).read()), number)
"""


@contextmanager
def killer(
    folder: Path,
    kills: int,
    patch: pytest.MonkeyPatch,
    *,
    stage: str = "query",
    sent: signal.Signals = signal.SIGKILL,
) -> Iterator[Callable[[], int]]:
    """Kill the first workers that come to a case; how many were killed is asked later.

    Args:
        folder: An empty folder.
        kills: How many are killed.
        patch: Takes all of it back.
        stage: Where workers wait: in a ``query``, or in the ``case`` outside any query.
        sent: The signal.
    """
    folder.mkdir()
    for name, value in ((_FOLDER, str(folder)), (_KILLS, str(kills)), (_STAGE, stage)):
        patch.setenv(name, value)
    patch.setattr("sqlverdict.run.pool.worker_pool.work_on_chunks", work)
    patch.setattr("sqlverdict.api.isolated._MODULE", "kill_checker")
    command = [sys.executable, "-S", "-E", "-c", _KILLER, str(folder), str(int(sent)), str(kills)]
    with subprocess.Popen(command) as process:
        try:
            yield lambda: len(list(folder.glob("*.pid")))
        finally:
            process.kill()


def work(*arguments: Any) -> None:
    """The life of a worker that waits to be killed; a spawned one finds it by its name."""
    wait_in_cases()
    worker.work_on_chunks(*arguments)


def wait_in_cases() -> None:
    """Let this process wait where a text has the word."""
    if os.environ[_STAGE] == "query":
        find = QueryRunner._session
        QueryRunner._session = lambda runner, database: _Waiting(find(runner, database))  # type: ignore
    else:
        examine = Examiner._examine

        def examine_later(examiner: Examiner, task: Task, runner: QueryRunner) -> Any:
            if VICTIM in (task.prediction.sql or ""):
                wait_to_be_killed()
            return examine(examiner, task, runner)

        Examiner._examine = examine_later  # type: ignore[method-assign]


class _Waiting:
    """A session whose queries wait."""

    def __init__(self, session: Any) -> None:
        self._session = session

    def __getattr__(self, name: str) -> Any:
        return getattr(self._session, name)

    def run(self, sql: str) -> Outcome:
        if VICTIM in sql:
            wait_to_be_killed()
        outcome: Outcome = self._session.run(sql)
        return outcome


def wait_to_be_killed() -> None:
    """Wait for the killer, unless it has killed enough."""
    folder = Path(os.environ[_FOLDER])
    for turn in range(int(os.environ[_KILLS])):
        try:
            own = os.open(folder / f"{turn}.turn", os.O_CREAT | os.O_EXCL)
        except FileExistsError:
            continue
        os.close(own)
        number = folder / f"{turn}.number"
        number.write_text(str(os.getpid()))
        number.rename(folder / f"{turn}.pid")
        sleep(HANG_SECONDS)
