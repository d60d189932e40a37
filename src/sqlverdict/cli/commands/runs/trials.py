"""Several runs of one system as trials: pass@k, and on how many questions they agree."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from sqlverdict.cli.command import command, option
from sqlverdict.cli.options.shared import (
    force_option,
    json_option,
    print_json,
    runs_argument,
    show_option,
)
from sqlverdict.cli.show_run import show_notes
from sqlverdict.files.text import count
from sqlverdict.report.several_runs.trials import TrialsReport, read_trials
from sqlverdict.report.terminal.console import Screen
from sqlverdict.report.terminal.tables import percent, table
from sqlverdict.runlog.run import read_run


@dataclass(frozen=True, kw_only=True)
class TrialsArgs:
    """The options of ``trials``."""

    runs: tuple[Path, ...] = runs_argument()
    metric: str | None = option(
        "--metric", help="A metric of all runs. [default: the first common one]"
    )
    show: int = show_option(10, "the ids of this many questions on which the runs disagree")
    force: bool = force_option()
    as_json: bool = json_option()


@command(TrialsArgs, examples=["sqlverdict trials runs/mine-1 runs/mine-2 runs/mine-3"])
def trials(args: TrialsArgs) -> None:
    """Read several runs of one system as trials of each question.

    pass@k is the share of questions that at least one of k trials solves, over all choices of k of
    the runs; all of k, the share that every one of k trials solves. Questions that a run could
    not score are left out.
    """
    report = read_trials([read_run(folder) for folder in args.runs], args.metric, force=args.force)
    if args.as_json:
        print_json(report)
    else:
        _show(report, args.show)


def _show(report: TrialsReport, show: int) -> None:
    screen = Screen()
    screen.line(
        f"{report.metric}: {count(report.trials, 'trial')} of "
        f"{count(report.questions, 'question')}",
        "heading",
    )
    rows = [(str(f.k), percent(f.any_right), percent(f.all_right)) for f in report.figures]
    screen.table(table(("k", "pass@k", "all of k right"), rows, left=()))
    screen.line()
    screen.line(f"all trials agree on {percent(report.unanimous)} of the questions")
    if report.unsteady and show:
        screen.line(f"they disagree on {', '.join(report.unsteady[:show])}")
    show_notes(screen, report.notes)
