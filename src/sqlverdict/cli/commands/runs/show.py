"""Show the cases of a run: a list by verdict, reason, database ..., or some in full."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import click

from sqlverdict.cli.command import command
from sqlverdict.cli.list_cases import FORMATS, TABLE, list_cases
from sqlverdict.cli.options.fields import Heading, argument, option
from sqlverdict.cli.options.shared import NAMES, json_option, print_json, run_argument
from sqlverdict.errors import UsageError
from sqlverdict.files.text import few_of, near
from sqlverdict.load.columns.ids import row_number_hint
from sqlverdict.report.terminal.console import Screen
from sqlverdict.runlog.case_filter import CaseFilter
from sqlverdict.runlog.log import read_results
from sqlverdict.runlog.manifest import read_manifest
from sqlverdict.runlog.run import read_run


@dataclass(frozen=True, kw_only=True)
class ShowArgs:
    """The options of ``show``."""

    run: Path = run_argument()
    case_ids: tuple[str, ...] = argument(metavar="[ID...]", nargs=-1, required=False)
    verdict: tuple[str, ...] = option(
        "--verdict",
        type=NAMES,
        default=(),
        heading=Heading.CASES,
        help="correct, incorrect, needs_review ...",
    )
    reason: tuple[str, ...] = option(
        "--reason",
        type=NAMES,
        default=(),
        heading=Heading.CASES,
        help="Reason codes, such as VALUE_MISMATCH.",
    )
    db_id: tuple[str, ...] = option(
        "--db-id",
        type=NAMES,
        default=(),
        heading=Heading.CASES,
        help="Names of databases.",
    )
    difficulty: tuple[str, ...] = option(
        "--difficulty", type=NAMES, default=(), heading=Heading.CASES, help="Levels."
    )
    situation: tuple[str, ...] = option(
        "--situation",
        type=NAMES,
        default=(),
        heading=Heading.CASES,
        help="What the evidence amounts to.",
    )
    lucky: bool = option(
        "--lucky",
        is_flag=True,
        heading=Heading.CASES,
        help="Matches by luck: a witness on ordinary data refutes them.",
    )
    abstained: bool = option(
        "--abstained", is_flag=True, heading=Heading.CASES, help="Abstentions."
    )
    text: str | None = option(
        "--text", heading=Heading.CASES, help="Words in the question or a query."
    )
    format: str = option(
        "--format",
        type=click.Choice(FORMATS),
        default=TABLE,
        heading=Heading.OUTPUT,
        help="The list as a table, all fields as CSV, or one id per line.",
    )
    as_json: bool = json_option()

    @property
    def filter(self) -> CaseFilter:
        """The conditions."""
        return CaseFilter(
            verdict=self.verdict,
            reason=self.reason,
            db_id=self.db_id,
            difficulty=self.difficulty,
            situation=self.situation,
            lucky=self.lucky or None,
            abstained=self.abstained or None,
            text=self.text,
        )


_EXAMPLES = (
    "sqlverdict show runs/mine                                    # all cases, a line each",
    "sqlverdict show runs/mine --verdict incorrect --difficulty hard",
    "sqlverdict show runs/mine --lucky",
    "sqlverdict show runs/mine --reason VALUE_MISMATCH --format csv > wrong.csv",
    "sqlverdict show runs/mine 17 23                              # these in full",
    "sqlverdict show runs/mine $(sqlverdict show runs/mine --lucky --format ids)",
)


@command(ShowArgs, examples=_EXAMPLES)
def show(args: ShowArgs) -> None:
    """List the cases of a run that meet all conditions, or show the cases ID... in full.

    In full is: the question, both queries, the verdict and its evidence.

    A condition with several words, separated by commas, holds for any of them. Without conditions
    all cases are listed. The verdict is the run's own: by the metric verdict where the run has it,
    else by its first metric of values 0 and 1. With --lucky the table says of each case when the
    two queries differ. The table has at most 1,000 rows, and says how many cases are left out; the
    other formats have all of them.
    """
    conditions = args.filter
    if not args.case_ids:
        list_cases(read_run(args.run), conditions, args.format, as_json=args.as_json)
        return
    if conditions.conditions or args.format != TABLE:
        raise UsageError(
            "conditions and --format are for the list of cases: leave them out, or leave out "
            f"{' '.join(args.case_ids)}"
        )
    _show_cases(args)


def _show_cases(args: ShowArgs) -> None:
    # Imported here: the list of cases needs none of it, and starts sooner.
    from sqlverdict.cli.run_cases import case_databases
    from sqlverdict.cli.show_case import is_unexplained, show_case, show_more, show_search

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
