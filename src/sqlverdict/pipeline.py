"""From cases and predictions to runs with scores, evidence and reports.

The stages of a run, in order:

1. ``run/plan.py``: the options become one plan.
2. ``run/task.py``: cases and predictions become tasks; a resumed run skips what is done.
3. ``run/examine.py``: each task is examined. ``run/stages.py`` executes both queries, compares
   their answers, proves, refutes and looks for signs; metrics score the case.
4. ``run/judging``: a judge is asked what the evidence leaves open.
5. ``runlog``: the lines are logged as they come, put in order, and summarised.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

from sqlverdict.errors import UsageError
from sqlverdict.execute.cache import cache_problem
from sqlverdict.load.benchmark import Benchmark
from sqlverdict.load.predictions import as_predictions, predictions_digest
from sqlverdict.load.revisions import revision_words
from sqlverdict.records import Case, Prediction
from sqlverdict.run.examine import Examiner
from sqlverdict.run.options import Options, Progress, System
from sqlverdict.run.output import (
    RunOutput,
    benchmark_manifest,
    cache_notes,
    check_finished,
    line_log,
    manifest_of,
    open_folders,
)
from sqlverdict.run.plan import RunPlan, plan_run
from sqlverdict.run.pool.coordinate import coordinate
from sqlverdict.run.task import (
    CaseStream,
    TaskSource,
    as_benchmark,
    case_stream,
    pair_stream,
)
from sqlverdict.runlog.folder import PROBLEMS
from sqlverdict.runlog.reuse import reuse_results
from sqlverdict.runlog.run import Run

__all__ = ["Options", "Progress", "System", "evaluate_pairs", "evaluate_systems"]


def evaluate_systems(
    cases: Benchmark | Sequence[Case],
    systems: Sequence[System],
    *,
    options: Options | None = None,
) -> list[Run]:
    """Evaluate several systems on the same cases; each gold query runs once for all.

    Raises:
        UsageError: an argument is of the wrong type, or two systems have one name.
        PredictionError: a case has no prediction.
        RunLogError: a folder holds another run.
        Interrupted: the user stopped it; the same call resumes it.
        FileFailure: a folder cannot be written to, or the disk is full.
        Contradiction: a pair is both proved and refuted; the same call continues after it.

    Examples:
        >>> case = sv.Case("1", "shop", "", ("SELECT count(*) FROM item",), "shop.sqlite")
        >>> systems = [sv.System("a", {"1": "SELECT 3"}), sv.System("b", {"1": None})]
        >>> [run.estimate("ex").value for run in sv.evaluate_systems([case], systems)]
        [1.0, 0.0]
    """
    benchmark = cases if isinstance(cases, Benchmark) else as_benchmark(cases)
    options = _options(options)
    schemas, preset = {**benchmark.schemas, **options.schemas}, options.preset or benchmark.preset
    options = replace(options, schemas=schemas, preset=preset)
    check_distinct_systems(systems)
    plan, outputs, predictions = plan_run(options, systems[0].out), [], []
    for system in systems:
        own = as_predictions(system.predictions)
        predictions.append((system.name, own))
        digest = system.digest or predictions_digest(own)
        manifest = benchmark_manifest(
            plan, options, benchmark, system=system.name, predictions=digest, notes=system.notes
        )
        manifest = replace(manifest, trial_of=system.trial_of)
        outputs.append((system.out, manifest))
        if system.base is not None and system.out is not None:
            reuse_results(system.base, system.out, manifest, benchmark.cases)
    stream = case_stream(benchmark.cases, predictions)
    return _run(stream, outputs, benchmark.count, plan, options)


def evaluate_pairs(
    pairs: Iterable[tuple[Case, Prediction]],
    *,
    name: str = "system",
    benchmark: str = "cases",
    out: str | Path | None = None,
    digest: str = "",
    count: int | None = None,
    inputs: Mapping[str, str] | None = None,
    notes: Sequence[str] = (),
    options: Options | None = None,
    base: tuple[Path, Iterable[Case]] | None = None,
) -> Run:
    """Evaluate a stream of cases that carry their predictions; holds few of them at a time.

    ``digest`` stands for the stream in the manifest; without it the run cannot be resumed.
    ``inputs`` names whatever else decides the results, ``notes`` what a user should know. ``base``
    is an earlier run with other golds, and the cases: its results stand where golds are the same.

    Raises:
        UsageError: an argument is of the wrong type.

    Examples:
        >>> case = sv.Case("1", "shop", "", ("SELECT count(*) FROM item",), "shop.sqlite")
        >>> run = sv.evaluate_pairs([(case, sv.Prediction("1", "SELECT 3"))])
        >>> run.estimate("ex").value
        1.0
    """
    options = _options(options)
    if not isinstance(pairs, Iterable) or isinstance(pairs, str | bytes | Mapping):
        raise UsageError(
            f"pairs is {type(pairs).__name__}; expected a Case and its Prediction, several times"
        )
    folder = Path(out) if out is not None else None
    plan = plan_run(options, folder)
    inputs = {"cases": digest or f"stream of {datetime.now(UTC).isoformat()}", **(inputs or {})}
    manifest = manifest_of(
        plan, options, system=name, benchmark=benchmark, inputs=inputs, notes=notes
    )
    if base is not None and folder is not None:
        reuse_results(base[0], folder, manifest, base[1])
    return _run(pair_stream(pairs), [(folder, manifest)], count, plan, options)[0]


def check_distinct_systems(systems: Sequence[System]) -> None:
    """Refuse systems that reports could not tell apart.

    Raises:
        UsageError: there is none, one is no system, or two have one name.
    """
    if not isinstance(systems, Sequence):
        raise UsageError(
            f"systems is {type(systems).__name__}; expected a list of sqlverdict.System"
        )
    if not systems:
        raise UsageError("there is no system; expected one or several")
    other = next((each for each in systems if not isinstance(each, System)), None)
    if other is not None:
        raise UsageError(f"a system is {other!r}; expected a sqlverdict.System")
    names = [each.name for each in systems]
    for name in names:
        if not isinstance(name, str):
            raise UsageError(f"the name of a system is {name!r}; expected text")
        if names.count(name) > 1:
            raise UsageError(f"two systems are called {name!r}; expected a name for each")


def _options(options: Options | None) -> Options:
    """The options of a call.

    Raises:
        UsageError: they are of another type.
    """
    if options is not None and not isinstance(options, Options):
        raise UsageError(f"options is {type(options).__name__}; expected a sqlverdict.Options")
    return options or Options()


def _run(
    stream: CaseStream,
    outputs: Sequence[RunOutput],
    count: int | None,
    plan: RunPlan,
    options: Options,
) -> list[Run]:
    with open_folders(outputs, overwrite=options.overwrite) as folders:
        if options.progress is not None:
            total = None if count is None else count * len(folders)
            options.progress.begin(total, sum(folder.resumed for folder in folders))
        plan = replace(plan, problems=folders[0].folder / PROBLEMS)
        problems = cache_problem(plan.cache)
        source = TaskSource(plan)
        tasks = source.tasks(stream, [folder.needs for folder in folders])
        examiner = Examiner(plan, [folder.folder for folder in folders])
        log = line_log(folders, options.progress)
        judge = options.judge and options.judge.for_accounts(folder.account for folder in folders)
        outcome = coordinate(tasks, log, examiner, judge)
        check_finished(folders, outcome.over_budget)
        source.check_unchanged()
        problems = (*problems, *source.schema_notes(plan.schemas), *cache_notes(plan, judge))
        revision = revision_words(source.questions)
        for system, folder in enumerate(folders):
            notes = (*folder.manifest.notes, *source.reply_notes(system), *problems)
            folder.seal(
                cases=source.cases,
                killed_workers=outcome.killed,
                databases=source.databases(),
                revision=revision,
                notes=tuple(dict.fromkeys(notes)),
            )
        return [folder.summarise() for folder in folders]
