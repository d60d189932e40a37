"""Show what each rule of ETM contributes: its errors as the rules are added one by one."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import click

from sqlverdict.cli.command import command, option
from sqlverdict.cli.options.shared import (
    FILE,
    json_option,
    markdown_option,
    print_json,
    runs_argument,
    schema_option,
)
from sqlverdict.errors import UsageError
from sqlverdict.files.atomic import write_text_at_once
from sqlverdict.files.text import count
from sqlverdict.parse.schemas.load import load_schemas
from sqlverdict.report.several_runs.contributions import contributions_chart, contributions_table
from sqlverdict.report.several_runs.contributions import (
    step_contributions as count_contributions,
)
from sqlverdict.report.terminal.console import Screen
from sqlverdict.report.terminal.tables import markdown
from sqlverdict.runlog.run import read_run

_EXAMPLES = (
    "sqlverdict contributions runs/mine --schema spider/database",
    "sqlverdict contributions runs/a runs/b --schema tables.json --figure contributions.svg",
)


@dataclass(frozen=True, kw_only=True)
class ContributionsArgs:
    """The options of ``contributions``."""

    runs: tuple[Path, ...] = runs_argument()
    schema: Path | None = schema_option("The schemas of the runs' databases. Required.")
    figure: Path | None = option("--figure", type=FILE, help="Write the chart to an SVG file.")
    markdown: bool = markdown_option()
    as_json: bool = json_option()


@command(ContributionsArgs, examples=_EXAMPLES)
def contributions(args: ContributionsArgs) -> None:
    """Count ETM's false negatives and false positives as its rules are added.

    The first step compares syntax trees; then come the paper's rules P0 to P8 and 1 to 26, as in
    its figures 7 and A1. What is equal and what differs is said by evidence: a proof, or a
    witness or other rows on the real database. Other cases are left out and counted, so the runs
    need --prove and --refute, or the metric verdict.
    """
    if args.markdown and args.as_json:
        raise UsageError("--markdown and --json cannot be combined")
    if args.schema is None:
        raise UsageError("--schema is missing: the rules need to know keys; name the databases")
    runs = [read_run(folder) for folder in args.runs]
    errors_by_step = count_contributions(runs, load_schemas(args.schema))
    if args.figure is not None:
        write_text_at_once(args.figure, contributions_chart(errors_by_step) + "\n")
        click.echo(f"written: {args.figure}", err=True)
    if args.as_json:
        print_json(errors_by_step)
        return
    screen = Screen(colour=False if args.markdown else None)
    for system in errors_by_step.systems:
        screen.line(
            f"{system.system}: {count(system.compared, 'case')} decided by proof, witness or other "
            f"rows, {system.left_open:,} left out"
        )
    rows = contributions_table(errors_by_step)
    if args.markdown:
        click.echo(f"\n{markdown(rows)}")
    else:
        screen.table(rows)
