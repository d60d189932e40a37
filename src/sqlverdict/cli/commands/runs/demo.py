"""Evaluate the embedded demo: three systems, no network, no LLM, a few seconds."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from sqlverdict.cli.options.common import FOLDER, as_json, command_line, examples, print_json

if TYPE_CHECKING:
    from sqlverdict.records import Result
    from sqlverdict.report.terminal.console import Screen
    from sqlverdict.runlog.run import Run

_STEPS = 20_000_000
"""The limit of one query: the demo holds endless ones on purpose."""

_INSTANCES = 160
"""Databases tried for each match: enough for the demo, and quick."""

_EXAMPLES = examples(
    "sqlverdict demo", "sqlverdict demo --out /tmp/demo --metrics 'ex,ex[bird],esm'"
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
    default="verdict,ex,etm",
    show_default=True,
    help="As in ex,esm or 'ex[bird]'.",
)
@click.option("--workers", type=click.IntRange(0), help="Processes. [default: one a core]")
@click.option("--quiet", is_flag=True, help="No progress.")
@as_json
def demo(out: Path, metrics: str, workers: int | None, quiet: bool, as_json: bool) -> int:
    """Evaluate an embedded benchmark of 90 questions on three small databases.

    Three made-up systems answer: one bold, one careful, one rough. Their answers hold every
    kind of error, hostile SQL included, which the sandbox stops. Proofs and witnesses stand
    behind the verdicts; no language model is asked, and what one would be asked is shown. At the
    end two detectors hold back some of the answers.
    """
    from sqlverdict.cli.demo_gates import show_reliability
    from sqlverdict.report.one_run.files import write_reports
    from sqlverdict.report.one_run.sections import outcome
    from sqlverdict.report.terminal.progress import LiveProgress

    with ExitStack() as stack:
        live = stack.enter_context(LiveProgress()) if not quiet and sys.stderr.isatty() else None
        runs, behind = _evaluate(out, metrics, workers, live)
    for run in (*runs, *behind):
        write_reports(run, command_line())
    ended = outcome([run.summary for run in runs])
    if as_json:
        from sqlverdict.cli.show_run import run_json

        shown = [run_json(run) for run in (*runs, *behind)]
        print_json({"exit_code": ended.exit_code, "outcome": ended.message, "runs": shown})
        return ended.exit_code
    from sqlverdict.cli.show_run import show_end, show_runs
    from sqlverdict.report.terminal.console import Screen

    screen = Screen()
    show_runs(screen, runs)
    _show_cases(screen, runs)
    show_reliability(screen, sorted((*runs, *behind), key=lambda run: run.manifest.system), out)
    show_end(screen, runs, ended)
    return ended.exit_code


def _evaluate(
    out: Path, metrics: str, workers: int | None, progress: object | None
) -> tuple[Sequence[Run], Sequence[Run]]:
    """The runs of the three systems, and those of two of them behind a detector."""
    from sqlverdict.cli.demo_gates import GATES, gated
    from sqlverdict.execute.engine import Limits
    from sqlverdict.load.benchmark import BENCHMARKS
    from sqlverdict.load.benchmarks.demo import DATA, predictions_path, systems
    from sqlverdict.load.predictions import load_predictions
    from sqlverdict.pipeline import Options, System, evaluate_systems
    from sqlverdict.refute.witness import SearchBudget
    from sqlverdict.run.options import SearchOptions
    from sqlverdict.runlog.folder import WITNESSES

    benchmark = BENCHMARKS.get("demo").read(DATA, databases=out / "databases")
    cases = list(benchmark.cases)
    found = []
    for name in systems():
        predictions = load_predictions(predictions_path(name), [case.id for case in cases])
        found.append(System(name, predictions, out / name, predictions.sha256))
    limits = Limits(steps=_STEPS)
    options = Options(
        metrics=metrics,
        limits=limits,
        workers=workers,
        overwrite=True,
        progress=progress,  # type: ignore[arg-type]
        search=SearchOptions(SearchBudget(instances=_INSTANCES), folder=Path(WITNESSES)),
    )
    runs = evaluate_systems(benchmark, found, options=options)
    behind = [
        System(f"{system.name} > {gate}", said, out / f"{system.name}-{gate}")
        for system in found
        if (gate := GATES.get(system.name)) is not None
        for said in [gated(cases, system.predictions, gate, limits)]  # type: ignore[arg-type]
    ]
    plain = replace(options, metrics="ex", search=None, progress=None)
    return runs, evaluate_systems(benchmark, behind, options=plain)


def _show_cases(screen: Screen, runs: Sequence[Run]) -> None:
    """Six telling cases with their evidence."""
    from sqlverdict.cli.show_run import show_case
    from sqlverdict.records import Reason, Rung, Verdict
    from sqlverdict.report.one_run.case import relation_kinds

    wanted: Sequence[tuple[str, Callable[[Result], bool]]] = (
        (
            "A lucky match: equal here, and refuted by a small legal database",
            lambda r: any(
                e.rung is Rung.REFUTED and e.detail.get("grade") == "ordinary" for e in r.evidence
            ),
        ),
        (
            "An unfair mismatch: the answers differ, and the difference is a formality",
            lambda r: r.verdict is Verdict.CORRECT and bool(relation_kinds(r)),
        ),
        (
            "A proof: other words, the same rows on every legal database",
            lambda r: any(
                e.rung is Rung.PROVED and len(e.detail.get("rules", ())) > 1 for e in r.evidence
            ),
        ),
        (
            "A question for a judge: the answers differ, and evidence does not settle it",
            lambda r: any(
                "would_ask" in e.detail and e.detail.get("situation") == "difference"
                for e in r.evidence
            ),
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
                show_case(screen, found, run.folder, run.deciding)
                break
