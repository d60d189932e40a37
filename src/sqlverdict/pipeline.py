"""evaluate(): from cases and predictions to a run with scores, evidence and a report.

One function does the work for one or several systems; the gold queries run once for all of
them. What happens to a single case is in ``run/examine.py``.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from sqlverdict import __version__
from sqlverdict.compare.preset import DEFAULT_PRESET
from sqlverdict.confidence import Models
from sqlverdict.errors import Contradiction, FileFailure, Interrupted, UsageError
from sqlverdict.execute.cache import cache_problem, default_path, open_cache
from sqlverdict.execute.engine import ENGINES, Limits
from sqlverdict.load.benchmark import Benchmark
from sqlverdict.load.no_sql import check_no_sql, without_sql
from sqlverdict.parse.schema import Schema
from sqlverdict.records import Case, Prediction
from sqlverdict.run.contradictions import CONTRADICTIONS
from sqlverdict.run.examine import Examiner
from sqlverdict.run.inputs import (
    Given,
    as_benchmark,
    digest_of,
    prediction_for,
    schemas_digest,
    typed,
)
from sqlverdict.run.plan import Wishes, plan_of, stages_of
from sqlverdict.run.pool.coordinate import coordinate
from sqlverdict.run.pool.worker import WorkerSetup
from sqlverdict.run.pool.worker_pool import core_count
from sqlverdict.run.prove_stage import Proving
from sqlverdict.run.recorded import RUN, check_answers, with_records_settled
from sqlverdict.run.refute_stage import Refuting
from sqlverdict.run.task import LogLine, Task, TaskSource
from sqlverdict.runlog.folder import RunFolder
from sqlverdict.runlog.manifest import Manifest, library_versions
from sqlverdict.runlog.run import Run
from sqlverdict.score.metric import MetricSpec, parse_metrics

if TYPE_CHECKING:
    from sqlverdict.run.judging.stage import Judging

Pairs = Iterable[tuple[Case, Prediction]]


class Progress(Protocol):
    """Told how far a run is."""

    def begin(self, total: int | None, resumed: int) -> None:
        """A run begins; ``resumed`` cases were done before."""
        ...

    def advance(self, cases: int) -> None:
        """So many more cases are done."""
        ...


@dataclass(frozen=True)
class Options:
    """How a run is done; what does not change results is not part of a run's fingerprint.

    Attributes:
        metrics: What to score: ``"ex,esm"``, ``"ex[bird]"``.
        engine: The engine that runs the queries.
        limits: What one query may spend.
        workers: Processes; 0 works in this process, ``None`` takes one a core.
        cache: The file of cached answers; ``None`` caches nothing.
        seed: For bootstrap intervals.
        overwrite: Start anew where ``out`` already holds a run.
        progress: Told how far the run is.
        refuting: Search for a witness where the answers match; on by itself, with its default
            budget, where a metric needs it.
        proving: Search for a proof; on by itself where a metric needs it.
        judging: Ask a judge, for the metrics ``flex`` and ``verdict``.
        schemas: Schemas by database id, for databases that are not at hand.
        policy: How evidence becomes a verdict: ``intent`` (the default with the metric
            ``verdict``), ``strict``, or ``results`` (the default without it).
        confidence: How often people call a prediction right in each situation; by default the
            counts that come with the package.
        null_keys: A declared primary key may hold NULL where SQLite allows it; by default it
            never does, in proofs and in witnesses.
        no_sql: What a reply of text without SQL is: ``wrong``, or ``abstain``.
        answers: Where both a database and a record are at hand: ``run`` the queries, or go by
            the ``recorded`` results.
        preset: Tells matches from differences for the metric ``flex`` where the run has no
            ``ex``; by default the benchmark's own.
    """

    metrics: str | Sequence[str] = "ex"
    engine: str = "sqlite"
    limits: Limits = field(default_factory=Limits)
    workers: int | None = None
    cache: Path | None = field(default_factory=default_path)
    seed: int = 0
    overwrite: bool = False
    progress: Progress | None = None
    refuting: Refuting | None = None
    proving: Proving | None = None
    judging: Judging | None = None
    schemas: Mapping[str, Schema] = field(default_factory=dict)
    policy: str | None = None
    confidence: Models | None = None
    null_keys: bool = False
    no_sql: str = "wrong"
    answers: str = RUN
    preset: str = ""


@dataclass(frozen=True)
class System:
    """One system's predictions and where its run goes.

    ``digest`` stands for the predictions in the manifest, where it is known already.
    """

    name: str
    predictions: Given
    out: Path | None = None
    digest: str = ""
    notes: tuple[str, ...] = ()


def evaluate(
    cases: Benchmark | Sequence[Case],
    predictions: Given,
    *,
    name: str = "system",
    out: Path | str | None = None,
    options: Options | None = None,
) -> Run:
    """Evaluate one system.

    Args:
        cases: A benchmark, or a list of cases.
        predictions: By case id: a :class:`Prediction`, ``None`` to abstain, or a text: SQL, or
            a model's reply from which the SQL is taken.
        name: The system's name in reports.
        out: The run's folder; without it a temporary one that lives as long as the result.
        options: Metrics, limits, workers and so on.

    Returns:
        The run: its summary, and its results one by one.

    Raises:
        PredictionError: a case has no prediction.
        RunLogError: ``out`` holds another run.
        Interrupted: the user stopped it; the same call resumes it.
        FileFailure: the folder cannot be written to, or the disk is full.
        Contradiction: a pair is both proved and refuted; the same call goes on behind it.
    """
    folder = Path(out) if out is not None else None
    (run,) = evaluate_systems(cases, [System(name, predictions, folder)], options=options)
    return run


def evaluate_systems(
    cases: Benchmark | Sequence[Case],
    systems: Sequence[System],
    *,
    options: Options | None = None,
) -> list[Run]:
    """Evaluate several systems on the same cases; each gold query runs once for all."""
    benchmark = cases if isinstance(cases, Benchmark) else as_benchmark(cases)
    said = [typed(system.predictions) for system in systems]

    def stream() -> Iterator[tuple[int, Case, list[Prediction]]]:
        for index, case in enumerate(benchmark.cases):
            yield (
                index,
                case,
                [prediction_for(p, case, s.name) for p, s in zip(said, systems, strict=True)],
            )

    inputs = {Path(source.path).name: source.sha256 for source in benchmark.sources}
    plans = [
        _Plan(
            system.name,
            system.out,
            {**inputs, "predictions": system.digest or digest_of(predictions)},
            (*benchmark.notes, *system.notes),
        )
        for system, predictions in zip(systems, said, strict=True)
    ]
    chosen = options or Options()
    schemas = {**benchmark.schemas, **chosen.schemas}
    chosen = replace(chosen, schemas=schemas, preset=chosen.preset or benchmark.preset)
    return _run(stream(), plans, benchmark.name, benchmark.count, chosen)


def evaluate_pairs(
    pairs: Pairs,
    *,
    name: str = "system",
    benchmark: str = "cases",
    out: Path | None = None,
    digest: str = "",
    count: int | None = None,
    inputs: Mapping[str, str] | None = None,
    notes: Sequence[str] = (),
    options: Options | None = None,
) -> Run:
    """Evaluate a stream of cases that carry their predictions; holds few of them at a time.

    ``digest`` stands for the stream in the manifest; without it the run cannot be resumed.
    ``inputs`` names whatever else decides the results, ``notes`` what a user should know.
    """
    stream = ((index, case, [given]) for index, (case, given) in enumerate(pairs))
    cases = digest or f"stream of {datetime.now(UTC).isoformat()}"
    plan = _Plan(name, out, {"cases": cases, **(inputs or {})}, tuple(notes))
    (run,) = _run(stream, [plan], benchmark, count, options or Options())
    return run


@dataclass(frozen=True)
class _Plan:
    """One run to be written."""

    name: str
    out: Path | None
    inputs: dict[str, str]
    notes: tuple[str, ...]


def _run(
    stream: Iterable[tuple[int, Case, list[Prediction]]],
    plans: Sequence[_Plan],
    benchmark: str,
    count: int | None,
    options: Options,
) -> list[Run]:
    """The whole run: open the folders, work on the tasks, finish."""
    specs = parse_metrics(options.metrics)
    check_no_sql(options.no_sql)
    check_answers(options.answers)
    workers = _worker_count(options, specs)
    folders: list[RunFolder] = []
    try:
        for plan in plans:
            manifest = _manifest(plan, benchmark, specs, options, workers)
            folders.append(RunFolder(plan.out, manifest, overwrite=options.overwrite))
        if options.progress is not None:
            total = None if count is None else count * len(plans)
            options.progress.begin(total, sum(folder.resumed for folder in folders))
        stages = plan_of(specs, _wishes(options, plans[0].out))
        seen = TaskSource(
            ENGINES.get(options.engine).suffixes,
            suites=any("databases" in spec.metric.needs for spec in specs),
            descriptions=stages.asking is not None,
        )
        troubles = cache_problem(options.cache)
        if options.no_sql == "abstain":
            stream = (
                (index, case, [without_sql(said, options.no_sql) for said in every])
                for index, case, every in stream
            )
        waiting = seen.tasks(stream, [folder.needs for folder in folders])
        tasks = with_records_settled(waiting, options.answers)
        examiner = Examiner(specs, stages, [folder.folder for folder in folders])
        killed = _work(tasks, folders, examiner, options, workers)
        seen.check_unchanged()
        facts = {"cases": seen.cases, "killed_workers": killed, "databases": seen.databases()}
        for folder in folders:
            notes = dict.fromkeys((*folder.manifest.notes, *troubles))
            folder.seal(**facts, notes=tuple(notes))
        return [folder.summarise() for folder in folders]
    except Contradiction as found:
        done = sum(folder.log.count for folder in folders)
        whole = all(plan.out is not None for plan in plans)
        what = "the same command goes on" if whole else "with a folder for the run it would go on"
        raise Contradiction(f"{found}. {done:,} cases are done; {what} from there") from None
    except BrokenPipeError:
        raise
    except OSError as error:
        done = sum(folder.log.count for folder in folders)
        where = error.filename or ", ".join(str(plan.out) for plan in plans if plan.out)
        raise FileFailure(
            f"{where}: {error.strerror or error}. Check that the place exists, can be written to "
            f"and has space. {done:,} cases are done; the same command goes on from there"
        ) from error
    except KeyboardInterrupt:
        done = sum(folder.log.count for folder in folders)
        raise Interrupted(
            f"stopped after {done:,} cases; the same command goes on from there"
        ) from None
    finally:
        for folder in folders:
            folder.close()


def _work(
    tasks: Iterable[Task],
    folders: Sequence[RunFolder],
    examiner: Examiner,
    options: Options,
    workers: int,
) -> int:
    """Work on all tasks and log their lines; returns how many workers had to be killed."""
    pin = any("timing" in spec.metric.needs for spec in examiner.specs)
    opens = partial(open_cache, options.cache)
    setup = WorkerSetup(examiner, options.engine, options.limits, opens, pin)

    def log(lines: Sequence[LogLine]) -> None:
        for number, folder in enumerate(folders):
            ours = [(line.index, line.text) for line in lines if line.system == number]
            if ours:
                folder.append(ours)
        if options.progress is not None:
            options.progress.advance(len(lines))

    worked = coordinate(tasks, log, examiner, setup, workers, options.judging)
    if worked.held:
        done = sum(folder.log.count for folder in folders)
        raise Interrupted(_why_unfinished([held.budget for held in worked.held], done))
    return worked.killed


def _why_unfinished(refused: Sequence[bool], done: int) -> str:
    """Some cases lack a reply: the run ends as an interrupted one, and can be resumed."""
    if any(refused):
        why = f"the cost limit is reached: {sum(refused):,} cases still wait for a judge"
        what = "the same command with a higher --max-cost goes on from there"
    else:
        why = f"{len(refused):,} cases wait for replies in a batch"
        what = "the same command goes on once they are collected"
    return f"{why}, {done:,} are done; {what}"


def _wishes(options: Options, out: Path | None = None) -> Wishes:
    return Wishes(
        refuting=options.refuting,
        proving=options.proving,
        judge=options.judging.judge if options.judging is not None else None,
        chosen=options.judging is not None and options.judging.chosen,
        preset=options.preset,
        schemas=options.schemas,
        policy=options.policy,
        contradictions=out / CONTRADICTIONS if out is not None else None,
        null_keys=options.null_keys,
        confidence=options.confidence,
    )


def _worker_count(options: Options, specs: Sequence[MetricSpec]) -> int:
    workers = core_count() if options.workers is None else options.workers
    if workers < 0:
        raise UsageError(f"{workers} workers; expected 0 (work in this process) or more")
    # Timing is honest only alone on the machine.
    return min(workers, 1) if any("timing" in spec.metric.needs for spec in specs) else workers


def _manifest(
    plan: _Plan, benchmark: str, specs: Sequence[MetricSpec], options: Options, workers: int
) -> Manifest:
    given = {"schemas": schemas_digest(options.schemas)} if options.schemas else {}
    return Manifest(
        system=plan.name,
        benchmark=benchmark,
        inputs={**plan.inputs, **given},
        metrics={spec.label: spec.metric.version for spec in specs},
        binary=tuple(spec.label for spec in specs if spec.metric.binary),
        engine=options.engine,
        engine_version=ENGINES.get(options.engine).version,
        limits={name: float(most) for name, most in asdict(options.limits).items()},
        sqlverdict=__version__,
        preset=DEFAULT_PRESET,
        stages={
            **stages_of(plan_of(specs, _wishes(options)), options.judging),
            **({"no_sql": options.no_sql} if options.no_sql != "wrong" else {}),
            **({"answers": options.answers} if options.answers != RUN else {}),
        },
        libraries=library_versions(),
        seed=options.seed,
        workers=workers,
        notes=(*plan.notes, *(spec.note for spec in specs if spec.note)),
    )
