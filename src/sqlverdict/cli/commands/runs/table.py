"""Print systems by metrics, or by difficulty, as a table for a paper."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import click

from sqlverdict.cli.command import Heading, command, option
from sqlverdict.cli.options.shared import force_option, runs_argument
from sqlverdict.report.several_runs.comparison import differences_from_first
from sqlverdict.report.several_runs.paper_table import GROUPINGS, paper_table
from sqlverdict.report.several_runs.same_cases import check_same_cases
from sqlverdict.report.terminal.exports import FORMATS
from sqlverdict.runlog.run import read_run


@dataclass(frozen=True, kw_only=True)
class TableArgs:
    """The options of ``table``."""

    runs: tuple[Path, ...] = runs_argument()
    metrics: str = option(
        "--metrics",
        default="",
        heading=Heading.METRICS,
        help="Only these, in this order. [default: all]",
    )
    by: str | None = option(
        "--by", type=click.Choice(GROUPINGS), help="A column for each of these."
    )
    format: str = option(
        "--format", type=click.Choice(list(FORMATS)), default="text", help="How to print it."
    )
    intervals: bool = option("--intervals", is_flag=True, help="Print 95% intervals too.")
    decimals: int = option(
        "--decimals", type=click.IntRange(0, 6), default=1, help="Digits after the decimal point."
    )
    force: bool = force_option()


_EXAMPLES = (
    "sqlverdict table runs/* --metrics ex,esm",
    "sqlverdict table runs/* --metrics ex --by difficulty --format latex > table.tex",
    "sqlverdict table runs/* --intervals --format csv",
)


@command(TableArgs, examples=_EXAMPLES)
def table(args: TableArgs) -> None:
    """Print the values of several systems, in percent, as text, Markdown, LaTeX or CSV.

    Beside each value stands n, the number of cases behind it (docs/metrics.md says which these
    are). Notes on standard error name what is left out, and what else differs between the runs: the
    policy, limits, versions. For who can be told apart see leaderboard.
    """
    runs = [read_run(folder) for folder in args.runs]
    notes = check_same_cases(runs, force=args.force)
    labels = [label.strip() for label in args.metrics.split(",") if label.strip()]
    paper = paper_table(runs, labels, args.by, intervals=args.intervals, decimals=args.decimals)
    click.echo(FORMATS[args.format](paper.table))
    for note in (*notes, *differences_from_first(runs), *paper.notes):
        click.echo(f"note: {note}", err=True)
