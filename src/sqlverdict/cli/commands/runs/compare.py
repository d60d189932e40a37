"""Compare two runs: which cases changed, and whether that could be chance."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from sqlverdict.cli.command import command
from sqlverdict.cli.options.fields import Heading, argument, option
from sqlverdict.cli.options.shared import (
    FOLDER,
    force_option,
    html_option,
    json_option,
    print_json,
    show_option,
)
from sqlverdict.cli.show_run import show_notes
from sqlverdict.cli.write_html import write_html
from sqlverdict.files.text import count
from sqlverdict.report.one_run.case import prediction_text
from sqlverdict.report.several_runs.comparison import (
    Change,
    ComparedRuns,
    compare_runs,
    compared_usage_table,
)
from sqlverdict.report.terminal.console import Screen
from sqlverdict.report.terminal.tables import interval_text, p_text, percent, points, short, table
from sqlverdict.runlog.run import read_run

_EXAMPLES = (
    "sqlverdict compare runs/before runs/after",
    "sqlverdict compare runs/a runs/b --metric 'ex[bird]' --show 50",
)


@dataclass(frozen=True, kw_only=True)
class CompareArgs:
    """The options of ``compare``."""

    a: Path = argument(type=FOLDER, metavar="A")
    b: Path = argument(type=FOLDER, metavar="B")
    metric: str | None = option(
        "--metric",
        heading=Heading.METRICS,
        help="A metric of both runs. [default: the one that decides]",
    )
    show: int = show_option(5, "this many changes of each kind")
    force: bool = force_option()
    html: Path | None = html_option()
    as_json: bool = json_option()


@command(CompareArgs, examples=_EXAMPLES)
def compare(args: CompareArgs) -> None:
    """Compare run B with run A, case by case.

    The p-value is McNemar's exact test (for metrics that are not 0 or 1, a paired bootstrap): the
    probability of a difference as large if the two systems were equally good. A large one does not
    show that they are.
    """
    a, b = read_run(args.a), read_run(args.b)
    report = compare_runs(a, b, args.metric, limit=args.show, force=args.force)
    if args.html is not None:
        write_html(args.html, [a, b], remarks=report.notes)
    if args.as_json:
        print_json(report.as_record())
    else:
        _show(report)


def _show(report: ComparedRuns) -> None:
    screen = Screen()
    outcome, test = report.outcome, report.outcome.test
    common = count(test.pairs, "case")
    screen.line(f"{report.a} → {report.b}: {report.metric} on {common} that both score", "heading")
    row = (
        percent(report.before),
        percent(report.after),
        points(test.difference),
        interval_text(test.low, test.high, signed=True),
        p_text(test.p_value),
    )
    headers = (report.a, report.b, "difference", "95% interval", f"p ({test.test})")
    screen.table(table(headers, [row], left=()))
    screen.line()
    screen.line(
        f"{count(len(outcome.gained), 'case')} gained, {len(outcome.lost):,} lost, "
        f"{outcome.both_right:,} right in both, {outcome.both_wrong:,} right in neither"
    )
    if test.p_value is not None:
        differs = test.p_value < 0.05
        text = "significant difference" if differs else "no significant difference"
        screen.line(f"{text} (p {p_text(test.p_value)})" if differs else text)
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
        for level in report.levels
    ]
    screen.table(
        table(("difficulty", "cases", report.a, report.b, "difference", "gained", "lost"), rows)
    )
    screen.table(compared_usage_table(report))
    _show_changes(screen, report, "lost", report.lost, len(outcome.lost))
    _show_changes(screen, report, "gained", report.gained, len(outcome.gained))
    show_notes(screen, report.notes)


def _show_changes(
    screen: Screen, report: ComparedRuns, what: str, changes: Sequence[Change], total: int
) -> None:
    if not changes:
        return
    more = f" (the first {len(changes)}; --show prints more)" if total > len(changes) else ""
    screen.heading(f"{what}: {total:,}{more}")
    width = max(len(report.a), len(report.b), 4)
    for change in changes:
        case = change.after
        why = change.witness or ", ".join(change.worse.reasons)
        reasons = f" [{short(why, 160)}]" if why else ""
        screen.line(f"  {case.id} ({case.db_id}){reasons} {short(case.question_line, 100)}")
        gold = case.gold[0] if case.gold else "(none)"
        screen.line(f"    {'gold':<{width}}  {short(gold, 160)}", "quiet")
        screen.line(f"    {report.a:<{width}}  {short(prediction_text(change.before), 160)}")
        screen.line(f"    {report.b:<{width}}  {short(prediction_text(change.after), 160)}")
