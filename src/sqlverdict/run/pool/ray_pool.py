"""Works on cases in actors of a Ray cluster, each of which guards a worker process of its node.

An actor is given chunks of tasks, as a worker process is, and has a worker pool of one: limits,
killed queries and crashes are those of a run on one machine. Lines go to the driver, which alone
writes the run log and asks judges. What a lost actor or node was given, another one does again.
"""

from __future__ import annotations

import os
import platform
import signal
import tempfile
import threading
from collections.abc import Generator, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from msgspec import structs

from sqlverdict import __version__
from sqlverdict.errors import (
    DatabaseError,
    Interrupted,
    MissingExtra,
    OptionName,
    SameCall,
    UsageError,
)
from sqlverdict.execute.engine import ENGINES
from sqlverdict.files.atomic import write_at_once
from sqlverdict.files.references import attached_files
from sqlverdict.run.examine import Examiner
from sqlverdict.run.outcome import Done, Pending
from sqlverdict.run.plan import RunPlan
from sqlverdict.run.pool.node_files import (
    NodeFiles,
    check_node_files,
    contents_of,
    copy_of,
    files_of,
    make_copy,
)
from sqlverdict.run.pool.worker_pool import WorkerPool
from sqlverdict.run.task import Task, chunks
from sqlverdict.runlog.manifest import library_versions

_QUEUED = 2
"""Chunks that wait at an actor."""
_MOST_LOSSES = 3
"""So often may actors be lost that work on the same chunk."""
_PATIENCE = 300.0
"""Seconds after which a cluster that starts no actor is said to be full."""


@dataclass(frozen=True)
class _Chunk:
    """Tasks of one database, and its files."""

    tasks: list[Task]
    files: NodeFiles | None
    losses: int = 0


@dataclass(frozen=True)
class ChunkResult:
    """What an actor made of a chunk.

    Attributes:
        done: What became of the tasks.
        killed: Worker processes that had to be killed.
        witnesses: New files of witnesses: the system, the file's name below its folder, its bytes.
    """

    done: list[Done]
    killed: int
    witnesses: list[tuple[int, str, bytes]] = field(default_factory=list)


