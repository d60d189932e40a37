"""``agree --context``: what each part of a judge's context contributes to its agreement.

The judge of a run is asked again in other contexts, about the cases that people labelled. The
cases and the predictions are those of the run's own command; the model, its server, its key and
what it may cost are those of this command, as a run folder may come from somebody else.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

import click

from sqlverdict.cli.evaluate_runs import read_cases, run_systems
from sqlverdict.cli.options.data import select
from sqlverdict.cli.options.judge import JudgeArgs, JudgeSession, check_judge_options, open_judge
from sqlverdict.cli.options.labels import ContextArgs
from sqlverdict.cli.options.llm import show_estimate, submit_batch
from sqlverdict.cli.options.run import EvaluateArgs, EvidenceArgs, run_options
from sqlverdict.cli.options.shared import print_json
from sqlverdict.cli.run_cases import evaluate_args
from sqlverdict.errors import Interrupted, UsageError
from sqlverdict.files.text import count
from sqlverdict.load.benchmark import Benchmark
from sqlverdict.load.people.labels import Labels
from sqlverdict.pipeline import Options, System
from sqlverdict.report.agreement.ablation import (
    CONTEXTS,
    ablation,
    ablation_table,
    choose_contexts,
)
from sqlverdict.report.terminal.console import Screen
from sqlverdict.runlog.manifest import read_manifest
from sqlverdict.runlog.run import Run

ALL = "all"
_JUDGE = "flex"


def compare_contexts(
    run: Path, labels: Labels, context_args: ContextArgs, out: Path, *, as_json: bool
) -> None:
    """Run the judge in several contexts, and compare each with people's labels.

    Args:
        run: The folder of the run.
        labels: People's labels.
        context_args: Which contexts, and what to do with them.
        out: The folder of the new runs.
        as_json: Whether to print JSON.

    Raises:
        UsageError: the run asked another judge than flex; no model is named; a context is unknown;
            or no case has a label.
        RunLogError: the run does not name its command.
    """
    names = choose_contexts(() if ALL in context_args.contexts else context_args.contexts)
    manifest = read_manifest(run)
    args = evaluate_args(run, manifest)
    # The run's own prompts, unless this command names others: they are what was compared.
    prompts = context_args.llm.prompts or args.judge.llm.prompts
    llm = replace(context_args.llm, prompts=prompts)
    judge = replace(args.judge, dry_run=context_args.dry_run, llm=llm)
    judge = _flex(judge, run)
    check_judge_options(judge)
    limits = replace(args.limits, trust_role=False)
    args = replace(args, judge=judge, limits=limits, metrics="ex,flex", evidence=EvidenceArgs())
    benchmark, options = read_cases(args, run_options(args, None))
    labelled = {item.id for item in labels.items if item.value is not None}
    ids = tuple(case.id for case in select(benchmark, args.data).cases if case.id in labelled)
    if not ids:
        raise UsageError(
            f"no case of {run} has a decided label; name the field of the id with --id-field"
        )
    args = replace(args, data=replace(args.data, only=ids, limit=None))
    with ExitStack() as stack:
        session = stack.enter_context(open_judge(judge, benchmark))
        if context_args.dry_run:
            out = Path(stack.enter_context(TemporaryDirectory()))
        options = replace(options, overwrite=False)
        folders = {name: out / name for name in names}
        runs = _runs(folders, manifest.system, benchmark, args, options, session)
        if not _is_answered(runs, names, args, session, as_json=as_json):
            return
    report = ablation(runs, labels)
    if as_json:
        print_json(report)
        return
    screen = Screen()
    size = f"{count(len(report), 'context')} on {count(len(ids), 'case')}"
    screen.line(f"{judge.llm.model} in {size}", "heading")
    screen.table(ablation_table(report, published=context_args.published))


def _flex(judge: JudgeArgs, run: Path) -> JudgeArgs:
    """The options of the judge ``flex``, the only one with several contexts.

    Raises:
        UsageError: they name another judge, or no model.
    """
    if judge.judge not in (None, _JUDGE):
        raise UsageError(
            f"{run} asked the judge {judge.judge}. Expected a run of the judge flex, or of none: "
            f"other judges, and recorded replies, know one context only"
        )
    if judge.llm.model is None:
        raise UsageError(
            "--context asks a model: name it with --model, and its server with --base-url"
        )
    return replace(judge, judge=_JUDGE)


def _runs(
    folders: Mapping[str, Path],
    system_name: str,
    benchmark: Benchmark,
    args: EvaluateArgs,
    options: Options,
    session: JudgeSession,
) -> dict[str, Run]:
    """The run of each context; while requests are collected, of contexts that need no reply."""
    assert session.judging is not None, "a model is named"
    runs: dict[str, Run] = {}
    for name, folder in folders.items():
        settings = replace(session.judging.settings, **CONTEXTS[name])
        judged = replace(options, judge=replace(session.judging, settings=settings))

        def redirect(system: System, folder: Path = folder) -> System | None:
            return replace(system, out=folder) if system.name == system_name else None

        try:
            (runs[name],) = run_systems(benchmark, args, judged, redirect)
        except Interrupted:
            # The requests of the other contexts are still to be collected.
            if not args.judge.collects:
                raise
    return runs


def _is_answered(
    runs: Mapping[str, Run],
    names: Sequence[str],
    args: EvaluateArgs,
    session: JudgeSession,
    *,
    as_json: bool,
) -> bool:
    """Whether all contexts have their replies; a dry run is estimated, a batch is sent."""
    assert session.llm is not None, "a model is named"
    if args.judge.dry_run:
        show_estimate(session.llm, args.judge.settings().retries_unparseable, as_json=as_json)
        return False
    if args.judge.batch and len(runs) < len(names):
        submit_batch(session.llm, args.judge.llm.max_cost)
        click.echo("run the same command again to collect the batch and continue", err=True)
        return False
    return True
