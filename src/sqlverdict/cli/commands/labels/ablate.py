"""Measure what each part of a judge's context contributes to its agreement."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Literal

import click

from sqlverdict.cli.command import Heading, command, group, option
from sqlverdict.cli.options.batch import show_estimate, submit_batch
from sqlverdict.cli.options.data import CaseArgs, read_benchmark, select
from sqlverdict.cli.options.judge import JudgeArgs, JudgeSession, check_judge, open_judge
from sqlverdict.cli.options.labels import LabelArgs, half_option
from sqlverdict.cli.options.predictions import PredictionArgs, read_systems
from sqlverdict.cli.options.shared import FOLDER, json_option, print_json, workers_option
from sqlverdict.errors import Interrupted, UsageError
from sqlverdict.files.text import count
from sqlverdict.load.benchmark import Benchmark
from sqlverdict.parse.schemas.load import load_schemas
from sqlverdict.pipeline import Options, System, evaluate_systems
from sqlverdict.report.agreement.ablation import (
    CONTEXTS,
    ablation,
    ablation_table,
    choose_contexts,
)
from sqlverdict.report.terminal.console import Screen
from sqlverdict.runlog.run import Run

_JUDGE = "flex"
_EXAMPLES = (
    "sqlverdict ablate --benchmark flex --root agreement.jsonl --schema ddl.json \\",
    "    --labels agreement.jsonl --model gpt-4o --out ablation",
    "sqlverdict ablate --benchmark bird --root bird --predictions mine.txt --labels people.csv \\",
    "    --model NAME --base-url http://127.0.0.1:8080/v1 --context no_gold",
    "sqlverdict ablate ... --dry-run                    # calls, tokens and cost of all contexts",
)


@dataclass(frozen=True, kw_only=True)
class AblateArgs:
    """The options of ``ablate``."""

    data: CaseArgs = group(CaseArgs)
    predictions: str | None = option(
        "--predictions",
        metavar="FILE",
        heading=Heading.DATA,
        help="One system's predictions, unless the benchmark's file has them.",
    )
    labels: LabelArgs = group(LabelArgs)
    half: Literal["drop", "0", "1"] = half_option()
    judge: JudgeArgs = group(JudgeArgs)
    contexts: tuple[str, ...] = option(
        "--context",
        multiple=True,
        metavar="NAME",
        heading=Heading.JUDGE,
        help="Only this context. Repeatable. [default: all seven]",
    )
    workers: int | None = workers_option()
    out: Path = option(
        "--out", type=FOLDER, default=Path("ablation"), help="The folder of the runs."
    )
    published: bool = option(
        "--published",
        is_flag=True,
        help="Show the kappas that FLEX published beside ours, all times 100.",
    )
    as_json: bool = json_option()


@command(AblateArgs, examples=_EXAMPLES)
def ablate(args: AblateArgs) -> None:
    """Run the FLEX judge in several contexts and compare each with human labels.

    The contexts are those of FLEX's tables 4 and 5: full (results only where they differ),
    no_results, results_in_both, no_question, no_knowledge, no_criteria, no_gold. Each is a run
    in --out with the metrics ex and flex. Only cases with a label are judged. Run the same command
    again to continue; cached replies are not paid for again.
    """
    args = replace(args, judge=_flex(args.judge))
    check_judge(args.judge)
    names = choose_contexts(args.contexts)
    labels = args.labels.read(half=args.half)
    benchmark = read_benchmark(args.data)
    labelled = {item.id for item in labels.items if item.value is not None}
    ids = tuple(case.id for case in select(benchmark, args.data).cases if case.id in labelled)
    if not ids:
        raise UsageError(
            f"no case of the benchmark has a decided label in {args.labels.labels}; name the field "
            "of the id with --id-field"
        )
    args = replace(args, data=replace(args.data, only=ids, limit=None))
    with open_judge(args.judge, benchmark) as session:
        runs = _runs(names, benchmark, args, session)
    if runs is None:
        return
    report = ablation(runs, labels)
    if args.as_json:
        print_json(report)
        return
    screen = Screen()
    size = f"{count(len(report), 'context')} on {count(len(ids), 'case')}"
    screen.line(f"{args.judge.llm.model} in {size}", "heading")
    screen.table(ablation_table(report, published=args.published))


def _flex(judge: JudgeArgs) -> JudgeArgs:
    """The options of the judge ``flex``, the only one with several contexts.

    Raises:
        UsageError: they name another judge, or no model.
    """
    if judge.judge not in (None, _JUDGE):
        raise UsageError(
            f"--judge {judge.judge}: found another judge than flex. Leave out --judge, and name "
            "the model with --model: recorded replies know one context only"
        )
    if judge.llm.model is None:
        raise UsageError("no --model: name the model to ask")
    return replace(judge, judge=_JUDGE)


def _runs(
    names: Sequence[str], benchmark: Benchmark, args: AblateArgs, session: JudgeSession
) -> dict[str, Run] | None:
    """A run for each context; ``None`` where nobody answers now: a dry run, or a batch."""
    assert session.judging is not None, "a model is named"
    assert session.llm is not None, "a model is named"
    runs: dict[str, Run] = {}
    with ExitStack() as stack:
        out = args.out
        if args.judge.dry_run:
            out = Path(stack.enter_context(TemporaryDirectory()))
        for name in names:
            settings = replace(session.judging.settings, **CONTEXTS[name])
            options = replace(_options(args), judge=replace(session.judging, settings=settings))
            system = _system(benchmark, out / name, args.predictions, dict(args.data.columns))
            try:
                cases = select(benchmark, args.data)
                (runs[name],) = evaluate_systems(cases, [system], options=options)
            except Interrupted:
                # The requests of the other contexts are still to be collected.
                if not args.judge.collects:
                    raise
    if args.judge.dry_run:
        retries = args.judge.settings().retries_unparseable
        show_estimate(session.llm, retries, as_json=args.as_json)
        return None
    if args.judge.batch and len(runs) < len(names):
        submit_batch(session.llm, args.judge.llm.max_cost)
        click.echo("run the same command again to collect the batch and continue", err=True)
        return None
    return runs


def _options(args: AblateArgs) -> Options:
    schemas = load_schemas(args.data.schema) if args.data.schema is not None else {}
    return Options(metrics="ex,flex", workers=args.workers, schemas=schemas)


def _system(
    benchmark: Benchmark, out: Path, predictions: str | None, columns: Mapping[str, str]
) -> System:
    if predictions is not None:
        one_system = PredictionArgs(predictions=(predictions,))
        (system,) = read_systems(one_system, benchmark, columns, out)
        return system
    if benchmark.predictions is None:
        raise UsageError("no predictions: give --predictions FILE")
    return System("flex", benchmark.predictions, out)