class RayPool:
    """Actors over one stream of tasks.

    Args:
        examiner: Examines the tasks; each actor gets one like it. Its plan names the cluster.
    """

    def __init__(self, examiner: Examiner) -> None:
        self.killed = 0
        self._plan = examiner.plan
        self._folders = examiner.folders
        self._ray = _load_ray()
        self._files: dict[str, NodeFiles | None] = {}
        self._contents: dict[str, Any] = {}
        """The bytes of databases in the cluster's store, by the key of their files."""
        self._starting: dict[Any, Any] = {}
        """Actors by the reference that is there once they have started."""
        self._running: dict[Any, tuple[Any, _Chunk]] = {}
        """Actors and chunks by the reference of their result."""
        self._ready: list[Any] = []
        self._lost = 0

    def run(self, tasks: Iterable[Task]) -> Generator[list[Done], None, None]:
        """Work on all tasks; yields what is done in batches, in no particular order.

        Raises:
            UsageError: the cluster is not there, a node has other versions, or no actor starts.
            DatabaseError: a node has other databases.
            Interrupted: actors were lost again and again; the run can be resumed.
        """
        shared = self._ray.is_initialized()
        if not shared:
            _connect(self._ray, self._plan.on)
        try:
            yield from self._work(tasks)
        finally:
            for actor in (*self._ready, *self._starting.values()):
                self._ray.kill(actor)
            if not shared:
                self._ray.shutdown()

    def _work(self, tasks: Iterable[Task]) -> Generator[list[Done], None, None]:
        size = self._plan.workers or max(1, int(self._ray.cluster_resources().get("CPU", 1)))
        for _ in range(size):
            self._start_actor()
        waiting = map(self._chunk, chunks(tasks, size))
        again: list[_Chunk] = []
        ended = False
        while True:
            while (actor := self._free_actor()) is not None and (again or not ended):
                chunk = again.pop() if again else next(waiting, None)
                if chunk is None:
                    ended = True
                else:
                    self._give(actor, chunk)
            if ended and not again and not self._running:
                break
            for reference in self._wait():
                if reference in self._starting:
                    self._started(reference)
                elif reference in self._running:
                    lines, lost = self._receive(reference)
                    again += lost
                    if lines:
                        yield lines

    def _chunk(self, tasks: list[Task]) -> _Chunk:
        database = tasks[0].case.database
        if database is None:
            return _Chunk(tasks, None)
        if any(task.case.gold_database is not None for task in tasks):
            raise UsageError("golds with databases of their own are evaluated on one machine")
        if attached_files(database):
            raise UsageError("a database of several files is evaluated on one machine")
        if database not in self._files:
            whole = self._plan.copy_databases or self._plan.needs("databases")
            self._files[database] = files_of(database, whole_folder=whole)
        return _Chunk(tasks, self._files[database])

    def _start_actor(self) -> None:
        remote = self._ray.remote(num_cpus=1, max_restarts=0)(Actor)
        actor = remote.remote(self._plan, len(self._folders))
        self._starting[actor.versions.remote()] = actor

    def _started(self, reference: Any) -> None:
        actor = self._starting.pop(reference)
        try:
            theirs = self._ray.get(reference)
        except self._ray.exceptions.RayError as error:
            self._lose(actor, error)
            return
        ours = versions(self._plan)
        if theirs != ours:
            raise UsageError(
                f"a node of the cluster has other versions: {theirs}; this machine has {ours}. "
                f"Results would differ: install the same on all nodes"
            )
        self._ready.append(actor)

    def _free_actor(self) -> Any:
        """The actor with the fewest chunks; ``None`` where all have enough."""
        busy = [actor for actor, _ in self._running.values()]
        free = [actor for actor in self._ready if busy.count(actor) < _QUEUED]
        return min(free, key=busy.count, default=None)

    def _give(self, actor: Any, chunk: _Chunk) -> None:
        contents = None
        if self._plan.copy_databases and chunk.files is not None:
            key = chunk.files.key
            if key not in self._contents:
                self._contents[key] = self._ray.put(contents_of(chunk.files))
            # In a list Ray leaves the reference as it is: a node that has the copy needs no bytes.
            contents = [self._contents[key]]
        reference = actor.work.remote(chunk.tasks, chunk.files, contents)
        self._running[reference] = (actor, chunk)

    def _wait(self) -> list[Any]:
        references = [*self._running, *self._starting]
        patience = None if self._running else _PATIENCE
        arrived, _ = self._ray.wait(references, num_returns=1, timeout=patience)
        if not arrived:
            raise UsageError(
                f"the cluster has started no actor within {_PATIENCE:g} s: no CPU is free. End "
                f"other work on it, or use fewer ",
                OptionName("workers"),
            )
        return list(arrived)

    def _receive(self, reference: Any) -> tuple[list[Done], list[_Chunk]]:
        """Take in the outcomes of a chunk; returns the chunks that have to be done again."""
        actor, chunk = self._running.pop(reference)
        try:
            result: ChunkResult = self._ray.get(reference)
        except self._ray.exceptions.RayTaskError as error:
            cause = error.cause
            raise cause if isinstance(cause, DatabaseError) else error from None
        except self._ray.exceptions.RayError as error:
            return [], self._lose(actor, error, chunk)
        self.killed += result.killed
        self._keep_witnesses(result.witnesses)
        tasks = {task.key: task for task in chunk.tasks}
        # The actor's tasks may name copies of the databases; those of the driver do not.
        return [
            Pending(tasks[done.task.key], done.finding) if isinstance(done, Pending) else done
            for done in result.done
        ], []

    def _lose(self, actor: Any, error: Exception, *chunks: _Chunk) -> list[_Chunk]:
        """An actor is gone: another takes its place, and its chunks are done again."""
        lost = [*chunks]
        for reference, (other, chunk) in list(self._running.items()):
            if other == actor:
                del self._running[reference]
                lost.append(chunk)
        if actor in self._ready:
            self._ready.remove(actor)
        self.killed += 1
        self._lost += 1
        again = [replace(chunk, losses=chunk.losses + 1) for chunk in lost]
        most = _MOST_LOSSES * max(1, len(self._ready) + len(self._starting))
        if self._lost > most or any(chunk.losses > _MOST_LOSSES for chunk in again):
            raise Interrupted(
                f"actors were lost {self._lost} times, the last one so: {error}. What is done is "
                "in the run log. Look at the cluster, then ",
                SameCall.AGAIN,
            )
        self._start_actor()
        return again

    def _keep_witnesses(self, witnesses: Sequence[tuple[int, str, bytes]]) -> None:
        for system, name, content in witnesses:
            file = self._folders[system] / name
            file.parent.mkdir(parents=True, exist_ok=True)
            write_at_once(file, content)


