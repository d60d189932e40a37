"""Put the shards of a run together."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from sqlverdict.cli.command import command, option
from sqlverdict.cli.options.shared import (
    FOLDER,
    command_line,
    json_option,
    print_json,
    runs_argument,
)
from sqlverdict.cli.show_run import run_json, show_notes
from sqlverdict.files.text import count
from sqlverdict.report.files import size_notes, write_reports
from sqlverdict.report.one_run.sections import outcome
from sqlverdict.report.terminal.console import Screen
from sqlverdict.runlog.merge import merge_runs

_EXAMPLES = (
    "sqlverdict evaluate ... --shard 1/2 --out runs/part1     # on one machine",
    "sqlverdict evaluate ... --shard 2/2 --out runs/part2     # on another",
    "sqlverdict merge runs/part1 runs/part2 --out runs/mine",
)


@dataclass(frozen=True, kw_only=True)
class MergeArgs:
    """The options of ``merge``."""

    runs: tuple[Path, ...] = runs_argument()
    out: Path = option("--out", type=FOLDER, required=True, help="The folder of the whole run.")
    overwrite: bool = option(
        "--overwrite", is_flag=True, help="Overwrite an existing run in --out."
    )
    as_json: bool = json_option()


@command(MergeArgs, examples=_EXAMPLES)
def merge(args: MergeArgs) -> int:
    """Put the shards RUN... of one evaluation together to one run.

    All shards must be finished and there once, with the same inputs, options, versions and
    databases. The merged run is the one that a single process would have written.
    """
    run = merge_runs(args.runs, args.out, overwrite=args.overwrite)
    write_reports(run, command_line())
    end = outcome([run.summary])
    if args.as_json:
        print_json({"exit_code": end.exit_code, "outcome": end.message, "runs": [run_json(run)]})
    else:
        screen = Screen()
        screen.line(
            f"{count(run.summary.cases, 'case')} of {count(len(args.runs), 'shard')}: {args.out}"
        )
        show_notes(screen, size_notes(run))
    return end.exit_code
