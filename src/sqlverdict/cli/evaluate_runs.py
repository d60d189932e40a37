"""From the options of ``evaluate`` to finished runs: the cases, the systems, where each goes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from sqlverdict.cli.options.data import extra_inputs, read_benchmark, select, select_pairs
from sqlverdict.cli.options.judge import open_judge
from sqlverdict.cli.options.llm import submit_batch
from sqlverdict.cli.options.predictions import DEFAULT_OUT, read_systems, run_folder
from sqlverdict.cli.options.recorded_systems import check_systems, read_recorded
from sqlverdict.cli.options.run import EvaluateArgs
from sqlverdict.cli.options.shared import split_name
from sqlverdict.errors import Interrupted, UsageError
from sqlverdict.execute.engine import engine_of_cases
from sqlverdict.load.benchmark import Benchmark, PairedCases
from sqlverdict.load.columns.column_map import (
    missing_column,
)
from sqlverdict.load.overlays import overlay_title
from sqlverdict.pipeline import Options, System, evaluate_pairs, evaluate_systems
from sqlverdict.runlog.run import Run

Redirect = Callable[[System], System | None]
"""Where a system's run goes instead; ``None``: it is not evaluated."""


def read_cases(args: EvaluateArgs, options: Options) -> tuple[Benchmark, Options]:
    """The benchmark, and the options with the engine of its databases."""
    check_systems(args.data)
    predictions = [Path(split_name(text)[1]) for text in args.predictions.predictions]
    benchmark = read_benchmark(args.data, predictions, args.output.out or DEFAULT_OUT)
    if args.data.engine is None and args.data.databases is None:
        # Cases may name their databases themselves.
        options = replace(options, engine=engine_of_cases(benchmark.cases))
    return benchmark, options


def evaluate_cases(
    benchmark: Benchmark, args: EvaluateArgs, options: Options, redirect: Redirect | None = None
) -> Sequence[Run]:
    """Evaluate all systems of the options, with the judge of the options.

    Args:
        benchmark: The benchmark, whole.
        args: What the user asked for.
        options: The options of the runs.
        redirect: Sends runs elsewhere.
    """
    others = bool(args.predictions.predictions or args.data.system)
    with open_judge(args.judge, benchmark, other_predictions=others) as session:
        try:
            judged = replace(options, judge=session.judging)
            return run_systems(benchmark, args, judged, redirect)
        except Interrupted:
            if args.judge.batch and session.llm is not None:
                submit_batch(session.llm, args.judge.llm.max_cost)
            raise


def run_systems(
    benchmark: Benchmark, args: EvaluateArgs, options: Options, redirect: Redirect | None = None
) -> Sequence[Run]:
    """As :func:`evaluate_cases`, with the judge that the options hold already."""
    data, out = args.data, args.output.out
    if data.system:
        if args.predictions.predictions:
            raise UsageError("--system and --predictions cannot be combined")
        benchmark, systems = read_recorded(args.predictions, data, benchmark, out)
    elif args.predictions.predictions:
        columns = dict(data.columns)
        systems = read_systems(args.predictions, benchmark, columns, out, data.sheet)
    elif benchmark.predictions is not None:
        name = args.predictions.name
        name = name or (data.root.stem if data.root is not None else benchmark.name)
        systems = [System(name, benchmark.predictions, run_folder(name, out, 1))]
    elif isinstance(benchmark.cases, PairedCases) and benchmark.cases.carries_predictions:
        return _run_inline(benchmark.cases, benchmark, args, options, redirect)
    else:
        advice = "no predictions: give --predictions FILE (repeat it for more systems)"
        if data.cases is not None and isinstance(benchmark.cases, PairedCases):
            raise benchmark.cases.no_predictions(f"{advice}, or answers in the same file.")
        raise UsageError(advice)
    if redirect is not None:
        systems = [system for each in systems if (system := redirect(each)) is not None]
    return evaluate_systems(select(benchmark, data), systems, options=options)


def _run_inline(
    cases: PairedCases,
    benchmark: Benchmark,
    args: EvaluateArgs,
    options: Options,
    redirect: Redirect | None,
) -> Sequence[Run]:
    """Evaluate cases that carry their predictions: a stream, never whole in memory."""
    data = args.data
    for column in cases.lacks:
        raise missing_column(column, dict(data.columns)[column], [cases.named_columns])
    path = Path(benchmark.sources[0].path)
    name = args.predictions.name or path.stem
    itself = System(name, {}, run_folder(name, args.output.out, 1))
    system = itself if redirect is None else redirect(itself)
    if system is None:
        return []
    run = evaluate_pairs(
        select_pairs(cases.pairs(), data),
        name=name,
        benchmark=path.name + overlay_title(overlay for overlay, _ in data.overlays),
        out=system.out,
        digest=benchmark.sources[0].sha256,
        count=benchmark.count if not data.selection else None,
        inputs=extra_inputs(data),
        notes=benchmark.notes,
        options=options,
        base=None if system.base is None else (system.base, benchmark.cases),
    )
    return [run]
