"""Gate a run in CI: thresholds and regressions, as an exit code."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from sqlverdict.cli.command import command, option
from sqlverdict.cli.options.shared import (
    FILE,
    FOLDER,
    force_option,
    json_option,
    print_json,
    run_argument,
)
from sqlverdict.cli.show_run import show_notes
from sqlverdict.files.text import count
from sqlverdict.report.one_run.junit import GateCheck, write_checks
from sqlverdict.report.several_runs.gate import (
    Rules,
    Verdicts,
    check_run,
    parse_allowance,
    parse_drop,
    parse_minimum,
)
from sqlverdict.report.terminal.console import Screen
from sqlverdict.runlog.run import check_summary, read_run

_EXAMPLES = (
    "sqlverdict check runs/mine --min 'ex[bird]=0.60'",
    "sqlverdict check runs/mine --baseline runs/main --no-regressions --junit gate.xml",
    "sqlverdict check runs/mine --baseline runs/main --max-drop 1% --max-unscored 2%",
)


@dataclass(frozen=True, kw_only=True)
class CheckArgs:
    """The options of ``check``."""

    run: Path = run_argument()
    baseline: Path | None = option(
        "--baseline", type=FOLDER, metavar="RUN", help="The run to compare with."
    )
    minimums: tuple[str, ...] = option(
        "--min", multiple=True, metavar="METRIC=VALUE", help="A minimum. Repeatable."
    )
    no_regressions: bool = option(
        "--no-regressions",
        is_flag=True,
        help="Every case that is right in the baseline is still right.",
    )
    max_drop: str | None = option(
        "--max-drop", metavar="P%", help="How far a metric may fall below the baseline."
    )
    max_unscored: str | None = option(
        "--max-unscored", metavar="N|P%", help="How many cases may be unscored."
    )
    metrics: tuple[str, ...] = option(
        "--metric",
        multiple=True,
        help="Compare this metric with the baseline. Repeatable. [default: those of --min, else "
        "the first]",
    )
    junit: Path | None = option(
        "--junit", type=FILE, help="Also write the conditions to a JUnit file."
    )
    force: bool = force_option()
    as_json: bool = json_option()


@command(CheckArgs, examples=_EXAMPLES)
def check(args: CheckArgs) -> int:
    """Check a run against conditions. The exit code is 0 if all are met, else 1.

    The check fails closed: a case that was right in the baseline and is unscored or missing now
    is a regression, and a metric without a scored case meets no minimum. A run whose log was
    changed, or does not match its summary, is refused (exit code 2).
    """
    rules = Rules(
        minimums=dict(parse_minimum(text) for text in args.minimums),
        no_regressions=args.no_regressions,
        max_drop=parse_drop(args.max_drop) if args.max_drop is not None else None,
        max_unscored=parse_allowance(args.max_unscored) if args.max_unscored is not None else None,
        metrics=args.metrics,
    )
    baseline = read_run(args.baseline) if args.baseline is not None else None
    run = read_run(args.run)
    check_summary(run)
    if baseline is not None:
        check_summary(baseline)
    report = check_run(run, rules, baseline, force=args.force)
    if args.junit is not None:
        checks = [
            GateCheck(c.name, c.passed, f"found {c.actual}, expected {c.required}", c.detail)
            for c in report.conditions
        ]
        write_checks(args.junit, f"sqlverdict check {args.run}", checks)
    if args.as_json:
        print_json(
            {"passed": report.passed, "conditions": report.conditions, "notes": report.notes}
        )
    else:
        _show(report)
    return report.exit_code


def _show(report: Verdicts) -> None:
    screen = Screen()
    for condition in report.conditions:
        word, style = ("pass", "good") if condition.passed else ("FAIL", "bad")
        screen.line(
            f"{word}  {condition.name}: {condition.actual} (required {condition.required})", style
        )
        for line in condition.detail if not condition.passed else ():
            screen.line(f"        {line}")
    show_notes(screen, report.notes)
    screen.line()
    failed = sum(not condition.passed for condition in report.conditions)
    every = count(len(report.conditions), "condition")
    if failed:
        screen.line(f"{failed} of {every} failed (exit code 1)", "bad")
    else:
        screen.line(f"{every} met", "good")
