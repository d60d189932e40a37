"""Show cases of a run in full: question, queries, verdict, evidence."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from sqlverdict.cli.command import argument, command
from sqlverdict.cli.options.shared import json_option, print_json, run_argument
from sqlverdict.cli.run_cases import case_databases
from sqlverdict.cli.show_case import is_unexplained, show_case, show_more, show_search
from sqlverdict.errors import UsageError
from sqlverdict.files.text import few_of, near
from sqlverdict.load.columns.ids import row_number_hint
from sqlverdict.report.terminal.console import Screen
from sqlverdict.runlog.log import read_results
from sqlverdict.runlog.manifest import read_manifest


@dataclass(frozen=True, kw_only=True)
class ShowArgs:
    """The options of ``show``."""

    run: Path = run_argument()
    case_ids: tuple[str, ...] = argument(metavar="ID...", nargs=-1, required=True)
    as_json: bool = json_option()


_EXAMPLES = (
    "sqlverdict show runs/mine 17",
    "sqlverdict show runs/mine 17 18 23",
    "sqlverdict show runs/mine 17 --json",
)


@command(ShowArgs, examples=_EXAMPLES)
def show(args: ShowArgs) -> None:
    """Show cases of a run: the question, both queries, the verdict and its evidence.

    Use sqlverdict list to find the ids.
    """
    case_ids = dict.fromkeys(args.case_ids)
    ids, by_id = [], {}
    for result in read_results(args.run):
        ids.append(result.id)
        if result.id in case_ids:
            by_id[result.id] = result
            if len(by_id) == len(case_ids):
                break
    for case_id in case_ids:
        if case_id not in by_id:
            hint = near(case_id, ids) or f" There are {len(ids):,}: {few_of(ids)}."
            if not ids:
                hint = " It has none yet: the run is not finished. Run its evaluate command again."
            rows = row_number_hint(read_manifest(args.run).notes)
            raise UsageError(f"{args.run} has no case {case_id!r}.{hint}{rows}")
    results = [by_id[case_id] for case_id in case_ids]
    if args.as_json:
        print_json(results if len(results) > 1 else results[0])
        return
    screen = Screen()
    manifest = read_manifest(args.run)
    unexplained = {result.id for result in results if is_unexplained(result)}
    databases = case_databases(args.run, manifest, unexplained)
    for number, result in enumerate(results):
        if number:
            screen.line()
        show_case(screen, result, args.run, manifest)
        show_more(screen, result, manifest)
        if result.id in unexplained:
            show_search(screen, result, manifest, databases)
