"""What the tests of workers share: queries that hang, and an engine that some queries kill."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from time import sleep
from typing import Any

import pytest

from sqlverdict import Options, evaluate
from sqlverdict.execute.engine import ENGINES, Engine, Limits, Session
from sqlverdict.records import Case, Outcome, Score
from sqlverdict.score.metric import METRICS, Item
from timeouts import HANG_SECONDS, wait_until

HANGS = "SELECT instr(hex(zeroblob(8000000)), hex(zeroblob(4000000)) || 'x')"
"""One opcode that runs for a minute; no handler is called meanwhile."""


def answers_of(folder: Path, cases: Sequence[Case], *queries: str, engine: str = "sqlite") -> Path:
    """A cache with the answers of all golds, and of more queries on the first case's database.

    A run with it asks the engine for nothing else than what a test adds, so that a short limit
    of time strikes that alone.
    """
    path = folder / "answers.sqlite"
    first = cases[0]
    more = [Case(f"more {sql}", first.db_id, "?", (sql,), first.database) for sql in queries]
    both = [*cases, *more]
    evaluate(
        both,
        {case.id: case.golds[0] for case in both},
        out=folder / "answers",
        options=Options(engine=engine, cache=path, workers=0),
    )
    return path


_KILLER = """
import glob, os, sys, time
note, number = sys.argv[1], int(sys.argv[2])
while len(waiting := glob.glob(os.path.dirname(note) + "/waits-*")) < number:
    time.sleep(0.01)
for name in waiting:
    worker = int(name.rpartition("-")[2])
    os.kill(worker, 9)
    try:
        while True:
            os.kill(worker, 0)
            time.sleep(0.01)
    except ProcessLookupError:
        pass
open(note, "w").close()
"""


class Gate:
    """A metric that holds the last cases back until something has happened to the run.

    A file tells that it has: what processes share may be left locked by one that is killed.
    """

    name, version, needs, parameters, binary = "gate", 1, frozenset({"answers"}), (), True

    def __init__(self, folder: Path, first: int, monkeypatch: pytest.MonkeyPatch) -> None:
        self._note = folder / "open"
        self._first = first
        monkeypatch.setitem(METRICS._members, "gate", self)
        monkeypatch.setitem(METRICS._modules, "gate", "test")

    def open(self) -> None:
        """Let the last cases pass."""
        self._note.touch()

    def close(self) -> None:
        """Hold them back again."""
        self._note.unlink(missing_ok=True)

    @property
    def is_open(self) -> bool:
        return self._note.exists()

    def score(self, item: Item, _parameter: str) -> Score:
        if int(item.case.id) >= self._first and not self.is_open:
            (self._note.parent / f"waits-{os.getpid()}").touch()
            wait_until(self._note.exists)
        return Score(1.0)

    @contextmanager
    def kill_who_waits(self, workers: int) -> Iterator[None]:
        """Kill workers once so many wait; then let the last cases pass.

        From another process: a thread would change how workers are started.
        """
        command = [sys.executable, "-S", "-E", "-c", _KILLER, str(self._note), str(workers)]
        with subprocess.Popen(command) as process:
            try:
                yield
            finally:
                process.kill()


@dataclass(frozen=True)
class Fragile(Engine):
    """SQLite, but some queries end the process, or hang without a use of the processor."""

    name = "fragile"
    dialect = "sqlite"
    suffixes = (".sqlite",)
    schemes = ()
    counts_steps = True
    version = "1"

    def digest(self, database: str) -> str | None:
        return ENGINES.get("sqlite").digest(database)

    def open(self, database: str, limits: Limits, **how: Any) -> Session:
        return FragileSession(ENGINES.get("sqlite").open(database, limits, **how))


@dataclass(frozen=True)
class FragileSession:
    session: Session

    def run(self, sql: str) -> Outcome:
        if "deadly" in sql:
            os.kill(os.getpid(), signal.SIGKILL)
        if "leaves" in sql:
            os._exit(9)
        if "sleeps" in sql:
            sleep(HANG_SECONDS)
        return self.session.run(sql)

    def clock(self, queries: Any, rounds: int) -> list[list[float]]:
        return self.session.clock(queries, rounds)

    def close(self) -> None:
        self.session.close()
