"""Say which kinds of error runs have: by clause, FLEX category, difficulty, database, system."""

from __future__ import annotations

from pathlib import Path

import click

from sqlverdict.cli.options.common import (
    ANY_PATH,
    FOLDER,
    as_json,
    examples,
    print_json,
    run_arguments,
)


@click.command(
    epilog=examples(
        "sqlverdict categories runs/mine",
        "sqlverdict categories runs/a runs/b --by system --metric flex",
        "sqlverdict categories runs/mine --schema bird/databases --by difficulty --by db_id",
    )
)
@run_arguments
@click.option("--metric", help="What holds a prediction right or wrong. [default: verdict]")
@click.option(
    "--by",
    "groups",
    multiple=True,
    type=click.Choice(["all", "difficulty", "db_id", "system"]),
    help="Repeatable. [default: all]",
)
@click.option("--schema", type=ANY_PATH, help="Schemas or databases; without them all may be NULL.")
@click.option("--figures", type=FOLDER, help="Write SVG figures of the categories here.")
@click.option("--markdown", is_flag=True, help="Print Markdown.")
@as_json
def categories(
    runs: tuple[Path, ...],
    metric: str | None,
    groups: tuple[str, ...],
    schema: Path | None,
    figures: Path | None,
    markdown: bool,
    as_json: bool,
) -> None:
    """Count the kinds of error in one or more runs.

    Labels come from tags, which are facts about the two queries and their results and need no
    language model, and from a judge where the run asked one for categories. A match that is held
    wrong is FP, a mismatch held wrong TN (both with FLEX's kinds of error), a mismatch held right
    FN (with its kinds of difference). Several labels may hold of one case.
    """
    from sqlverdict.errors import UsageError
    from sqlverdict.files.text import count
    from sqlverdict.parse.schemas.load import load_schemas
    from sqlverdict.report.agreement.categories import (
        category_report,
        category_table,
        difference_table,
    )
    from sqlverdict.report.agreement.category_figures import write_category_figures
    from sqlverdict.report.terminal.console import Screen
    from sqlverdict.report.terminal.tables import markdown as as_markdown
    from sqlverdict.runlog.run import read_run

    if markdown and as_json:
        raise UsageError("--markdown and --json exclude each other")
    schemas = load_schemas(schema) if schema is not None else {}
    found = category_report([read_run(folder) for folder in runs], metric, schemas=schemas)
    for path in write_category_figures(found, figures) if figures is not None else ():
        click.echo(f"written: {path}", err=True)
    if as_json:
        print_json(found)
        return
    screen = Screen(colour=False if markdown else None)
    sets = ", ".join(f"{number:,} {name}" for name, number in found.outcomes.items())
    undecided = f", {found.undecided:,} in no set" if found.undecided else ""
    screen.line(f"{count(found.cases, 'case')} by {found.metric}: {sets}{undecided}", "heading")
    screen.line(
        f"  TP, FP: results match, and {found.metric} says right, wrong; TN, FN: results differ, "
        f"and it says wrong, right",
        "quiet",
    )
    shown = [difference_table(found)]
    for group in groups or ("all",):
        shown += [category_table(found, group, "tags"), category_table(found, group, "judge")]
    for one in shown:
        if markdown and one.rows:
            click.echo(f"\n{as_markdown(one)}")
        elif not markdown:
            screen.table(one)
