"""How many files a task goes through on its way from the pool to its line, and how often back.

One case is evaluated twice in this process, and the second time each call is noted from the moment
that the pool takes the task until its line is handed on: calls within the files that work on tasks
(``run/``, ``verdicts.py``, ``score/metric*.py``, ``runlog/log.py``). The engine, the parser, the
prover and the search are what these files use, and are left out.

``files`` are those that were entered, ``entries`` the calls from one file into another, and
``returns`` those into a file that waits for the call to end: where there are many, two files
have to be read at the same time. The script asks for nothing but the public API, so that it also
measures older commits: ``PYTHONPATH=OTHER/src python bench/task_way.py``.
"""

from __future__ import annotations

import sqlite3
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from fnmatch import fnmatch
from pathlib import Path
from tempfile import TemporaryDirectory
from types import FrameType

import sqlverdict as sv

PACKAGE = f"{Path(sv.__file__).parent}/"
FILES = ("run/*", "verdicts.py", "score/metric*.py", "runlog/log.py")
METRICS = ("ex", "ex,verdict")
GOLD = "SELECT a FROM t WHERE b = 'k'"
PREDICTION = "SELECT t.a, t.b FROM t JOIN u ON u.x = t.a"
DATA = """
CREATE TABLE t (a INTEGER PRIMARY KEY, b TEXT);
CREATE TABLE u (x INTEGER);
INSERT INTO t VALUES (1, 'k'), (2, 'l'), (3, 'k');
INSERT INTO u VALUES (1), (3);
"""


class TaskWay:
    """Notes the calls between files, from the entry into ``coordinate`` to its end."""

    def __init__(self) -> None:
        self.files: list[str] = []
        self.entries = 0
        self.returns = 0
        self._stack: list[str] = []

    def note(self, frame: FrameType, event: str, _: object) -> None:
        """What Python calls at each call and return."""
        path = frame.f_code.co_filename
        file = path.removeprefix(PACKAGE)
        if file == path or not any(fnmatch(file, pattern) for pattern in FILES):
            return
        if event == "call" and (self._stack or frame.f_code.co_name == "coordinate"):
            if self._stack and self._stack[-1] != file:
                self.entries += 1
                self.returns += file in self._stack
            self._stack.append(file)
            self.files += [file] if file not in self.files else []
        elif event == "return" and self._stack:
            self._stack.pop()


@contextmanager
def tracing(way: TaskWay) -> Iterator[None]:
    sys.setprofile(way.note)
    try:
        yield
    finally:
        sys.setprofile(None)


def task_way(metrics: str) -> TaskWay:
    """The way of a case whose answers differ."""
    options = sv.Options(metrics, workers=0, cache=None)
    with TemporaryDirectory() as folder:
        database = f"{folder}/shop.sqlite"
        with closing(sqlite3.connect(database)) as connection:
            connection.executescript(DATA)
        case = sv.Case("1", "shop", "Which?", (GOLD,), database)
        # The first time modules are loaded, and members found.
        sv.evaluate([case], {"1": PREDICTION}, out=f"{folder}/first", options=options)
        way = TaskWay()
        with tracing(way):
            sv.evaluate([case], {"1": PREDICTION}, out=f"{folder}/second", options=options)
    return way


def task_figures() -> dict[str, int]:
    """The counts, by name."""
    figures = {}
    for metrics in METRICS:
        way = task_way(metrics)
        figures[f"files on the way of a task ({metrics})"] = len(way.files)
        figures[f"entries on the way of a task ({metrics})"] = way.entries
        figures[f"returns on the way of a task ({metrics})"] = way.returns
    return figures


if __name__ == "__main__":
    for name, value in task_figures().items():
        sys.stdout.write(f"{name:45} {value:>8}\n")
