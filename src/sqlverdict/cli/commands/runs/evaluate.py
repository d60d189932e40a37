"""Evaluate predictions against a benchmark: scores, verdicts, evidence, reports."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from sqlverdict.cli.options.common import (
    ANY_PATH,
    FILE,
    FOLDER,
    as_json,
    command_line,
    examples,
    null_keys,
    print_json,
)
from sqlverdict.cli.options.judge import judge_options

if TYPE_CHECKING:
    from sqlverdict.cli.options.inputs import DataInputs
    from sqlverdict.load.benchmark import Benchmark
    from sqlverdict.pipeline import Options
    from sqlverdict.report.one_run.sections import Outcome
    from sqlverdict.runlog.run import Run

_EXAMPLES = examples(
    "sqlverdict evaluate --benchmark spider --root spider --predictions mine.txt",
    "sqlverdict evaluate --benchmark bird --root bird --predictions preds.json \\",
    "    --metrics 'ex[bird],ex' --out runs/mine",
    "sqlverdict evaluate --gold dev_gold.sql --databases database --predictions mine.txt",
    "sqlverdict evaluate --cases cases.jsonl            # predictions inside, any size",
    "sqlverdict evaluate --benchmark csv --root q.csv --column sql=gold --predictions p.csv",
    "sqlverdict evaluate --benchmark trustsql --root test.jsonl --databases DIR --system demo",
    "sqlverdict evaluate ... --refute 400               # is a match luck? show the data",
    "sqlverdict evaluate ... --metrics ex,verdict --no-llm   # proofs, witnesses, relations",
    "sqlverdict evaluate ... --metrics ex,verdict --model gpt-4o --max-cost 5",
    "sqlverdict evaluate ... --judge flex --model NAME --base-url http://127.0.0.1:8080/v1",
    "sqlverdict evaluate --benchmark flex --root agreement.jsonl --schema ddl.json \\",
    "    --judge replay --metrics ex,flex,verdict",
    "sqlverdict evaluate ... --predictions a=a.txt --predictions b=b.txt --out runs",
)


@click.command(epilog=_EXAMPLES)
@click.option("--benchmark", metavar="NAME", help="A format: spider, bird, jsonl, csv, demo ...")
@click.option("--root", type=ANY_PATH, help="The benchmark's folder, or its file.")
@click.option("--split", default="dev", show_default=True, help="Which part of the benchmark.")
@click.option("--gold", type=FILE, help="A gold file, SQL<TAB>db_id a line.")
@click.option("--cases", type=FILE, help="Cases as JSONL, with predictions unless given apart.")
@click.option("--databases", type=ANY_PATH, help="Where the databases lie, in any usual layout.")
@click.option(
    "--predictions", multiple=True, metavar="[NAME=]FILE", help="Repeat for several systems."
)
@click.option(
    "--system", multiple=True, metavar="NAME", help="A system that the benchmark's file records."
)
@click.option("--recorded-only", is_flag=True, help="With --system: only cases it has a record of.")
@click.option("--prediction-format", metavar="FORMAT", help="Where it is not to be detected.")
@click.option("--allow-missing", is_flag=True, help="Missing predictions count as no SQL.")
@click.option(
    "--no-sql",
    default="wrong",
    show_default=True,
    type=click.Choice(["wrong", "abstain"]),
    help="What a reply of text without SQL is.",
)
@click.option(
    "--answers",
    default="run",
    show_default=True,
    type=click.Choice(["run", "recorded"]),
    help="What counts where both a database and a record are at hand.",
)
@click.option(
    "--column", "columns", multiple=True, metavar="NAME=FIELD", help="Read a column as our field."
)
@click.option("--schema", type=ANY_PATH, help="tables.json, CREATE statements, .sql or a folder.")
@click.option("--metrics", default="ex", show_default=True, help="As in ex,esm or 'ex[bird]'.")
@click.option("--name", help="The system's name in reports; by default its file's.")
@click.option("--out", type=FOLDER, help="Where the run goes. [default: runs/<system>]")
@click.option("--overwrite", is_flag=True, help="Start anew where --out holds a run.")
@click.option("--limit", type=click.IntRange(1), help="Only the first N cases.")
@click.option("--only", metavar="ID,ID", help="Only these cases.")
@click.option("--workers", type=click.IntRange(0), help="Processes. [default: one a core]")
@click.option("--engine", default="sqlite", show_default=True, help="What runs the queries.")
@click.option("--timeout", type=click.FloatRange(0, min_open=True), help="Seconds for one query.")
@click.option("--max-rows", type=click.IntRange(1), help="Rows that one query may return.")
@click.option("--max-steps", type=click.IntRange(1), help="Engine steps that one query may take.")
@click.option("--cache", type=FILE, help="The file of cached answers.")
@click.option("--no-cache", is_flag=True, help="Run every query anew.")
@click.option(
    "--refute",
    type=click.IntRange(1),
    metavar="N",
    help="Where answers match, search N databases for one on which they differ.",
)
@click.option("--bank", type=FILE, help="With --refute: keep witnesses here and try them first.")
@click.option(
    "--prove", is_flag=True, help="Seek proofs; with --refute, search against proved pairs too."
)
@null_keys
@judge_options
@click.option("--quiet", is_flag=True, help="No progress, and only the headline.")
@as_json
def evaluate(**said: Any) -> int:
    """Evaluate one or several systems' predictions.

    Say what to evaluate in one of three ways: --benchmark with --root, --gold with --databases,
    or --cases. A run is resumed where it stopped if the same command is given again.

    Cases that cannot be evaluated (a missing database, a gold query that fails) are left out of
    the scores, counted apart, and make the exit code 4; if there is nothing else, 3. A pair that
    is both proved and refuted is a bug of ours: it is saved and stops the run with exit code 5;
    the same command goes on behind it.

    The metric verdict weighs proofs, witnesses and relations. With --model (and --judge) a
    language model is asked what they leave open; its replies are cached, so that nothing is paid
    for twice. With --no-llm nobody is asked, and the report lists what would have been.
    """
    from sqlverdict.cli.options.inputs import DataInputs, column_options
    from sqlverdict.cli.options.run import run_options
    from sqlverdict.report.one_run.files import write_reports
    from sqlverdict.report.one_run.sections import outcome
    from sqlverdict.report.terminal.progress import LiveProgress

    names = ("benchmark", "root", "split", "gold", "cases", "databases", "schema", "limit")
    only = tuple(part.strip() for part in (said["only"] or "").split(",") if part.strip())
    given = DataInputs(
        **{name: said[name] for name in names}, columns=column_options(said["columns"]), only=only
    )
    with ExitStack() as stack:
        progress = None if said["quiet"] else stack.enter_context(LiveProgress())
        runs = _run(given, said, run_options(said, progress))
    if said["dry_run"]:
        return 0
    for run in runs:
        write_reports(run, command_line())
    ended = outcome([run.summary for run in runs])
    if said["as_json"]:
        _print_json(runs, ended)
    else:
        _print(runs, ended, quiet=said["quiet"])
    return ended.exit_code


def _run(given: DataInputs, said: dict[str, Any], options: Options) -> Sequence[Run]:
    from sqlverdict.cli.options.inputs import read_benchmark
    from sqlverdict.cli.options.judge import hearing, submit_batch
    from sqlverdict.errors import Interrupted

    benchmark = read_benchmark(given)
    if said["dry_run"]:
        return _estimate(benchmark, given, said, options)
    with hearing(said, benchmark) as heard:
        try:
            return _evaluate(benchmark, given, said, replace(options, judging=heard.judging))
        except Interrupted:
            if said["batch"]:
                submit_batch(heard, said)
            raise


def _estimate(
    benchmark: Benchmark, given: DataInputs, said: dict[str, Any], options: Options
) -> Sequence[Run]:
    """Do everything but ask, in a folder that goes away, and say what asking would take."""
    from tempfile import TemporaryDirectory

    from sqlverdict.cli.options.judge import hearing, show_estimate
    from sqlverdict.cli.options.run import run_options
    from sqlverdict.errors import Contradiction

    with TemporaryDirectory() as folder, hearing(said, benchmark) as heard:
        elsewhere = {**said, "out": Path(folder), "overwrite": False}
        # A contradiction is a bug of ours: its files are kept where a run would keep them.
        gathering = replace(
            run_options(elsewhere, options.progress),
            judging=heard.judging,
            proving=options.proving,
        )
        contradicted = _gather(lambda: _evaluate(benchmark, given, elsewhere, gathering))
        show_estimate(heard, said)
    if contradicted:
        kept = options.proving.folder if options.proving is not None else None
        raise Contradiction(
            f"pairs are both proved and refuted, a bug of sqlverdict; the reproductions are saved "
            f"in {kept}. Please report them. The estimate leaves these cases out"
        )
    return []


def _gather(work: Callable[[], object]) -> bool:
    """Go through all cases of a dry run; whether any of them contradicts itself."""
    from sqlverdict.errors import Contradiction, Interrupted

    met: set[str] = set()
    while True:
        try:
            work()
        except Interrupted:
            # Nobody answers in a dry run, so that it never ends as a whole run does.
            return bool(met)
        except Contradiction as error:
            # The run goes on behind it, as the same command would. One that stops in the same
            # place again would never end.
            if str(error) in met:
                return True
            met.add(str(error))
        else:
            return bool(met)


def _evaluate(
    benchmark: Benchmark, given: DataInputs, said: dict[str, Any], options: Options
) -> Sequence[Run]:
    from sqlverdict.cli.options.inputs import read_systems, run_folder, select
    from sqlverdict.errors import UsageError
    from sqlverdict.pipeline import System, evaluate_systems

    if said["system"]:
        return _run_recorded(benchmark, given, said, options)
    if not said["predictions"] and benchmark.predictions is not None:
        name = said["name"] or (given.root.stem if given.root is not None else benchmark.name)
        folder = run_folder(name, said["out"], 1)
        system = System(name, benchmark.predictions, folder)
        return evaluate_systems(select(benchmark, given), [system], options=options)
    if not said["predictions"]:
        if given.cases is None or benchmark.name != "jsonl":
            raise UsageError("no predictions: give --predictions FILE (repeat it for more systems)")
        return [_run_inline(given.cases, benchmark, given, said, options)]
    systems = read_systems(
        said["predictions"],
        benchmark,
        out=said["out"],
        name=said["name"],
        format=said["prediction_format"],
        allow_missing=said["allow_missing"],
    )
    return evaluate_systems(select(benchmark, given), systems, options=options)


def _run_recorded(
    benchmark: Benchmark, given: DataInputs, said: dict[str, Any], options: Options
) -> Sequence[Run]:
    """Systems whose answers the benchmark's own file holds."""
    from sqlverdict.cli.options.inputs import select
    from sqlverdict.cli.options.recorded import read_recorded
    from sqlverdict.errors import UsageError
    from sqlverdict.pipeline import evaluate_systems

    if said["predictions"]:
        raise UsageError("--system and --predictions exclude each other")
    names = ("out", "name", "allow_missing", "recorded_only")
    chosen = {name: said[name] for name in names}
    benchmark, systems = read_recorded(given, said["system"], benchmark, **chosen)
    return evaluate_systems(select(benchmark, given), systems, options=options)


