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
from sqlverdict.cli.show_trials import show_trials
from sqlverdict.report.several_runs.trials import read_trials
from sqlverdict.report.terminal.console import Screen
from sqlverdict.runlog.run import read_run


@dataclass(frozen=True, kw_only=True)
class TrialsArgs:
    """The options of ``trials``."""

    runs: tuple[Path, ...] = runs_argument()
    metric: str | None = option(
        "--metric", help="A metric of all runs. [default: the one that decides]"
    )
    show: int = show_option(10, "the ids of this many questions on which the runs disagree")
    force: bool = force_option()
    as_json: bool = json_option()


@command(TrialsArgs, examples=["sqlverdict trials runs/mine-1 runs/mine-2 runs/mine-3"])
def trials(args: TrialsArgs) -> None:
    """Read several runs of one system as trials of each question.

    pass@k is the share of questions that at least one of k trials solves, over all choices of k of
    the runs; all of k, the share that every one of k trials solves. Questions that a run could
    not score are left out. A prediction file with several answers to each question gives such
    runs, one a trial: see evaluate.
    """
    report = read_trials([read_run(folder) for folder in args.runs], args.metric, force=args.force)
    if args.as_json:
        print_json(report)
    else:
        show_trials(Screen(), report, args.show)
