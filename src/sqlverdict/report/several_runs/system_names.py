"""How the systems of several runs are called where they stand side by side."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from sqlverdict.errors import UsageError
from sqlverdict.runlog.run import Run


def system_names(runs: Sequence[Run]) -> list[str]:
    """The systems' names; folders are added where two are called the same."""
    times = Counter(run.manifest.system for run in runs)
    names = [
        run.manifest.system
        if times[run.manifest.system] == 1
        else f"{run.manifest.system} ({run.folder})"
        for run in runs
    ]
    twice = [name for name, number in Counter(names).items() if number > 1]
    if twice:
        raise UsageError(f"the run {twice[0]!r} is given twice; name each folder once")
    return names
