"""Show one case of a run in full: question, queries, verdict, evidence."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from sqlverdict.cli.command import argument, command
from sqlverdict.cli.options.shared import json_option, print_json, run_argument
from sqlverdict.cli.show_run import show_case, show_more
from sqlverdict.errors import UsageError
from sqlverdict.files.text import few_of, near
from sqlverdict.report.terminal.console import Screen
from sqlverdict.runlog.log import read_results
from sqlverdict.runlog.manifest import read_manifest
from sqlverdict.score.deciding import deciding_metric


@dataclass(frozen=True, kw_only=True)
class ShowArgs:
    """The options of ``show``."""

    run: Path = run_argument()
    case_id: str = argument(metavar="ID")
    as_json: bool = json_option()


@command(ShowArgs, examples=["sqlverdict show runs/mine 17", "sqlverdict show runs/mine 17 --json"])
def show(args: ShowArgs) -> None:
    """Show the case ID of a run: the question, both queries, the verdict and its evidence."""
    ids: list[str] = []
    for result in read_results(args.run):
        if result.id == args.case_id:
            break
        ids.append(result.id)
    else:
        hint = near(args.case_id, ids) or f" There are {len(ids):,}: {few_of(ids)}."
        raise UsageError(f"{args.run} has no case {args.case_id!r}.{hint}")
    if args.as_json:
        print_json(result)
        return
    screen = Screen()
    manifest = read_manifest(args.run)
    show_case(screen, result, args.run, deciding_metric(manifest.metrics, manifest.binary))
    show_more(screen, result)
