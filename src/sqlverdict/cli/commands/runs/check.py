"""Gate a run in CI: thresholds and regressions, as an exit code."""

from __future__ import annotations

from pathlib import Path

import click

from sqlverdict.cli.options.common import FILE, FOLDER, as_json, examples, print_json, run_argument


@click.command(
    epilog=examples(
        "sqlverdict check runs/mine --min 'ex[bird]=0.60'",
        "sqlverdict check runs/mine --baseline runs/main --no-regressions --junit gate.xml",
        "sqlverdict check runs/mine --baseline runs/main --max-drop 1% --max-unscored 2%",
    )
)
@run_argument("run")
@click.option("--baseline", type=FOLDER, help="The run to compare with.")
@click.option(
    "--min", "minimums", multiple=True, metavar="METRIC=VALUE", help="The least value; repeatable."
)
@click.option(
    "--no-regressions", is_flag=True, help="Every case right in the baseline is still right."
)
@click.option("--max-drop", metavar="P%", help="How far a metric may fall below the baseline.")
@click.option("--max-unscored", metavar="N|P%", help="How many cases may be unscored.")
@click.option(
    "--metric",
    "metrics",
    multiple=True,
    help="What is held against the baseline. [default: those of --min, else the first]",
)
@click.option("--junit", type=FILE, help="Also write the conditions as a JUnit file.")
@click.option("--force", is_flag=True, help="Pair cases by id though their texts differ.")
@as_json
def check(
    run: Path,
    baseline: Path | None,
    minimums: tuple[str, ...],
    no_regressions: bool,
    max_drop: str | None,
    max_unscored: str | None,
    metrics: tuple[str, ...],
    junit: Path | None,
    force: bool,
    as_json: bool,
) -> int:
    """Check a run against conditions; exit code 0 if all are met, else 1.

    It fails closed: a case that was right in the baseline and is unscored or missing now is a
    regression, a metric without a scored case meets no minimum, and a run whose log was changed,
    or does not fit its summary, is refused (exit code 2).
    """
    from sqlverdict.report.one_run.junit import GateCheck, write_checks
    from sqlverdict.report.several_runs.gate import (
        Rules,
        check_run,
        parse_allowance,
        parse_drop,
        parse_minimum,
    )
    from sqlverdict.runlog.run import check_summary, read_run

    rules = Rules(
        minimums=dict(parse_minimum(text) for text in minimums),
        no_regressions=no_regressions,
        max_drop=parse_drop(max_drop) if max_drop is not None else None,
        max_unscored=parse_allowance(max_unscored) if max_unscored is not None else None,
        metrics=metrics,
    )
    held = read_run(baseline) if baseline is not None else None
    now = read_run(run)
    for each in (now, held):
        if each is not None:
            check_summary(each)
    found = check_run(now, rules, held, force=force)
    if junit is not None:
        checks = [
            GateCheck(c.name, c.passed, f"found {c.actual}, expected {c.required}", c.detail)
            for c in found.conditions
        ]
        write_checks(junit, f"sqlverdict check {run}", checks)
    if as_json:
        print_json({"passed": found.passed, "conditions": found.conditions, "notes": found.notes})
        return found.exit_code
    from sqlverdict.cli.show_run import show_notes
    from sqlverdict.files.text import count
    from sqlverdict.report.terminal.console import Screen

    screen = Screen()
    for condition in found.conditions:
        word, style = ("pass", "good") if condition.passed else ("FAIL", "bad")
        screen.line(
            f"{word}  {condition.name}: {condition.actual} (required {condition.required})", style
        )
        for line in condition.detail if not condition.passed else ():
            screen.line(f"        {line}")
    show_notes(screen, found.notes)
    screen.line()
    failed = sum(not condition.passed for condition in found.conditions)
    every = count(len(found.conditions), "condition")
    if failed:
        screen.line(f"{failed} of {every} failed (exit code 1)", "bad")
    else:
        screen.line(f"{every} met", "good")
    return found.exit_code
