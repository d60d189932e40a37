"""Check a benchmark and a prediction file before you score."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import groupby
from pathlib import Path

import click

from sqlverdict.audit.check import CHECKS, AuditFinding, Diagnosis
from sqlverdict.audit.data import DoctorOptions, numbered_table
from sqlverdict.audit.doctor import examine_data
from sqlverdict.cli.command import command
from sqlverdict.cli.options.data import DataArgs, read_benchmark
from sqlverdict.cli.options.fields import Heading, group, option
from sqlverdict.cli.options.limits import CacheArgs
from sqlverdict.cli.options.predictions import prediction_format_setting
from sqlverdict.cli.options.shared import (
    ANY_PATH,
    json_option,
    limit_option,
    print_json,
    show_option,
    timeout_option,
    trust_role_setting,
)
from sqlverdict.errors import BenchmarkError, NothingEvaluated, UnclearColumns
from sqlverdict.execute.engine import Limits
from sqlverdict.files.text import count
from sqlverdict.load.benchmark import Benchmark, PairedCases
from sqlverdict.load.columns.column_map import join_maps
from sqlverdict.load.own_files.jsonl import JsonlCases
from sqlverdict.load.tables.cases import TableCases
from sqlverdict.report.terminal.console import Screen, progress_line

_STYLES = {"error": "bad", "warning": "warning", "info": "heading"}
_GOLDS = (
    ("golds_failing", "fails", "fail"),
    ("golds_beyond_limits", "goes beyond limits", "go beyond limits"),
    ("golds_not_parsed", "is not parsed", "are not parsed"),
    ("golds_empty", "returns nothing", "return nothing"),
    ("golds_only_null", "returns only NULL", "return only NULL"),
    ("golds_undetermined", "is undetermined", "are undetermined"),
    ("golds_volatile", "is volatile", "are volatile"),
    ("golds_with_absent_literals", "asks for absent values", "ask for absent values"),
)
"""What golds do that should be looked at: of one, and of several."""
_EXAMPLES = (
    "sqlverdict doctor --benchmark bird --root bird --predictions preds.json",
    "sqlverdict doctor --cases dev_gold.sql --databases database --strict",
    "sqlverdict doctor --cases cases.jsonl --json",
)


@dataclass(frozen=True, kw_only=True)
class DoctorArgs:
    """The options of ``doctor``."""

    data: DataArgs = group(DataArgs)
    predictions: Path | None = option(
        "--predictions", type=ANY_PATH, heading=Heading.DATA, help="Predictions to examine too."
    )
    prediction_format: str | None = prediction_format_setting()
    limit: int | None = limit_option()
    timeout: float = timeout_option()
    trust_role: bool = trust_role_setting()
    cache: CacheArgs = group(CacheArgs)
    show: int = show_option(10, "this many findings of each kind")
    strict: bool = option(
        "--strict",
        is_flag=True,
        help="Exit with 1 for warnings too (the command lint has --fail-on).",
    )
    as_json: bool = json_option()


@command(DoctorArgs, examples=_EXAMPLES)
def doctor(args: DoctorArgs) -> int:
    """Examine a benchmark, and predictions for it, before you score.

    It reports what is wrong, where, and what to do: predictions that match no case, databases
    that are missing or broken, golds that fail, return nothing or have no determined answer,
    repeated questions. It also reports the versions and digests of all inputs.

    The exit code is 1 if there are errors (with --strict: or warnings), and 3 if nothing could be
    read or run.
    """
    progress = _show_progress if sys.stderr.isatty() and not args.as_json else None
    options = DoctorOptions(
        engine=args.data.engine_name,
        limits=Limits(seconds=args.timeout, trust_role=args.trust_role),
        cache=args.cache.path,
        limit=args.limit,
        format=args.prediction_format,
        columns=args.data.prediction_map,
        progress=progress,
    )
    try:
        benchmark = read_benchmark(args.data)
        predictions = args.predictions
        if predictions is None and (predictions := _inline(benchmark)) is not None:
            options = replace(options, columns=_guessed(benchmark, options.columns))
        diagnosis = examine_data(benchmark, predictions, options=options)
    except UnclearColumns:
        raise
    except BenchmarkError as problem:
        raise NothingEvaluated(f"the benchmark cannot be read: {problem}") from problem
    finally:
        if progress is not None:
            progress_line()
    if args.as_json:
        print_json(diagnosis.as_record())
    else:
        _print(diagnosis, args.show)
    return _exit_code(diagnosis, args.strict)


def _inline(benchmark: Benchmark) -> Path | None:
    """The file of cases itself, where it carries the predictions and their ids."""
    cases = benchmark.cases
    if not isinstance(cases, PairedCases) or not cases.carries_predictions:
        return None
    if numbered_table(cases) is not None:
        return None
    return Path(benchmark.sources[0].path)


def _guessed(benchmark: Benchmark, columns: Mapping[str, str]) -> Mapping[str, str]:
    """The column map for the predictions in the file of cases itself."""
    cases = benchmark.cases
    guess = cases.guess.columns if isinstance(cases, TableCases | JsonlCases) else {}
    return {**join_maps(guess, {}), **columns}


def _show_progress(what: str, done: int, total: int) -> None:
    progress_line(f"{what.replace('_', ' ')}: {done:,} of {total:,}")


def _print(diagnosis: Diagnosis, show: int) -> None:
    figures = diagnosis.figures
    click.echo(f"{diagnosis.benchmark}")
    counts = [count(int(figures[key]), *words) for key, *words in _GOLDS if figures.get(key)]
    answered = f"golds: {figures['golds_answered']:,} of {figures['golds']:,} answered"
    click.echo("; ".join([answered, ", ".join(counts)] if counts else [answered]))
    for kind, title in (("self", "gold against gold"), ("self_backwards", "rows in reverse")):
        scores = [
            f"{preset} {figures[f'{kind}[{preset}]']:,} of {figures[f'{kind}[{preset}]_of']:,}"
            for preset in _presets(diagnosis, kind)
        ]
        if scores:
            click.echo(f"{title}: {', '.join(scores)}")
    for (severity, check), findings in groupby(
        diagnosis.findings, key=lambda finding: (finding.severity, finding.check)
    ):
        _print_group(severity, check, list(findings), show)
    click.echo(f"\n{_verdict(diagnosis)}")


def _presets(diagnosis: Diagnosis, kind: str) -> list[str]:
    start, end = f"{kind}[", "]_of"
    return [
        key.removeprefix(start).removesuffix(end)
        for key in diagnosis.figures
        if key.startswith(start) and key.endswith(end)
    ]


def _print_group(severity: str, check: str, findings: list[AuditFinding], show: int) -> None:
    screen = Screen()
    screen.line()
    title = f"{severity} {check}: {CHECKS.get(check).title} ({len(findings):,})"
    screen.line(title, _STYLES[severity])
    by_hint: dict[str, list[AuditFinding]] = {}
    for finding in findings:
        by_hint.setdefault(finding.hint, []).append(finding)
    for hint, members in by_hint.items():
        for finding in members[:show]:
            screen.line(f"  {finding.subject}: {finding.message}")
        if len(members) > show:
            click.echo(f"  ... and {len(members) - show:,} more (--show {len(members)})")
        if hint:
            screen.line(f"    -> {hint}")


def _verdict(diagnosis: Diagnosis) -> str:
    counts = diagnosis.counts
    nouns = {"info": ("remark", "remarks")}
    totals = ", ".join(
        count(number, *nouns.get(severity, (severity,))) for severity, number in counts.items()
    )
    if counts["error"]:
        return f"{totals}: fix the errors, or accept that these cases stay unscored."
    if counts["warning"]:
        return f"{totals}: ready to score; the warnings say where a score may mislead."
    return f"{totals}: ready to score."


def _exit_code(diagnosis: Diagnosis, strict: bool) -> int:
    counts = diagnosis.counts
    if not diagnosis.cases or (diagnosis.figures["golds"] and not diagnosis.runnable):
        return 3
    return int(bool(counts["error"] or (strict and counts["warning"])))
