"""Show the cases of a run: a list by verdict, reason, database ..., or some in full."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields
from itertools import islice
from pathlib import Path
from typing import Any

import click

from sqlverdict.cli.command import command
from sqlverdict.cli.options.fields import Heading, argument, option
from sqlverdict.cli.options.shared import NAMES, json_option, json_text, print_json, run_argument
from sqlverdict.errors import UsageError
from sqlverdict.evidence import Refuted
from sqlverdict.files.text import count, few_of, near
from sqlverdict.load.columns.ids import row_number_hint
from sqlverdict.records import Result
from sqlverdict.report.one_run.case_rows import case_row
from sqlverdict.report.one_run.sections import decided_by
from sqlverdict.report.terminal.console import Screen
from sqlverdict.report.terminal.tables import csv_text, short, table
from sqlverdict.runlog.case_filter import CaseFilter
from sqlverdict.runlog.log import read_results
from sqlverdict.runlog.manifest import read_manifest
from sqlverdict.runlog.run import Run, read_run
from sqlverdict.score.deciding import reasons_by

TABLE = "table"
FORMATS = (TABLE, "csv", "ids")
"""How the cases can be printed, beside JSON."""
_FREE = ("db_id", "difficulty", "situation")
"""Conditions whose words are the run's own: they are named where nothing fits."""
_MOST = 1_000
"""The most rows of the table."""
_BLOCK = 1_000
_DIFFER = re.compile(r"^they differ (?:when|in|on this database:) ")
"""How the sentences of most witnesses begin."""


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
        # A switch that is not given is no condition.
        values = {each.name: getattr(self, each.name) for each in fields(CaseFilter)}
        return CaseFilter(
            **{name: None if value is False else value for name, value in values.items()}
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


def list_cases(run: Run, conditions: CaseFilter, format_name: str, *, as_json: bool) -> None:
    """Print the cases of a run that meet all conditions.

    Args:
        run: The run.
        conditions: What the cases have in common.
        format_name: One of :data:`FORMATS`.
        as_json: Print JSON instead.
    """
    results = run.select(conditions)
    if as_json:
        number = _print_json(run, results)
    elif format_name == "ids":
        number = _print_ids(results)
    elif format_name == "csv":
        number = _print_csv(run, results)
    else:
        number = _print_table(run, results, witnesses=bool(conditions.lucky))
    if not number:
        click.echo(f"no case meets all conditions. {_there_is(run, conditions)}".strip(), err=True)


def _blocks(results: Iterator[Result]) -> Iterator[Sequence[Result]]:
    """The results, few at a time: a run may have millions."""
    while block := [*islice(results, _BLOCK)]:
        yield block


def _print_json(run: Run, results: Iterator[Result]) -> int:
    """Print a list of records; returns how many."""
    number = 0
    for block in _blocks(results):
        # Each block is a list: what stands between its brackets is the part of one long list.
        text = json_text([_row(run, result) for result in block])[2:-2]
        click.echo(f"{',' if number else '['}\n{text}", nl=False)
        number += len(block)
    click.echo("\n]" if number else "[]")
    return number


def _print_ids(results: Iterator[Result]) -> int:
    number = 0
    for block in _blocks(results):
        click.echo("\n".join(result.id for result in block))
        number += len(block)
    return number


def _row(run: Run, result: Result) -> dict[str, Any]:
    spent = [figures.quantity for figures in run.summary.usage]
    row = case_row(result, run.deciding, spent, turns=run.summary.sessions > 0)
    return row | {"witness": _witness(result) or None}


def _witness(result: Result) -> str:
    """When the queries differ, by the witness; empty without one."""
    sentences = [piece.sentence for piece in result.evidence if isinstance(piece, Refuted)]
    return sentences[0] if sentences else ""


def _print_csv(run: Run, results: Iterator[Result]) -> int:
    number = 0
    for block in _blocks(results):
        rows = [_row(run, result) for result in block]
        cells = [["" if cell is None else str(cell) for cell in row.values()] for row in rows]
        text = csv_text(table([*rows[0]], cells))
        click.echo(text if not number else text.partition("\n")[2])
        number += len(block)
    return number


def _print_table(run: Run, results: Iterator[Result], *, witnesses: bool) -> int:
    screen = Screen()
    first = [*islice(results, _MOST)]
    rows = [
        (
            result.id,
            result.db_id,
            result.difficulty or "",
            run.verdict(result),
            short(_DIFFER.sub("", _witness(result)), 70)
            if witnesses
            else ", ".join(reasons_by(result, run.deciding)),
            short(result.question_line, 60),
        )
        for result in first
    ]
    why = "difference by witness" if witnesses else "reasons"
    headers = ("id", "database", "difficulty", "verdict", why, "question")
    screen.table(table(headers, rows, left=range(len(headers))))
    more = sum(1 for _ in results)
    if more:
        screen.line(f"... and {more:,} more: --format csv and --format ids list all")
    screen.line()
    screen.line(
        f"{len(first) + more:,} of {count(run.summary.cases, 'case')} of {run.manifest.system}; "
        f"verdicts by {decided_by(run)}"
    )
    if first:
        words = ["sqlverdict", "show", str(run.folder), first[0].id]
        screen.line(f"one in full: {shlex.join(words)}", "quiet")
    return len(first) + more


def _there_is(run: Run, conditions: CaseFilter) -> str:
    """What the run has for each condition."""
    return " ".join(_sentences(run, conditions))


def _sentences(run: Run, conditions: CaseFilter) -> Iterator[str]:
    for name in _FREE:
        if name in conditions.conditions:
            values = sorted(filter(None, {getattr(result, name) for result in run.results()}))
            none = f"Its cases have no {name}."
            yield f"The run has, as {name}: {few_of(values, 12)}." if values else none
    if conditions.verdict:
        yield f"The run has the verdicts {', '.join(run.summary.verdicts)}."
    if conditions.lucky and not any("refute" in stage for stage in run.manifest.stages):
        yield "It did not search for witnesses: evaluate with --refute N or --metrics verdict."
    elif conditions.lucky:
        yield (
            "A match is lucky where a witness on ordinary data refutes it; --situation lists those "
            "that differ on other data."
        )
