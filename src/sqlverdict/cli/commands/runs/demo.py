"""Evaluate the embedded demo: three systems, no network, no LLM."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from secrets import token_hex

import click

from sqlverdict.cli.command import command
from sqlverdict.cli.demo_gates import GATES, gated, show_reliability
from sqlverdict.cli.options.fields import option
from sqlverdict.cli.options.shared import (
    FOLDER,
    REFERENCE,
    command_line,
    json_option,
    print_json,
    quiet_option,
    workers_option,
)
from sqlverdict.cli.run_cases import DEMO_DATABASES
from sqlverdict.cli.show_case import show_case
from sqlverdict.cli.show_run import run_json, show_end, show_runs
from sqlverdict.dialects import DEFAULT_DIALECT
from sqlverdict.errors import OptionName, UsageError
from sqlverdict.evidence import OpenQuestion, Proved
from sqlverdict.execute.engine import (
    DEFAULT_ENGINE,
    ENGINES,
    Engine,
    Limits,
    ServerEngine,
    check_fits,
    engine_of,
)
from sqlverdict.files.references import scheme_of, with_database
from sqlverdict.load.benchmark import BENCHMARKS
from sqlverdict.load.benchmarks.demo import (
    DATA,
    INSTANCES,
    STEPS,
    build_databases,
    predictions_path,
    systems,
)
from sqlverdict.load.databases import DatabaseLocation
from sqlverdict.load.predictions import load_predictions
from sqlverdict.load.translate import database_statements, translated_prediction
from sqlverdict.pipeline import Options, Progress, System, evaluate_systems
from sqlverdict.records import Prediction, Reason, Result, Verdict
from sqlverdict.refute.witness import SearchBudget
from sqlverdict.report.files import HTML, write_reports
from sqlverdict.report.html.page import write_page
from sqlverdict.report.one_run.case import relation_kinds
from sqlverdict.report.one_run.sections import outcome
from sqlverdict.report.terminal.console import Screen
from sqlverdict.report.terminal.progress import LiveProgress
from sqlverdict.run.options import SearchOptions
from sqlverdict.runlog.case_filter import is_lucky
from sqlverdict.runlog.folder import WITNESSES
from sqlverdict.runlog.run import Run
from sqlverdict.score.deciding import VERDICT

_PREFIX = "sqlverdict_demo_"
"""Of the databases that the demo makes on a server."""
_SECONDS = 2.0
"""The same for an engine that counts no steps."""


@dataclass(frozen=True, kw_only=True)
class DemoArgs:
    """The options of ``demo``."""

    out: Path = option(
        "--out",
        type=FOLDER,
        default=Path("sqlverdict-demo"),
        help="The folder of the runs, one folder for each system.",
    )
    engine: str | None = option(
        "--engine",
        help="The engine; databases and queries are translated for it. "
        "[default: that of --server, else sqlite]",
    )
    server: str | None = option(
        "--server",
        type=REFERENCE,
        metavar="URL",
        help="For postgres and mysql: where the demo makes databases of its own, and drops them "
        "at the end.",
    )
    metrics: str = option(
        "--metrics",
        default="verdict,ex,etm",
        help="What to score, such as ex,esm or 'ex[bird]'.",
    )
    workers: int | None = workers_option()
    quiet: bool = quiet_option()
    as_json: bool = json_option()


@command(
    DemoArgs,
    examples=[
        "sqlverdict demo",
        "sqlverdict demo --out /tmp/demo --metrics 'ex,ex[bird],esm'",
        "sqlverdict demo --engine duckdb",
        "sqlverdict demo --server postgresql://postgres@localhost/postgres",
    ],
)
def demo(args: DemoArgs) -> int:
    """Evaluate an embedded benchmark of 90 questions on three small databases.

    Three invented systems answer: one bold, one careful, one rough. Their answers contain every
    kind of error, and hostile SQL, which the sandbox stops. Proofs and witnesses support the
    verdicts. No language model is called; the output shows what one would be asked. At the end two
    detectors turn some of the answers into abstentions.
    """
    with ExitStack() as stack:
        live = not args.quiet and sys.stderr.isatty()
        progress = stack.enter_context(LiveProgress()) if live else None
        runs, gated_runs = _evaluate(args, progress, stack)
    for run in (*runs, *gated_runs):
        write_reports(run, command_line())
    page = write_page(args.out / HTML, runs, command=command_line())
    end = outcome([run.summary for run in runs])
    if args.as_json:
        records = [run_json(run) for run in (*runs, *gated_runs)]
        print_json({"exit_code": end.exit_code, "outcome": end.message, "runs": records})
        return end.exit_code
    screen = Screen()
    show_runs(screen, runs)
    _show_cases(screen, runs)
    by_name = sorted((*runs, *gated_runs), key=lambda run: run.manifest.system)
    show_reliability(screen, by_name, args.out, runs[0].deciding or VERDICT)
    screen.line(f"\nall systems on one page: {page}")
    show_end(screen, runs, end)
    for line in _try_next(runs):
        screen.line(line)
    return end.exit_code


def _try_next(runs: Sequence[Run]) -> tuple[str, ...]:
    """Three commands that lead on from here."""
    folders = " ".join(shlex.quote(str(run.folder)) for run in runs)
    return (
        "",
        "try next:",
        f"  sqlverdict show {shlex.quote(str(runs[0].folder))} --lucky",
        f"  sqlverdict table {folders} --by difficulty",
        "  sqlverdict evaluate --cases answers.csv --databases shop.sqlite    # your own questions",
    )


def _evaluate(
    args: DemoArgs, progress: Progress | None, stack: ExitStack
) -> tuple[Sequence[Run], Sequence[Run]]:
    """The runs of the three systems, and those of two of them with a detector."""
    engine = demo_engine(args.engine, args.server)
    location = demo_location(engine, args.server, args.out / DEMO_DATABASES, stack)
    benchmark = BENCHMARKS.get("demo").read(DATA, databases=location)
    cases = list(benchmark.cases)
    # The queries are ours, and so is the database.
    server = Limits(seconds=_SECONDS, trust_role=True)
    limits = Limits(steps=STEPS) if engine.counts_steps else server
    plain, with_detector = [], []
    for name in systems():
        loaded = load_predictions(predictions_path(name), [case.id for case in cases])
        predictions: Mapping[str, Prediction] = loaded
        if engine.dialect != DEFAULT_DIALECT:
            predictions = {
                key: translated_prediction(each, engine.dialect) for key, each in loaded.items()
            }
        plain.append(System(name, predictions, args.out / name, loaded.sha256))
        detector = GATES.get(name)
        if detector is not None:
            answers = gated(cases, predictions, detector, engine.name, limits)
            folder = args.out / f"{name}-{detector}"
            with_detector.append(System(f"{name} > {detector}", answers, folder))
    options = Options(
        metrics=args.metrics,
        engine=engine.name,
        limits=limits,
        workers=args.workers,
        overwrite=True,
        progress=progress,
        search=SearchOptions(SearchBudget(instances=INSTANCES), folder=Path(WITNESSES)),
    )
    runs = evaluate_systems(benchmark, [*plain, *with_detector], options=options)
    return runs[: len(plain)], runs[len(plain) :]


def _show_cases(screen: Screen, runs: Sequence[Run]) -> None:
    """Six cases with their evidence."""
    for title, matches in _CASES:
        for run in runs:
            case = next((result for result in run.results() if matches(result)), None)
            if case is not None:
                screen.heading(f"{title} ({run.manifest.system})")
                show_case(screen, case, run.folder, run.manifest)
                break


def _is_proved(result: Result) -> bool:
    return any(isinstance(e, Proved) and len(e.rules) > 1 for e in result.evidence)


def _is_open(result: Result) -> bool:
    is_open = any(isinstance(e, OpenQuestion) for e in result.evidence)
    return is_open and result.verdict is Verdict.NEEDS_REVIEW


_CASES: Sequence[tuple[str, Callable[[Result], bool]]] = (
    ("A lucky match: equal here, and refuted by a small database of ordinary data", is_lucky),
    (
        "An unfair mismatch: the answers differ, and the difference is a formality",
        lambda result: result.verdict is Verdict.CORRECT and bool(relation_kinds(result)),
    ),
    ("A proof: other words, the same rows on every legal database", _is_proved),
    ("A question for a judge: the answers differ, and evidence does not settle it", _is_open),
    (
        "A hostile answer: stopped before it touched the database",
        lambda result: Reason.WRITE_BLOCKED in result.reasons,
    ),
    (
        "An abstention where there is no answer: right, and no SQL to compare",
        lambda result: result.verdict is Verdict.ABSTAINED_RIGHT,
    ),
)


def demo_engine(name: str | None, server: str | None) -> Engine:
    """The engine that the demo runs on: the named one, or that of the server.

    Raises:
        UsageError: the two do not fit, or an engine of servers has none.
    """
    engine = ENGINES.get(name or (engine_of(server) if server else DEFAULT_ENGINE))
    if server is not None:
        check_fits(engine.name, server)
        if not isinstance(engine, ServerEngine) or not scheme_of(server):
            raise UsageError(
                f"--server {server} is not the URL of a server; expected one such as "
                "postgresql://USER@HOST/DATABASE"
            )
    elif isinstance(engine, ServerEngine):
        raise UsageError(
            f"the demo on {engine.name} makes databases of its own on a server and drops them at "
            "the end. Name the server: ",
            OptionName("server", f"{engine.schemes[0]}://USER@HOST/DATABASE"),
            ", with a user who may create databases",
        )
    return engine


def demo_location(
    engine: Engine, server: str | None, folder: Path, stack: ExitStack
) -> DatabaseLocation:
    """Where the databases are; on a server they are made now, and dropped with the stack.

    Those of demos that were killed are dropped first.

    Raises:
        DatabaseError: the server does not take them.
    """
    if server is None or not isinstance(engine, ServerEngine):
        return DatabaseLocation.of(str(folder), engine)
    home = build_databases(folder)
    leftovers = engine.drop_leftovers(server, _PREFIX)
    if leftovers:
        names = ", ".join(leftovers)
        click.echo(f"dropped what a demo that was killed had left on the server: {names}", err=True)
    prefix = f"{_PREFIX}{token_hex(4)}_"
    for file in sorted(home.glob("*/*.sqlite")):
        statements = database_statements(file, engine.dialect)
        stack.enter_context(engine.own_database(server, prefix + file.stem, statements))
    return DatabaseLocation(with_database(server, f"{prefix}{{db_id}}"))