class Actor:
    """What works on a node: it has a worker process, and guards it.

    Args:
        plan: What is done.
        systems: How many systems are evaluated.
    """

    def __init__(self, plan: RunPlan, systems: int) -> None:
        self._plan = plan
        # Witnesses are written here, and carried to the driver.
        self._temporary = tempfile.TemporaryDirectory(prefix="sqlverdict-")
        self._folders = [Path(self._temporary.name, str(system)) for system in range(systems)]
        self._carried: set[Path] = set()
        self._checked: set[tuple[str, str]] = set()
        # The cache's file may lie on a file system that nodes share, which SQLite cannot lock.
        own = replace(plan, workers=1, on="", cache=None)
        self._pool = WorkerPool(Examiner(own, self._folders))

    def versions(self) -> dict[str, str]:
        """What results rest on here."""
        return versions(self._plan)

    def work(
        self, tasks: list[Task], files: NodeFiles | None, contents: list[Any] | None
    ) -> ChunkResult:
        """Work on a chunk.

        Raises:
            DatabaseError: this node has no such database, or another one.
        """
        if files is not None:
            tasks = self._prepared(tasks, files, contents)
        before = self._pool.killed
        done = [each for batch in self._pool.work(iter([tasks])) for each in batch]
        return ChunkResult(done, self._pool.killed - before, list(self._new_witnesses()))

    def _prepared(
        self, tasks: list[Task], files: NodeFiles, contents: list[Any] | None
    ) -> list[Task]:
        """The tasks, on files that are the same as the driver's."""
        here = files
        if contents is not None:
            here = replace(files, path=str(copy_of(files)))
            if not Path(here.path).is_file():
                make_copy(files, _load_ray().get(contents[0]))
        if (here.path, here.key) not in self._checked:
            check_node_files(here, platform.node())
            self._checked.add((here.path, here.key))
        if here.path == files.path:
            return tasks
        return [
            structs.replace(task, case=replace(task.case, database=here.path)) for task in tasks
        ]

    def _new_witnesses(self) -> Iterator[tuple[int, str, bytes]]:
        for system, folder in enumerate(self._folders):
            for file in sorted(folder.rglob("*")):
                if file.is_file() and file not in self._carried:
                    self._carried.add(file)
                    yield system, str(file.relative_to(folder)), file.read_bytes()


def versions(plan: RunPlan) -> dict[str, str]:
    """What results rest on, and nodes must share."""
    engine = ENGINES.get(plan.engine)
    return {"sqlverdict": __version__, engine.name: engine.version, **library_versions()}


def _load_ray() -> Any:
    """The module.

    Raises:
        MissingExtra: it is not installed.
    """
    try:
        import ray
    except ImportError as error:
        raise MissingExtra("a run on a cluster of Ray", "ray") from error
    return ray


def _connect(ray: Any, on: str) -> None:
    """Connect to a cluster; ``ray`` alone: that of RAY_ADDRESS, else a new one on this machine.

    Raises:
        UsageError: the cluster cannot be reached.
    """
    address = on if on.startswith("ray://") else None
    before = signal.getsignal(signal.SIGTERM)
    try:
        ray.init(address, log_to_driver=False, logging_level="ERROR", include_dashboard=False)
    except (ConnectionError, RuntimeError, ValueError, ImportError) as error:
        where = address or os.environ.get("RAY_ADDRESS") or "this machine"
        raise UsageError(f"no Ray cluster answers at {where} ({error})") from error
    if threading.current_thread() is threading.main_thread():
        # Ray leaves a handler of its own, which ends the program without a word.
        signal.signal(signal.SIGTERM, before)
