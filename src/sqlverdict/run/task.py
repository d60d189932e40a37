"""A unit of work, and how a stream of them is cut into chunks."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from sqlverdict.files.digests import database_digest
from sqlverdict.records import Case, Evidence, Judgement, Prediction

if TYPE_CHECKING:
    from sqlverdict.run.briefs import Question

WINDOW = 2_048
CHUNK = 64
_SMALLEST = 8


@dataclass(frozen=True)
class Task:
    """One case of one system; ``index`` is its place in the run log."""

    system: int
    index: int
    case: Case
    prediction: Prediction


@dataclass(frozen=True)
class Finding:
    """What was found out about a pair of queries; the same wherever the pair turns up.

    Attributes:
        judgement: What the evidence amounts to, before any judge was asked.
        evidence: The evidence.
        scores: The values of the metrics that need no judge, by label.
        timings: Seconds.
        questions: What a judge is to be asked; empty: nothing, and the finding is final.
    """

    judgement: Judgement
    evidence: tuple[Evidence, ...]
    scores: Mapping[str, float | None]
    timings: Mapping[str, float]
    questions: tuple[Question, ...] = ()

    @property
    def contradiction(self) -> Evidence | None:
        """Where a proof meets a refutation: such a finding stops the run."""
        return next((found for found in self.evidence if "contradiction" in found.detail), None)


@dataclass(frozen=True)
class Line:
    """A task's finished line for the run log."""

    system: int
    index: int
    text: bytes


@dataclass(frozen=True)
class Pending:
    """A task whose line the coordinator writes: it waits for a judge, or stops the run."""

    task: Task
    finding: Finding


Done = Line | Pending
"""What a worker makes of a task."""


def done(task: Task, made: bytes | Finding) -> Done:
    """A finished line, or a finding that the coordinator looks at, with its task."""
    if isinstance(made, bytes):
        return Line(task.system, task.index, made)
    return Pending(task, made)


class Seen:
    """Turns a stream of cases into tasks, and notes what went by.

    Cases that a run log already holds are passed over; their databases are noted too.
    """

    def __init__(self) -> None:
        self.cases = 0
        self._databases: dict[str, str] = {}

    def tasks(
        self,
        stream: Iterable[tuple[int, Case, list[Prediction]]],
        done: Sequence[Callable[[int], bool]],
    ) -> Iterator[Task]:
        """The tasks that are still to be done; ``done[system]`` tells which are not."""
        for index, case, predictions in stream:
            self.cases = index + 1
            if case.database is not None and case.db_id not in self._databases:
                self._databases[case.db_id] = _digest(Path(case.database))
            for system, prediction in enumerate(predictions):
                if not done[system](index):
                    yield Task(system, index, case, prediction)

    def databases(self) -> dict[str, str]:
        """Digest of every database file that the cases name, by database id."""
        return dict(sorted(self._databases.items()))


def _digest(file: Path) -> str:
    return database_digest(file) if file.is_file() else "missing"


def chunks(tasks: Iterable[Task], workers: int = 1) -> Iterator[list[Task]]:
    """Cut a stream into chunks of one database each.

    Only a window of the stream is held at a time. Tasks of one case stay together, so its
    gold runs once for all systems. Where little is left, chunks are small, so that all workers
    end at about the same time.
    """
    stream = iter(tasks)
    while window := list(islice(stream, WINDOW)):
        size = max(_SMALLEST, min(CHUNK, len(window) // (8 * workers)))
        by_database: dict[str, list[Task]] = {}
        for task in window:
            by_database.setdefault(task.case.database or task.case.db_id, []).append(task)
        for group in by_database.values():
            for start in range(0, len(group), size):
                yield group[start : start + size]
