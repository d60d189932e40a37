"""Show one case of a run in full: question, queries, verdict, evidence."""

from __future__ import annotations

from pathlib import Path

import click

from sqlverdict.cli.options.common import as_json, examples, print_json, run_argument


@click.command(
    epilog=examples("sqlverdict show runs/mine 17", "sqlverdict show runs/mine 17 --json")
)
@run_argument("run")
@click.argument("case_id", metavar="ID")
@as_json
def show(run: Path, case_id: str, as_json: bool) -> None:
    """Show the case ID of a run: what was asked, said and found."""
    from sqlverdict.errors import UsageError
    from sqlverdict.files.text import listed, near
    from sqlverdict.runlog.log import read_results

    ids: list[str] = []
    for result in read_results(run):
        if result.id == case_id:
            break
        ids.append(result.id)
    else:
        hint = near(case_id, ids) or f" There are {len(ids):,}: {listed(ids)}."
        raise UsageError(f"{run} has no case {case_id!r}.{hint}")
    if as_json:
        print_json(result)
        return
    from sqlverdict.cli.show_run import show_case, show_more
    from sqlverdict.report.terminal.console import Screen
    from sqlverdict.runlog.manifest import read_manifest
    from sqlverdict.score.deciding import deciding_metric

    screen = Screen()
    made = read_manifest(run)
    show_case(screen, result, run, deciding_metric(made.metrics, made.binary))
    show_more(screen, result)
