"""Runs under other golds: what the run log says stands, cases with other golds are evaluated."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path

from sqlverdict.api.golds import (
    OWN,
    check_set_names,
    gold_column,
    is_unchanged,
    with_gold_pairs,
)
from sqlverdict.cli.evaluate_runs import evaluate_cases, read_cases
from sqlverdict.cli.options.data import select
from sqlverdict.cli.options.run import EvaluateArgs, run_options
from sqlverdict.cli.options.shared import command_line
from sqlverdict.cli.run_cases import evaluate_args, evaluate_words
from sqlverdict.errors import RunLogError, UsageError
from sqlverdict.files.command_words import take_option
from sqlverdict.load.benchmark import Benchmark
from sqlverdict.load.overlays import GoldOverlay, read_overlay
from sqlverdict.pipeline import Options, System
from sqlverdict.report.files import write_reports
from sqlverdict.report.several_runs.golds_board import GoldColumn
from sqlverdict.report.several_runs.same_cases import (
    QUESTION,
    DifferentCasesError,
    check_same_cases,
)
from sqlverdict.report.terminal.progress import LiveProgress
from sqlverdict.runlog.folder import CONTRADICTIONS
from sqlverdict.runlog.run import Run

GOLDS = "golds"
"""The folder of the runs under other golds, inside the run's."""

_OVERLAY = "--golds"
GoldFiles = Sequence[tuple[str, Path]]
"""Files of golds, each with the name of its set."""


def gold_columns(
    runs: Sequence[Run], files: GoldFiles, out: Path | None = None, *, quiet: bool = False
) -> list[GoldColumn]:
    """The runs under their own golds, and under each set.

    Args:
        runs: The runs, each with the ``evaluate`` command that made it in its manifest.
        files: The sets. One that has the golds of the runs takes the place of these.
        out: Where the runs under them go; ``None``: inside each run.
        quiet: Without progress.

    Raises:
        UsageError: the runs have other golds than each other, and a set names only some cases; or
            two sets have one name.
        RunLogError: a run cannot be evaluated again, or more than its golds changed.
        DataError: a set cannot be read, or does not fit the cases.
    """
    overlays = [read_overlay(name, path) for name, path in files]
    check_set_names([overlay.name for overlay in overlays])
    has_own = _have_same_golds(runs, overlays)
    unchanged = [is_unchanged(runs, overlay) for overlay in overlays]
    columns: list[GoldColumn] = []
    if has_own and not any(unchanged):
        columns.append(GoldColumn(OWN, "", tuple(runs)))
    with ExitStack() as stack:
        progress = None if quiet else stack.enter_context(LiveProgress())
        for (_, path), overlay, same in zip(files, overlays, unchanged, strict=True):
            under = runs if same else _under(runs, (overlay.name, path), overlay, out, progress)
            columns.append(gold_column(overlay, str(path), under))
        before = columns[0].runs[0]
        args = _evaluate_args(before)
        folder = _home(runs[0], out)
        options, benchmark = _options(args, folder, progress)
        return with_gold_pairs(columns, select(benchmark, args.data), folder, options)


def _have_same_golds(runs: Sequence[Run], overlays: Sequence[GoldOverlay]) -> bool:
    """Whether the runs have the same golds; others are scored by whole sets alone.

    Raises:
        DifferentCasesError: they have not, and a set does not name all cases.
    """
    try:
        check_same_cases(runs)
    except DifferentCasesError as error:
        questions = any(QUESTION in case.differs for case in error.cases)
        if questions or not all(overlay.whole for overlay in overlays):
            raise
        return False
    return True


def _under(
    runs: Sequence[Run],
    file: tuple[str, Path],
    overlay: GoldOverlay,
    out: Path | None,
    progress: LiveProgress | None,
) -> list[Run]:
    """The runs under a set of golds; each evaluate command is read again once."""
    targets = _targets(runs, overlay.name, out)
    renewed: dict[Path, Run] = {}
    commands = {run.folder: _evaluate_words(run) for run in runs}
    for words in dict.fromkeys(commands.values()):
        group = [run for run in runs if commands[run.folder] == words]
        args = _with_overlay(_evaluate_args(group[0]), file, whole=overlay.whole)
        options, benchmark = _options(args, targets[group[0].folder], progress)
        command = _command(words, file, whole=overlay.whole)
        renewed |= _evaluate(group, benchmark, args, replace(options, command=command), targets)
    ordered = [renewed[run.folder] for run in runs]
    for run in ordered:
        write_reports(run, command_line())
    return ordered


def _targets(runs: Sequence[Run], name: str, out: Path | None) -> Mapping[Path, Path]:
    """The folder of each run under a set.

    Raises:
        UsageError: two of them would be one.
    """
    targets = {run.folder: _home(run, out) / name for run in runs}
    if len(set(targets.values())) < len(runs):
        raise UsageError("two runs have the same name: leave out --out, or rename a folder")
    return targets


def _home(run: Run, out: Path | None) -> Path:
    """Where the runs of a system under other golds lie."""
    return run.folder / GOLDS if out is None else out / run.folder.resolve().name


def _evaluate_args(run: Run) -> EvaluateArgs:
    with _advice():
        return evaluate_args(run.folder, run.manifest)


def _evaluate_words(run: Run) -> tuple[str, ...]:
    with _advice():
        return evaluate_words(run.folder, run.manifest)


@contextmanager
def _advice() -> Iterator[None]:
    """Say what to do where a run cannot be evaluated again."""
    try:
        yield
    except RunLogError as error:
        advice = "Make the run with evaluate; for other golds, give it --golds FILE."
        raise RunLogError(f"{error} {advice}", reason=error.reason) from error


def _with_overlay(args: EvaluateArgs, file: tuple[str, Path], *, whole: bool) -> EvaluateArgs:
    """The options with a set of golds: a whole one replaces others, corrections join them."""
    own = () if whole else args.data.overlays
    return replace(args, data=replace(args.data, overlays=(*own, file)))


def _command(words: Sequence[str], file: tuple[str, Path], *, whole: bool) -> tuple[str, ...]:
    """The words of the evaluate command that makes the run under a set."""
    rest = list(words)
    if whole:
        take_option(rest, _OVERLAY)
    return (*rest, f"{_OVERLAY}={file[0]}={file[1]}")


def _options(
    args: EvaluateArgs, folder: Path, progress: LiveProgress | None
) -> tuple[Options, Benchmark]:
    options = run_options(args, progress)
    if options.proof is not None:
        options = replace(options, proof=replace(options.proof, folder=folder / CONTRADICTIONS))
    benchmark, options = read_cases(args, replace(options, overwrite=False))
    return options, benchmark


def _evaluate(
    runs: Sequence[Run],
    benchmark: Benchmark,
    args: EvaluateArgs,
    options: Options,
    targets: Mapping[Path, Path],
) -> dict[Path, Run]:
    """The new runs of one evaluate command, by the folder of the old one."""
    by_system = {run.manifest.system: run.folder for run in runs}

    def redirect(system: System) -> System | None:
        base = by_system.get(system.name)
        return None if base is None else replace(system, out=targets[base], base=base)

    renewed = evaluate_cases(benchmark, args, options, redirect)
    return {by_system[run.manifest.system]: run for run in renewed}
