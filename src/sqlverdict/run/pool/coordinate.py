"""Works on a stream of tasks: workers examine, a court hears judges, lines are logged."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from sqlverdict.execute.query_runner import QueryRunner
from sqlverdict.run.contradictions import stopped_by
from sqlverdict.run.examine import Examiner, encode_line
from sqlverdict.run.pool.local import run_here
from sqlverdict.run.pool.worker import WorkerSetup
from sqlverdict.run.pool.worker_pool import WorkerPool
from sqlverdict.run.task import Done, LogLine, Pending, Task

if TYPE_CHECKING:
    from sqlverdict.run.judging.stage import JudgeStage, Judging, WaitingCase

Log = Callable[[Sequence[LogLine]], None]
"""Takes finished lines into the run log."""


@dataclass(frozen=True)
class WorkOutcome:
    """How the work went.

    Attributes:
        killed: Workers that had to be killed.
        held: Cases that still lack a reply; the run is not finished.
    """

    killed: int = 0
    held: tuple[WaitingCase, ...] = ()


def coordinate(
    tasks: Iterable[Task],
    log: Log,
    examiner: Examiner,
    setup: WorkerSetup,
    workers: int,
    judging: Judging | None = None,
) -> WorkOutcome:
    """Work on all tasks.

    Args:
        tasks: What is to be done.
        log: Takes finished lines.
        examiner: What is done.
        setup: What each worker begins with.
        workers: How many processes; 0 works in this one.
        judging: Whom to ask, where the examiner's plan asks somebody.

    Raises:
        Contradiction: a pair is both proved and refuted. Its line is logged, with all that were
            done by then, and no further task is taken.
    """
    court = _court(judging, examiner) if judging is not None and examiner.plan.asking else None
    crew: WorkerPool | None = None
    if workers:
        crew = WorkerPool(setup, workers, examiner.crashed)
        batches = crew.run(tasks)
    else:
        batches = run_here(
            tasks, examiner, QueryRunner(setup.engine, setup.limits, setup.open_cache())
        )
    with closing(batches):
        waiting = _waiting(batches, log, examiner.stages.contradictions)
        for line in court.sit(waiting) if court is not None else waiting:
            assert isinstance(line, LogLine), "nothing waits where there is no court"
            log([line])
    killed = crew.killed if crew is not None else 0
    return WorkOutcome(killed, tuple(court.held) if court is not None else ())


def _waiting(
    batches: Iterable[list[Done]], log: Log, contradictions: Path | None
) -> Iterator[Pending]:
    """What waits for a judge; finished lines are logged as they go by."""
    for batch in batches:
        lines = [done for done in batch if isinstance(done, LogLine)]
        pending = [done for done in batch if isinstance(done, Pending)]
        broken = [each for each in pending if each.finding.contradiction]
        log([*lines, *map(_line, broken)])
        if broken:
            raise stopped_by(broken, contradictions)
        yield from pending


def _line(pending: Pending) -> LogLine:
    task = pending.task
    return LogLine(task.system, task.index, encode_line(task, pending.finding))


def _court(judging: Judging, examiner: Examiner) -> JudgeStage:
    # Loaded late: runs without a judge need not wait for it.
    from sqlverdict.run.judging.stage import JudgeStage

    return JudgeStage(judging, examiner.specs, examiner.plan)
