"""``evaluate --merge``: the shards of one evaluation become one run."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from sqlverdict.cli.options.run import OutputArgs
from sqlverdict.cli.options.shared import command_line, options_on_line, print_json
from sqlverdict.cli.show_run import run_json, show_notes
from sqlverdict.errors import UsageError
from sqlverdict.files.text import count
from sqlverdict.report.files import size_notes, write_reports
from sqlverdict.report.one_run.sections import outcome
from sqlverdict.report.terminal.console import Screen
from sqlverdict.runlog.manifest import MANIFEST
from sqlverdict.runlog.merge import merge_runs

_READ = ("merge", "out", "overwrite", "page", "quiet", "as_json")
"""The options that a merge reads."""


def merge_shards(args: OutputArgs) -> int:
    """Put finished shards together, write the reports of the whole run, and return the exit code.

    Raises:
        UsageError: an option says what to evaluate, or none says where the run goes.
        RunLogError: they are not the shards of one evaluation, each finished and there once.
    """
    for name, spelling in options_on_line().items():
        if name not in _READ:
            raise UsageError(f"{spelling} is for an evaluation: leave it out with --merge")
    if args.out is None:
        raise UsageError("--merge goes with --out FOLDER, the folder of the whole run")
    shards = list(_shards(args.merge, args.out))
    run = merge_runs(shards, args.out, overwrite=args.overwrite)
    write_reports(run, command_line(), html=args.page)
    end = outcome([run.summary])
    if args.as_json:
        print_json({"exit_code": end.exit_code, "outcome": end.message, "runs": [run_json(run)]})
    else:
        screen = Screen()
        screen.line(
            f"{count(run.summary.cases, 'case')} of {count(len(shards), 'shard')}: {args.out}"
        )
        show_notes(screen, size_notes(run))
    return end.exit_code


def _shards(folders: Sequence[Path], out: Path) -> Iterator[Path]:
    """The runs, and those inside of folders that are none, without the one to be written."""
    for folder in folders:
        inside = sorted(path.parent for path in folder.glob(f"*/{MANIFEST}"))
        if (folder / MANIFEST).is_file() or not inside:
            yield folder
        else:
            yield from (run for run in inside if run.resolve() != out.resolve())
