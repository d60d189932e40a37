"""Evaluate the embedded demo: three systems, no network, no LLM, a few seconds."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

import click

from sqlverdict.cli._options import FOLDER, as_json, command_line, examples, print_json

if TYPE_CHECKING:
    from sqlverdict.records import Result
    from sqlverdict.report.run import Run
    from sqlverdict.report.terminal import Screen

_SECONDS = 1.0
"""The limit of one query: the demo holds endless ones on purpose."""

_INSTANCES = 160
"""Databases tried for each match: enough for the demo, and quick."""

_EXAMPLES = examples(
    "sqlverdict demo", "sqlverdict demo --out /tmp/demo --metrics 'ex,ex[bird],em'"
)


@click.command(epilog=_EXAMPLES)
@click.option(
    "--out",
    type=FOLDER,
    default=Path("sqlverdict-demo"),
    show_default=True,
    help="Where the runs go; one folder a system.",
)
@click.option(
    "--metrics",
    default="ex,witness_accuracy",
    show_default=True,
    help="As in ex,em or 'ex[bird]'.",
)
@click.option("--workers", type=click.IntRange(0), help="Processes. [default: one a core]")
@click.option("--quiet", is_flag=True, help="No progress.")
@as_json
def demo(out: Path, metrics: str, workers: int | None, quiet: bool, as_json: bool) -> int:
    """Evaluate an embedded benchmark of 90 questions on three small databases.

    Three made-up systems answer: one bold, one careful, one rough. Their answers hold every
    kind of error, hostile SQL included, which the sandbox stops.
    """
    from sqlverdict.report.files import write_reports
    from sqlverdict.report.progress import LiveProgress
    from sqlverdict.report.sections import outcome

    with ExitStack() as stack:
        live = stack.enter_context(LiveProgress()) if not quiet and sys.stderr.isatty() else None
        runs = _evaluate(out, metrics, workers, live)
    for run in runs:
        write_reports(run, command_line())
    ended = outcome([run.summary for run in runs])
    if as_json:
        from sqlverdict.cli._show_run import run_json

        shown = [run_json(run) for run in runs]
        print_json({"exit_code": ended.exit_code, "outcome": ended.message, "runs": shown})
        return ended.exit_code
    from sqlverdict.cli._show_run import show_end, show_runs
    from sqlverdict.report.terminal import Screen

    screen = Screen()
    show_runs(screen, runs)
    _show_cases(screen, runs)
    show_end(screen, runs, ended)
    return ended.exit_code


def _evaluate(
    out: Path, metrics: str, workers: int | None, progress: object | None
) -> Sequence[Run]:
    from sqlverdict.execute.engine import Limits
    from sqlverdict.load.benchmark import BENCHMARKS
    from sqlverdict.load.demo import DATA, predictions_path, systems
    from sqlverdict.load.predictions import load_predictions
    from sqlverdict.pipeline import Options, System, evaluate_systems
    from sqlverdict.refute.witness import Budget
    from sqlverdict.run.refuter import Refuting

    benchmark = BENCHMARKS.get("demo").read(DATA, databases=out / "databases")
    ids = [case.id for case in benchmark.cases]
    found = []
    for name in systems():
        predictions = load_predictions(predictions_path(name), ids)
        found.append(System(name, predictions, out / name, predictions.sha256))
    options = Options(
        metrics=metrics,
        limits=Limits(seconds=_SECONDS),
        workers=workers,
        overwrite=True,
        progress=progress,  # type: ignore[arg-type]
        refuting=Refuting(Budget(instances=_INSTANCES)) if "witness" in metrics else None,
    )
    return evaluate_systems(benchmark, found, options=options)


def _show_cases(screen: Screen, runs: Sequence[Run]) -> None:
    """Four telling cases with their evidence."""
    from sqlverdict.cli._show_run import show_case
    from sqlverdict.records import Reason, Rung, Verdict
    from sqlverdict.report.case import relation_kinds

    wanted: Sequence[tuple[str, Callable[[Result], bool]]] = (
        (
            "A lucky match: equal here, and refuted by a small legal database",
            lambda r: any(
                e.rung is Rung.REFUTED and e.detail.get("grade") == "ordinary" for e in r.evidence
            ),
        ),
        (
            "A mismatch that may be a formality: the answers differ, and how is known",
            lambda r: "scale" in relation_kinds(r),
        ),
        (
            "A hostile answer: stopped before it touched the database",
            lambda r: Reason.WRITE_BLOCKED in r.reasons,
        ),
        (
            "An abstention where there is no answer: right, and no SQL to compare",
            lambda r: r.verdict is Verdict.ABSTAINED_RIGHT,
        ),
    )
    for title, telling in wanted:
        for run in runs:
            found = next((result for result in run.results() if telling(result)), None)
            if found is not None:
                screen.heading(f"{title} ({run.manifest.system})")
                show_case(screen, found)
                break
