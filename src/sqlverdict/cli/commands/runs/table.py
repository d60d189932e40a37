"""Print tables over runs: scores, error types, what ETM's rules contribute, trials."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import click

from sqlverdict.cli.command import command
from sqlverdict.cli.options.fields import Heading, option
from sqlverdict.cli.options.shared import (
    figures_option,
    force_option,
    json_option,
    options_on_line,
    print_json,
    runs_argument,
    schema_option,
    show_option,
    write_figures,
)
from sqlverdict.cli.show_run import show_trials
from sqlverdict.errors import UsageError
from sqlverdict.files.text import count
from sqlverdict.parse.schemas.load import load_schemas
from sqlverdict.report.agreement.categories import (
    category_figures,
    category_report,
    category_table,
    clause_table,
)
from sqlverdict.report.several_runs.comparison import differences_from_first
from sqlverdict.report.several_runs.paper_table import GROUPINGS, paper_table
from sqlverdict.report.several_runs.same_cases import check_same_cases
from sqlverdict.report.several_runs.trials import read_trials
from sqlverdict.report.terminal.console import Screen
from sqlverdict.report.terminal.tables import FORMATS, TextTable
from sqlverdict.runlog.run import Run, read_run

_TEXT = "text"
_GROUPS = {"difficulty": "difficulty", "database": "db_id", "system": "system", "all": "all"}
"""What categories can be grouped by, and its name in their report."""
_READS: Mapping[str, frozenset[str]] = {
    "scores": frozenset({"metrics", "by", "format", "intervals", "decimals", "force"}),
    "categories": frozenset({"metrics", "by", "format", "schema", "figures", "as_json"}),
    "contributions": frozenset({"format", "schema", "figures", "as_json"}),
    "trials": frozenset({"metrics", "show", "force", "as_json"}),
}
"""The options that each table reads; another one is refused."""


@dataclass(frozen=True, kw_only=True)
class TableArgs:
    """The options of ``table``."""

    runs: tuple[Path, ...] = runs_argument()
    of: str = option(
        "--of",
        type=click.Choice(list(_READS)),
        default="scores",
        heading=Heading.DATA,
        help="What the table is about.",
    )
    schema: Path | None = schema_option(
        "Schemas or databases. contributions need them; for categories, every column may be NULL "
        "without them."
    )
    force: bool = force_option()
    metrics: tuple[str, ...] = option(
        "--metric",
        multiple=True,
        heading=Heading.METRICS,
        help="Only this metric. Repeatable for scores, in this order. [default: all, or the one "
        "that decides]",
    )
    by: tuple[str, ...] = option(
        "--by",
        multiple=True,
        type=click.Choice([*dict.fromkeys((*GROUPINGS, *_GROUPS))]),
        help="scores: a column for each difficulty, database or turn. categories: a table by this; "
        "repeatable.",
    )
    format: str = option(
        "--format", type=click.Choice(list(FORMATS)), default=_TEXT, help="How to print it."
    )
    intervals: bool = option("--intervals", is_flag=True, help="scores: 95% intervals too.")
    decimals: int = option(
        "--decimals",
        type=click.IntRange(0, 6),
        default=1,
        help="scores: digits after the decimal point.",
    )
    show: int = show_option(10, "the ids of this many questions on which trials disagree")
    figures: Path | None = figures_option("of categories and contributions")
    as_json: bool = json_option()

    @property
    def metric(self) -> str | None:
        """The one metric of a table that has room for one.

        Raises:
            UsageError: there are several.
        """
        if len(self.metrics) > 1:
            several = " and ".join(self.metrics)
            raise UsageError(f"--metric {several}: a table of {self.of} takes one metric")
        return next(iter(self.metrics), None)


_EXAMPLES = (
    "sqlverdict table runs/* --metric ex --metric esm",
    "sqlverdict table runs/* --metric ex --by difficulty --format latex > table.tex",
    "sqlverdict table runs/* --intervals --format csv",
    "sqlverdict table runs/a runs/b --of categories --by system --metric flex",
    "sqlverdict table runs/mine --of categories --schema bird/databases --by database",
    "sqlverdict table runs/mine --of contributions --schema tables.json --figures figures",
    "sqlverdict table runs/mine-1 runs/mine-2 runs/mine-3 --of trials",
)


@command(TableArgs, examples=_EXAMPLES)
def table(args: TableArgs) -> None:
    """Print a table over one or several runs.

    --of scores: systems by metrics, in percent, as a paper prints them. Beside each value stands n,
    the number of cases behind it (docs/metrics.md says which these are). Notes on standard error
    name what is left out, and what else differs between the runs: the policy, limits, versions. For
    who can be told apart see leaderboard.

    --of categories: error types, by clause and FLEX category. Labels come from tags, which are
    facts about the two queries and their results and need no language model, and from a judge if
    the run asked one for categories. A match that is wrong is FP, a mismatch that is wrong TN (both
    with FLEX's error types), a mismatch that is right FN (with its types of difference). A case may
    have several labels.

    --of contributions: ETM's false negatives and false positives as its rules are added. The first
    step compares syntax trees; then come the paper's rules P0 to P8 and 1 to 26, as in its figures
    7 and A1. What is equal and what differs is said by evidence: a proof, or a witness or other
    rows on the real database. Other cases are left out and counted, so the runs need --prove and
    --refute, or the metric verdict.

    --of trials: several runs of one system. pass@k is the share of questions that at least one of k
    trials solves, over all choices of k of the runs; all of k, the share that every one of k trials
    solves. Questions that a run could not score are left out. A prediction file with several
    answers to each question gives such runs, one a trial: see evaluate.
    """
    _check_options(args)
    runs = [read_run(folder) for folder in args.runs]
    match args.of:
        case "categories":
            _print_categories(runs, args)
        case "contributions":
            _print_contributions(runs, args)
        case "trials":
            _print_trials(runs, args)
        case _:
            _print_scores(runs, args)


def _check_options(args: TableArgs) -> None:
    """Refuse an option that the table does not read.

    Raises:
        UsageError: there is one.
    """
    for name, spelling in options_on_line().items():
        kinds = [kind for kind, names in _READS.items() if name in names]
        if kinds and args.of not in kinds:
            raise UsageError(
                f"{spelling} is for a table of {' or '.join(kinds)}, not of {args.of}: leave it "
                f"out, or name another table with --of"
            )
    if args.as_json and args.format != _TEXT:
        raise UsageError("--format and --json cannot be combined")


def _print_scores(runs: Sequence[Run], args: TableArgs) -> None:
    if len(args.by) > 1 or not set(args.by) <= set(GROUPINGS):
        raise UsageError(f"a table of scores takes one --by: {' or '.join(GROUPINGS)}")
    notes = check_same_cases(runs, force=args.force).notes
    paper = paper_table(
        runs,
        args.metrics,
        next(iter(args.by), None),
        intervals=args.intervals,
        decimals=args.decimals,
    )
    click.echo(FORMATS[args.format](paper.table))
    for note in (*notes, *differences_from_first(runs), *paper.notes):
        click.echo(f"note: {note}", err=True)


def _print_categories(runs: Sequence[Run], args: TableArgs) -> None:
    if not set(args.by) <= _GROUPS.keys():
        raise UsageError(f"a table of categories takes --by {' or '.join(_GROUPS)}")
    schemas = load_schemas(args.schema) if args.schema is not None else {}
    report = category_report(runs, args.metric, schemas=schemas)
    _write_figures(args, category_figures(report))
    if args.as_json:
        print_json(report)
        return
    screen = _screen(args)
    sets = ", ".join(f"{number:,} {name}" for name, number in report.outcomes.items())
    undecided = f", {report.undecided:,} in no set" if report.undecided else ""
    screen.line(f"{count(report.cases, 'case')} by {report.metric}: {sets}{undecided}", "heading")
    screen.line(
        f"  TP, FP: results match, and {report.metric} says right, wrong; TN, FN: results differ, "
        f"and it says wrong, right",
        "quiet",
    )
    _print_table(screen, clause_table(report), args)
    for group in args.by or ("all",):
        for source in ("tags", "judge"):
            _print_table(screen, category_table(report, _GROUPS[group], source), args)


def _print_contributions(runs: Sequence[Run], args: TableArgs) -> None:
    # Imported here: no other table needs the prover.
    from sqlverdict.report.several_runs.contributions import (
        contributions_chart,
        contributions_table,
        step_contributions,
    )

    if args.schema is None:
        raise UsageError("--schema is missing: the rules need to know keys; name the databases")
    errors_by_step = step_contributions(runs, load_schemas(args.schema))
    _write_figures(args, {"contributions.svg": contributions_chart(errors_by_step)})
    if args.as_json:
        print_json(errors_by_step)
        return
    screen = _screen(args)
    for system in errors_by_step.systems:
        screen.line(
            f"{system.system}: {count(system.compared, 'case')} decided by proof, witness or other "
            f"rows, {system.left_open:,} left out"
        )
    _print_table(screen, contributions_table(errors_by_step), args)


def _print_trials(runs: Sequence[Run], args: TableArgs) -> None:
    report = read_trials(runs, args.metric, force=args.force)
    if args.as_json:
        print_json(report)
    else:
        show_trials(Screen(), report, args.show)


def _write_figures(args: TableArgs, figures: Mapping[str, str]) -> None:
    for path in write_figures(args.figures, figures):
        click.echo(f"written: {path}", err=True)


def _screen(args: TableArgs) -> Screen:
    return Screen(colour=None if args.format == _TEXT else False)


def _print_table(screen: Screen, rows: TextTable, args: TableArgs) -> None:
    if args.format == _TEXT:
        screen.table(rows)
    elif rows.rows:
        click.echo(f"\n{FORMATS[args.format](rows)}")