def _run_inline(
    path: Path, benchmark: Benchmark, given: DataInputs, said: dict[str, Any], options: Options
) -> Run:
    """Cases that carry their predictions: a stream, never held in memory."""
    from sqlverdict.cli.options.inputs import extra_inputs, run_folder, select_pairs
    from sqlverdict.load.benchmarks.jsonl import iterate_pairs
    from sqlverdict.pipeline import evaluate_pairs

    name = said["name"] or path.stem
    pairs = iterate_pairs(path, given.columns, databases=given.databases)
    return evaluate_pairs(
        select_pairs(pairs, given),
        name=name,
        benchmark=path.name,
        out=run_folder(name, said["out"], 1),
        digest=benchmark.sources[0].sha256,
        count=benchmark.count if not given.selection else None,
        inputs=extra_inputs(given),
        notes=benchmark.notes,
        options=options,
    )


def _print(runs: Sequence[Run], ended: Outcome, *, quiet: bool) -> None:
    from sqlverdict.cli.show_run import show_end, show_run, show_runs
    from sqlverdict.report.one_run.sections import headline
    from sqlverdict.report.terminal.console import Screen

    screen = Screen()
    if quiet:
        for run in runs:
            for note in run.resumed:
                click.echo(f"note: {note}", err=True)
            screen.line(headline(run))
        if ended.exit_code:
            click.echo(f"{ended.message} (exit code {ended.exit_code})", err=True)
        return
    if len(runs) == 1:
        show_run(screen, runs[0])
    else:
        show_runs(screen, runs)
    show_end(screen, runs, ended)


def _print_json(runs: Sequence[Run], ended: Outcome) -> None:
    from sqlverdict.cli.show_run import run_json

    shown = [run_json(run) for run in runs]
    print_json({"exit_code": ended.exit_code, "outcome": ended.message, "runs": shown})
