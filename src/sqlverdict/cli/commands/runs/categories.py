"""Count error types by clause, FLEX category, difficulty, database or system."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import click

from sqlverdict.cli.command import command, option
from sqlverdict.cli.options.shared import (
    FOLDER,
    json_option,
    markdown_option,
    print_json,
    runs_argument,
    schema_option,
)
from sqlverdict.errors import UsageError
from sqlverdict.files.text import count
from sqlverdict.parse.schemas.load import load_schemas
from sqlverdict.report.agreement.categories import (
    category_report,
    category_table,
    clause_table,
)
from sqlverdict.report.agreement.category_figures import write_category_figures
from sqlverdict.report.terminal.console import Screen
from sqlverdict.report.terminal.tables import markdown
from sqlverdict.runlog.run import read_run

_EXAMPLES = (
    "sqlverdict categories runs/mine",
    "sqlverdict categories runs/a runs/b --by system --metric flex",
    "sqlverdict categories runs/mine --schema bird/databases --by difficulty --by db_id",
)


@dataclass(frozen=True, kw_only=True)
class CategoriesArgs:
    """The options of ``categories``."""

    runs: tuple[Path, ...] = runs_argument()
    metric: str | None = option(
        "--metric", help="The metric that says right or wrong. [default: verdict]"
    )
    groups: tuple[str, ...] = option(
        "--by",
        multiple=True,
        type=click.Choice(["all", "difficulty", "db_id", "system"]),
        help="Group by this. Repeatable. [default: all]",
    )
    schema: Path | None = schema_option(
        "Schemas or databases. Without them every column may be NULL."
    )
    figures: Path | None = option(
        "--figures", type=FOLDER, help="Write SVG figures to this folder."
    )
    markdown: bool = markdown_option()
    as_json: bool = json_option()


@command(CategoriesArgs, examples=_EXAMPLES)
def categories(args: CategoriesArgs) -> None:
    """Count the error types in one or more runs.

    Labels come from tags, which are facts about the two queries and their results and need no
    language model, and from a judge if the run asked one for categories. A match that is wrong is
    FP, a mismatch that is wrong TN (both with FLEX's error types), a mismatch that is right FN
    (with its types of difference). A case may have several labels.
    """
    if args.markdown and args.as_json:
        raise UsageError("--markdown and --json cannot be combined")
    schemas = load_schemas(args.schema) if args.schema is not None else {}
    runs = [read_run(folder) for folder in args.runs]
    report = category_report(runs, args.metric, schemas=schemas)
    for path in write_category_figures(report, args.figures) if args.figures is not None else ():
        click.echo(f"written: {path}", err=True)
    if args.as_json:
        print_json(report)
        return
    screen = Screen(colour=False if args.markdown else None)
    sets = ", ".join(f"{number:,} {name}" for name, number in report.outcomes.items())
    undecided = f", {report.undecided:,} in no set" if report.undecided else ""
    screen.line(f"{count(report.cases, 'case')} by {report.metric}: {sets}{undecided}", "heading")
    screen.line(
        f"  TP, FP: results match, and {report.metric} says right, wrong; TN, FN: results differ, "
        f"and it says wrong, right",
        "quiet",
    )
    tables = [clause_table(report)]
    for group in args.groups or ("all",):
        tables += [category_table(report, group, "tags"), category_table(report, group, "judge")]
    for each in tables:
        if args.markdown and each.rows:
            click.echo(f"\n{markdown(each)}")
        elif not args.markdown:
            screen.table(each)
