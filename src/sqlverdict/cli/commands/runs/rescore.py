"""Score runs again with corrected golds: which systems move, which questions flip."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path

from sqlverdict.cli.command import command
from sqlverdict.cli.evaluate_runs import evaluate_cases, read_cases
from sqlverdict.cli.options.fields import option
from sqlverdict.cli.options.run import EvaluateArgs, run_options
from sqlverdict.cli.options.shared import (
    FOLDER,
    OVERLAY_FILE,
    command_line,
    json_option,
    print_json,
    quiet_option,
    runs_argument,
    show_option,
)
from sqlverdict.cli.run_cases import evaluate_args
from sqlverdict.cli.show_run import show_notes
from sqlverdict.errors import RunLogError, UsageError
from sqlverdict.files.text import count
from sqlverdict.load.overlays import read_overlay
from sqlverdict.pipeline import System
from sqlverdict.report.files import size_notes, write_reports
from sqlverdict.report.several_runs.rescored import (
    Rescored,
    compare_golds,
    flipped_table,
    rescored_sentences,
    rescored_table,
)
from sqlverdict.report.terminal.console import Screen
from sqlverdict.report.terminal.progress import LiveProgress
from sqlverdict.runlog.folder import CONTRADICTIONS
from sqlverdict.runlog.run import Run, read_run

Overlays = tuple[tuple[str, Path], ...]


@dataclass(frozen=True, kw_only=True)
class RescoreArgs:
    """The options of ``rescore``."""

    runs: tuple[Path, ...] = runs_argument()
    overlays: Overlays = option(
        "--gold-overlay",
        multiple=True,
        required=True,
        type=OVERLAY_FILE,
        metavar="[NAME=]FILE",
        help="Corrected golds, JSONL or CSV. Repeatable.",
    )
    out: Path | None = option(
        "--out",
        type=FOLDER,
        help="The folder of the new runs. [default: beside each run, as RUN+NAME]",
    )
    metric: str | None = option("--metric", help="What to compare. [default: what decides]")
    show: int = show_option(20, "this many questions that flip")
    quiet: bool = quiet_option()
    as_json: bool = json_option()


@command(
    RescoreArgs,
    examples=[
        "sqlverdict rescore runs/mine --gold-overlay fixed.jsonl",
        "sqlverdict rescore runs/* --gold-overlay experts=fixed.jsonl --out rescored",
    ],
)
def rescore(args: RescoreArgs) -> None:
    """Score RUN... again with corrected golds, into new folders, and say what changed.

    Only cases whose golds are others now are evaluated; the other results are those of the run. The
    inputs are read again as the evaluate command of the run names them, so give rescore in the same
    folder. It is refused where anything but the golds changed since.
    """
    runs = [read_run(folder) for folder in args.runs]
    overlays = [read_overlay(name, path) for name, path in args.overlays]
    reasons = {gold.id: gold.reason for each in overlays for gold in each.golds.values()}
    targets = _targets(args)
    with ExitStack() as stack:
        progress = None if args.quiet else stack.enter_context(LiveProgress())
        renewed: dict[Path, Run] = {}
        for words in dict.fromkeys(run.manifest.command for run in runs):
            group = [run for run in runs if run.manifest.command == words]
            evaluate = _with_overlays(_evaluate_args(group[0]), args.overlays)
            renewed |= _evaluate(group, evaluate, targets, args.overlays, progress)
    pairs = [(run, renewed[run.folder]) for run in runs]
    for _, run in pairs:
        write_reports(run, command_line())
    rescored = compare_golds(pairs, args.metric or _metric(runs), reasons)
    if args.as_json:
        print_json(rescored)
    else:
        _show(rescored, pairs, args)


def _targets(args: RescoreArgs) -> Mapping[Path, Path]:
    """The new folder of each run.

    Raises:
        UsageError: two of them would be one.
    """
    names = "".join(f"+{name}" for name, _ in args.overlays)
    targets = {
        run: run.with_name(f"{run.resolve().name}{names}")
        if args.out is None
        else args.out / run.resolve().name
        if len(args.runs) > 1
        else args.out
        for run in args.runs
    }
    if len(set(targets.values())) < len(args.runs):
        raise UsageError(
            "two runs have the same name: rescore them separately, each with its own --out"
        )
    return targets


def _evaluate_args(run: Run) -> EvaluateArgs:
    try:
        return evaluate_args(run.folder, run.manifest)
    except RunLogError as error:
        advice = "Make the run again with evaluate; for other golds, give it --gold-overlay FILE."
        raise RunLogError(f"{error} {advice}") from error


def _with_overlays(args: EvaluateArgs, overlays: Overlays) -> EvaluateArgs:
    data = replace(args.data, overlays=(*args.data.overlays, *overlays))
    return replace(args, data=data)


def _evaluate(
    runs: Sequence[Run],
    args: EvaluateArgs,
    targets: Mapping[Path, Path],
    overlays: Overlays,
    progress: LiveProgress | None,
) -> dict[Path, Run]:
    """The new runs of one evaluate command, by the folder of the old one."""
    by_system = {run.manifest.system: run.folder for run in runs}
    first = targets[runs[0].folder]
    options = run_options(args, progress)
    if options.proof is not None:
        options = replace(options, proof=replace(options.proof, folder=first / CONTRADICTIONS))
    words = [f"--gold-overlay={name}={path}" for name, path in overlays]
    options = replace(options, overwrite=False, command=(*runs[0].manifest.command, *words))
    benchmark, options = read_cases(args, options)

    def redirect(system: System) -> System | None:
        base = by_system.get(system.name)
        return None if base is None else replace(system, out=targets[base], base=base)

    renewed = evaluate_cases(benchmark, args, options, redirect)
    return {by_system[run.manifest.system]: run for run in renewed}


def _metric(runs: Sequence[Run]) -> str:
    """The metric that decides the first run; its first one, where none does."""
    first = runs[0]
    return first.deciding or first.summary.estimates[0].metric


def _show(rescored: Rescored, pairs: Sequence[tuple[Run, Run]], args: RescoreArgs) -> None:
    screen = Screen()
    new = pairs[0][1]
    screen.line(f"{count(len(pairs), 'system')} on {new.manifest.benchmark}", "heading")
    screen.table(rescored_table(rescored))
    for line in rescored_sentences(rescored):
        screen.line(line)
    if rescored.questions and args.show:
        screen.table(flipped_table(rescored, args.show))
        if len(rescored.questions) > args.show:
            screen.line(f"{len(rescored.questions) - args.show:,} more; see --show", "quiet")
    notes = dict.fromkeys(
        note for _, run in pairs for note in (*run.resumed, *run.manifest.notes, *size_notes(run))
    )
    show_notes(screen, list(notes))
    screen.line()
    for _, run in pairs:
        screen.line(f"written to {run.folder}")
