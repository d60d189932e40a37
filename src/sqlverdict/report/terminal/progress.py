"""Live progress of a run: a bar on a terminal, a line now and then elsewhere.

No thread draws it: worker processes are forked while it is shown, and forking a process with
several threads is unsafe. It is drawn when cases finish.
"""

from __future__ import annotations

import sys
from time import monotonic
from types import TracebackType
from typing import TYPE_CHECKING, Self, TextIO

from sqlverdict.files.escapes import unfiltered
from sqlverdict.files.text import count

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

_DRAW_EVERY = 0.1
_SAY_EVERY = 10.0


class LiveProgress:
    """Shows how far a run is; a context manager that cleans up after itself.

    Args:
        file: Where to; by default standard error, so that results can be piped.
        say_every: Seconds between lines where ``file`` is not a terminal.
    """

    def __init__(self, file: TextIO | None = None, *, say_every: float = _SAY_EVERY) -> None:
        self._file = sys.stderr if file is None else file
        self._say_every = say_every
        self._live = self._file.isatty()
        self._bar: Progress | None = None
        self._task: TaskID | None = None
        self._total: int | None = None
        self._done = self._resumed = 0
        self._began = self._last_update = monotonic()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def begin(self, total: int | None, resumed: int) -> None:
        """A run begins; ``resumed`` cases were done before."""
        self._total, self._done, self._resumed = total, resumed, resumed
        self._began = self._last_update = monotonic()
        if resumed:
            logged = f"{count(resumed, 'case')} already done"
            print(f"resuming: {logged}; changed ones are run again", file=self._file, flush=True)
        if self._live and resumed != total:
            self._start_bar()

    def advance(self, cases: int) -> None:
        """So many more cases are done."""
        self._done += cases
        now = monotonic()
        if self._bar is not None and self._task is not None:
            self._bar.update(self._task, completed=self._done)
            if now - self._last_update >= _DRAW_EVERY or self._done == self._total:
                self._last_update = now
                self._bar.refresh()
        elif not self._live and now - self._last_update >= self._say_every:
            self._last_update = now
            print(self.sentence(now - self._began), file=self._file, flush=True)

    def sentence(self, seconds: float) -> str:
        """Where the run stands after so many seconds, in words."""
        rate = (self._done - self._resumed) / seconds if seconds > 0 else 0.0
        if self._total is None:
            return f"{count(self._done, 'case')}, {_pace(rate)}"
        share = self._done / self._total if self._total else 1.0
        left = f", {_span((self._total - self._done) / rate)} left" if rate else ""
        every = count(self._total, "case")
        return f"{self._done:,} of {every} ({share:.0%}), {_pace(rate)}{left}"

    def close(self) -> None:
        """Take the bar away."""
        if self._bar is not None:
            self._bar.stop()
            self._bar = None

    def _start_bar(self) -> None:
        from rich.console import Console
        from rich.progress import (
            BarColumn,
            MofNCompleteColumn,
            Progress,
            ProgressColumn,
            Task,
            TextColumn,
            TimeRemainingColumn,
        )
        from rich.text import Text

        class CaseRate(ProgressColumn):
            """Cases a second."""

            def render(self, task: Task) -> Text:
                speed = task.finished_speed or task.speed
                return Text("" if speed is None else f"{speed:,.0f} cases/s", style="dim")

        self._bar = Progress(
            TextColumn("evaluating"),
            BarColumn(),
            MofNCompleteColumn(),
            CaseRate(),
            TimeRemainingColumn(),
            console=Console(file=unfiltered(self._file)),
            auto_refresh=False,
            transient=True,
        )
        self._bar.start()
        self._task = self._bar.add_task("", total=self._total, completed=self._resumed)
        self._bar.refresh()


def _pace(rate: float) -> str:
    """How fast it goes; below one a second, how long one takes."""
    return f"{rate:,.0f} a second" if rate >= 1 or not rate else f"{1 / rate:.0f} s a case"


def _span(seconds: float) -> str:
    if seconds < 60:
        return f"{seconds:.0f} s"
    minutes = seconds / 60
    return f"{minutes:.0f} min" if minutes < 90 else f"{minutes / 60:.1f} h"
