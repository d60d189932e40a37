"""Compare two runs: which cases changed, and whether that could be chance."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from sqlverdict.cli.options.common import as_json, examples, print_json, run_argument

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlverdict.report.several_runs.comparison import Change, ComparedRuns
    from sqlverdict.report.terminal.console import Screen


@click.command(
    epilog=examples(
        "sqlverdict compare runs/before runs/after",
        "sqlverdict compare runs/a runs/b --metric 'ex[bird]' --limit 50",
    )
)
@run_argument("a")
@run_argument("b")
@click.option("--metric", help="A metric of both runs. [default: the first common one]")
@click.option(
    "--limit",
    type=click.IntRange(0),
    default=5,
    show_default=True,
    help="Changes of each kind to show.",
)
@click.option("--force", is_flag=True, help="Pair cases by id though their texts differ.")
@as_json
def compare(a: Path, b: Path, metric: str | None, limit: int, force: bool, as_json: bool) -> None:
    """Compare run B with run A, case by case.

    The p-value is McNemar's exact test (for metrics that are not 0 or 1, a paired bootstrap): the
    chance of a difference as large if the two were alike. A large one does not show that they
    are.
    """
    from sqlverdict.report.several_runs.comparison import compare_runs
    from sqlverdict.runlog.run import read_run

    found = compare_runs(read_run(a), read_run(b), metric, limit=limit, force=force)
    if as_json:
        print_json(found)
    else:
        _show(found)


def _show(found: ComparedRuns) -> None:
    from sqlverdict.cli.show_run import show_notes
    from sqlverdict.files.text import count
    from sqlverdict.report.terminal.console import Screen
    from sqlverdict.report.terminal.tables import interval, p_text, percent, points, table

    screen = Screen()
    outcome, test = found.outcome, found.outcome.test
    common = count(test.pairs, "common case")
    screen.line(f"{found.a} → {found.b}: {found.metric} on {common}", "heading")
    row = (
        percent(found.before),
        percent(found.after),
        points(test.difference),
        interval(test.low, test.high, signed=True),
        p_text(test.p_value),
    )
    headers = (found.a, found.b, "difference", "95% interval", f"p ({test.test})")
    screen.table(table(headers, [row], left=()))
    screen.line()
    screen.line(
        f"{count(len(outcome.gained), 'case')} gained, {len(outcome.lost):,} lost, "
        f"{outcome.both_right:,} right in both, {outcome.both_wrong:,} wrong in both"
    )
    if test.p_value is not None:
        told = test.p_value < 0.05
        text = "a difference is shown" if told else "these cases cannot tell the two apart"
        screen.line(f"{text} (p {p_text(test.p_value)})" if told else text)
    rows = [
        (
            level.key,
            f"{level.cases:,}",
            percent(level.before),
            percent(level.after),
            points(level.after - level.before),
            f"{level.gained:,}",
            f"{level.lost:,}",
        )
        for level in found.levels
    ]
    screen.table(
        table(("difficulty", "cases", found.a, found.b, "difference", "gained", "lost"), rows)
    )
    _show_changes(screen, found, "lost", found.lost, len(outcome.lost))
    _show_changes(screen, found, "gained", found.gained, len(outcome.gained))
    show_notes(screen, found.notes)


def _show_changes(
    screen: Screen, found: ComparedRuns, what: str, changes: Sequence[Change], total: int
) -> None:
    from sqlverdict.report.terminal.tables import short

    if not changes:
        return
    more = f" (the first {len(changes)}; --limit shows more)" if total > len(changes) else ""
    screen.heading(f"{what}: {total:,}{more}")
    width = max(len(found.a), len(found.b), 4)
    for change in changes:
        reasons = f" [{', '.join(change.reasons)}]" if change.reasons else ""
        screen.line(f"  {change.id} ({change.db_id}){reasons} {short(change.question, 100)}")
        gold = change.gold[0] if change.gold else "(none)"
        screen.line(f"    {'gold':<{width}}  {short(gold, 160)}", "quiet")
        screen.line(f"    {found.a:<{width}}  {short(change.before, 160)}")
        screen.line(f"    {found.b:<{width}}  {short(change.after, 160)}")
