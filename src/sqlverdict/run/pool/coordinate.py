"""Works on a stream of tasks: workers examine, the judge stage asks, lines are logged."""

from __future__ import annotations

from collections.abc import Generator, Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING

from sqlverdict.errors import Contradiction
from sqlverdict.execute.query_runner import QueryRunner
from sqlverdict.run.examine import Examiner
from sqlverdict.run.garbage import seldom_collecting
from sqlverdict.run.outcome import Done, Log, LogLine, Pending, done, encode_line
from sqlverdict.run.plan import RunPlan
from sqlverdict.run.pool.batches import Examine, in_batches
from sqlverdict.run.pool.worker_pool import WorkerPool
from sqlverdict.run.task import Task, chunks

if TYPE_CHECKING:
    from sqlverdict.run.judging.asking import JudgeOptions
    from sqlverdict.run.judging.stage import JudgeStage
    from sqlverdict.run.pool.ray_pool import RayPool


@dataclass(frozen=True)
class WorkOutcome:
    """How the work went.

    Attributes:
        killed: Workers that had to be killed.
        over_budget: For each case that still lacks a reply, whether the cost limit forbade the
            call; the run is not finished.
    """

    killed: int = 0
    over_budget: tuple[bool, ...] = ()


def coordinate(
    tasks: Iterable[Task],
    log: Log,
    examiner: Examiner,
    judge: JudgeOptions | None = None,
) -> WorkOutcome:
    """Work on all tasks.

    Args:
        tasks: What is to be done.
        log: Takes finished lines.
        examiner: Examines the tasks by its plan.
        judge: Whom to ask, where the plan asks somebody.

    Raises:
        Contradiction: a pair is both proved and refuted. Its line is logged, with all that were
            done by then, and no further task is taken.
    """
    plan = examiner.plan
    stage = _judge_stage(judge, plan) if judge is not None and plan.asking else None
    pool = _pool(examiner)
    if pool is not None:
        batches = pool.run(tasks)
    else:
        queries = plan.open_runner()
        batches = run_here(tasks, examiner, queries)
    with closing(examiner), closing(batches):
        waiting = _waiting(batches, log, plan.contradictions)
        for line in stage.lines(waiting) if stage is not None else waiting:
            assert isinstance(line, LogLine), "nothing waits where no judge is asked"
            log([line])
    killed = pool.killed if pool is not None else 0
    return WorkOutcome(killed, tuple(stage.over_budget) if stage is not None else ())


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
            raise _stopped_by(broken, contradictions)
        yield from pending


def _stopped_by(contradictions: Sequence[Pending], folder: Path | None) -> Contradiction:
    """The error that stops a run: which case it is, and where its reproduction lies.

    Args:
        contradictions: At least one.
        folder: Where they were saved.
    """
    case, evidence = contradictions[0].task.case, contradictions[0].finding.contradiction
    file = evidence.file if evidence is not None else ""
    more = f" and {len(contradictions) - 1:,} more" if len(contradictions) > 1 else ""
    where = "not saved: there is no folder for it"
    if folder is not None and file:
        where = f"saved as {folder / file}"
    return Contradiction(
        f"case {case.id!r} ({case.db_id}){more} is both proved and refuted, a bug of sqlverdict; "
        f"the reproduction is {where}. Please report it"
    )


def _line(pending: Pending) -> LogLine:
    task = pending.task
    return LogLine(task.system, task.index, encode_line(task, pending.finding))


def _pool(examiner: Examiner) -> WorkerPool | RayPool | None:
    """Who examines the tasks; ``None``: this process."""
    if examiner.plan.on:
        # Loaded late: Ray takes a second.
        from sqlverdict.run.pool.ray_pool import RayPool

        return RayPool(examiner)
    return WorkerPool(examiner) if examiner.plan.workers else None


def _judge_stage(judge: JudgeOptions, plan: RunPlan) -> JudgeStage:
    # Loaded late: runs without a judge need not wait for it.
    from sqlverdict.run.judging.stage import JudgeStage

    return JudgeStage(judge, plan)


def run_here(
    tasks: Iterable[Task], examine: Examine, runner: QueryRunner
) -> Generator[list[Done], None, None]:
    """Work on all tasks in this process; yields batches, and closes the runner at the end.

    For notebooks, trainers and tests: nothing to start, and anything may be passed in. Queries
    are stopped by the engine's own limits; there is no process to kill behind them.
    """
    try:
        with seldom_collecting():
            for chunk in chunks(tasks):
                lines = chain.from_iterable(in_batches(chunk, examine, runner))
                yield [done(task, each) for task, each in zip(chunk, lines, strict=True)]
                runner.flush()
    finally:
        runner.close()
