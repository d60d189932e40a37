"""Check a benchmark and a prediction file before scoring: what is wrong, where, what to do."""

from __future__ import annotations

import sys
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from sqlverdict.cli.options.common import ANY_PATH, FILE, as_json, examples, print_json
from sqlverdict.report.terminal.console import progress_line

if TYPE_CHECKING:
    from sqlverdict.audit.data import Progress
    from sqlverdict.audit.finding import AuditFinding, Diagnosis

_STYLES = {"error": "bad", "warning": "warning", "info": "heading"}
_GOLDS = (
    ("golds_failing", "fail"),
    ("golds_beyond_limits", "beyond limits"),
    ("golds_not_parsed", "not parsed"),
    ("golds_empty", "empty"),
    ("golds_only_null", "only NULL"),
    ("golds_undetermined", "undetermined"),
    ("golds_volatile", "volatile"),
    ("golds_with_absent_literals", "asking for absent values"),
)
_EXAMPLES = examples(
    "sqlverdict doctor --benchmark bird --root bird --predictions preds.json",
    "sqlverdict doctor --gold dev_gold.sql --databases database --strict",
    "sqlverdict doctor --cases cases.jsonl --json",
)


@click.command(epilog=_EXAMPLES)
@click.option("--benchmark", metavar="NAME", help="A format: spider, bird, jsonl, csv, demo ...")
@click.option("--root", type=ANY_PATH, help="The benchmark's folder, or its file.")
@click.option("--split", default="dev", show_default=True, help="Which part of the benchmark.")
@click.option("--gold", type=FILE, help="A gold file, SQL<TAB>db_id a line.")
@click.option("--cases", type=FILE, help="Cases as JSONL or CSV; predictions may stand inside.")
@click.option("--databases", type=ANY_PATH, help="Where the databases lie, in any usual layout.")
@click.option("--predictions", type=FILE, help="A prediction file to examine as well.")
@click.option("--prediction-format", metavar="FORMAT", help="Where it is not to be detected.")
@click.option(
    "--column", "columns", multiple=True, metavar="NAME=FIELD", help="Read a column as our field."
)
@click.option("--limit", type=click.IntRange(1), help="Only the first N cases.")
@click.option(
    "--timeout",
    type=click.FloatRange(0, min_open=True),
    default=30.0,
    show_default=True,
    help="Seconds that one gold, or one look into a database, may take.",
)
@click.option(
    "--show",
    type=click.IntRange(0),
    default=10,
    show_default=True,
    help="How many findings of each kind to print.",
)
@click.option("--no-cache", is_flag=True, help="Run every query anew.")
@click.option("--strict", is_flag=True, help="Warnings fail too.")
@as_json
def doctor(**said: Any) -> int:
    """Examine a benchmark, and predictions for it, before anything is scored.

    Says what is wrong, where, and what to do: predictions that do not pair, databases that are
    missing or broken, golds that fail, return nothing or leave their answer open, questions
    that stand twice; and the versions and digests of it all.

    The exit code is 1 where there are errors (with --strict: or warnings), and 3 where nothing
    could be read or run.
    """
    from sqlverdict.audit.data import DoctorOptions
    from sqlverdict.audit.doctor import examine_data
    from sqlverdict.cli.options.inputs import DataInputs, column_options, read_benchmark
    from sqlverdict.errors import BenchmarkError, NothingEvaluated
    from sqlverdict.execute.cache import default_path
    from sqlverdict.execute.engine import Limits

    names = ("benchmark", "root", "split", "gold", "cases", "databases")
    given = DataInputs(
        **{name: said[name] for name in names}, columns=column_options(said["columns"])
    )
    progress = _progress() if sys.stderr.isatty() and not said["as_json"] else None
    options = DoctorOptions(
        limits=Limits(seconds=said["timeout"]),
        cache=None if said["no_cache"] else default_path(),
        limit=said["limit"],
        format=said["prediction_format"],
        progress=progress,
    )
    try:
        benchmark = read_benchmark(given)
        predictions = said["predictions"] or _inline(given.cases)
        diagnosis = examine_data(benchmark, predictions, options=options)
    except BenchmarkError as problem:
        raise NothingEvaluated(f"the benchmark cannot be read: {problem}") from problem
    finally:
        if progress is not None:
            progress_line()
    if said["as_json"]:
        print_json(diagnosis.as_record())
    else:
        _print(diagnosis, said["show"])
    return _exit_code(diagnosis, said["strict"])


def _inline(cases: Path | None) -> Path | None:
    """The file of cases itself, where its lines carry their predictions."""
    if cases is None or cases.suffix.lower() not in (".jsonl", ".ndjson"):
        return None
    from sqlverdict.errors import BenchmarkError
    from sqlverdict.files.text import UTF8_BOM, any_text, decode_any_json

    with cases.open("rb") as stream:
        first = stream.readline().removeprefix(UTF8_BOM)
    where = str(cases)
    record = decode_any_json(any_text(first, where, BenchmarkError), where, BenchmarkError)
    carries = isinstance(record, dict) and ("prediction" in record or "raw" in record)
    return cases if carries else None


def _progress() -> Progress:
    def tell(what: str, done: int, total: int) -> None:
        progress_line(f"{what.replace('_', ' ')}: {done:,} of {total:,}")

    return tell


def _print(diagnosis: Diagnosis, show: int) -> None:
    figures = diagnosis.figures
    click.echo(f"{diagnosis.benchmark}")
    counts = [f"{figures[key]:,} {word}" for key, word in _GOLDS if figures.get(key)]
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
    from sqlverdict.audit.check import CHECKS
    from sqlverdict.report.terminal.console import Screen

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
    said = ", ".join(f"{count:,} {severity}" for severity, count in counts.items())
    if counts["error"]:
        return f"{said}: mend the errors, or know that their cases are left unscored."
    if counts["warning"]:
        return f"{said}: ready to score; the warnings say where a score may mislead."
    return f"{said}: ready to score."


def _exit_code(diagnosis: Diagnosis, strict: bool) -> int:
    counts = diagnosis.counts
    if not diagnosis.cases or (diagnosis.figures["golds"] and not diagnosis.runnable):
        return 3
    return int(bool(counts["error"] or (strict and counts["warning"])))


command = doctor
