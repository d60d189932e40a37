"""Say what each part of a judge's context is worth, by its agreement with human labels."""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import click

from sqlverdict.cli.options.common import ANY_PATH, FILE, FOLDER, as_json, examples, print_json
from sqlverdict.cli.options.judge import judge_options

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlverdict.cli.options.inputs import DataInputs
    from sqlverdict.cli.options.judge import JudgeSession
    from sqlverdict.load.benchmark import Benchmark
    from sqlverdict.pipeline import Options, System
    from sqlverdict.runlog.run import Run

_EXAMPLES = examples(
    "sqlverdict ablate --benchmark flex --root agreement.jsonl --schema ddl.json \\",
    "    --labels agreement.jsonl --model gpt-4o --out ablation",
    "sqlverdict ablate --benchmark bird --root bird --predictions mine.txt --labels people.csv \\",
    "    --model NAME --base-url http://127.0.0.1:8080/v1 --context no_gold",
    "sqlverdict ablate ... --dry-run                    # calls, tokens and cost of all contexts",
)


@click.command(epilog=_EXAMPLES)
@click.option("--benchmark", metavar="NAME", help="A format: flex, bird, spider, jsonl ...")
@click.option("--root", type=ANY_PATH, help="The benchmark's folder, or its file.")
@click.option("--split", default="dev", show_default=True, help="Which part of the benchmark.")
@click.option("--cases", type=FILE, help="Cases as JSONL or CSV, instead of a benchmark.")
@click.option("--databases", type=ANY_PATH, help="Where the databases lie.")
@click.option("--schema", type=ANY_PATH, help="tables.json, CREATE statements, .sql or a folder.")
@click.option("--predictions", metavar="FILE", help="One system's; not where the file has them.")
@click.option("--limit", type=click.IntRange(1), help="Only the first N cases.")
@click.option("--labels", type=FILE, required=True, help="People's labels, JSONL, JSON or CSV.")
@click.option("--label-field", help="The label's field. [default: human, label or correct]")
@click.option("--id-field", help="The id's field, or a pattern such as '{set}-{i}'.")
@click.option(
    "--half",
    type=click.Choice(["drop", "0", "1"]),
    default="drop",
    show_default=True,
    help="What a label of 0.5 becomes.",
)
@click.option("--context", "contexts", multiple=True, help="Repeatable. [default: all seven]")
@click.option("--out", type=FOLDER, default=Path("ablation"), show_default=True, help="The runs.")
@click.option("--workers", type=click.IntRange(0), help="Processes. [default: one a core]")
@click.option("--published", is_flag=True, help="Show FLEX's published kappas beside ours.")
@judge_options
@as_json
def ablate(**said: Any) -> None:
    """Run the FLEX judge in several contexts and hold each against human labels.

    The contexts are those of FLEX's tables 4 and 5: full (results only where they differ),
    no_results, results_in_both, no_question, no_knowledge, no_criteria, no_gold. Each is a run
    below --out with the metrics ex and flex; only cases with a label are asked about. A run that
    was stopped goes on where it was, and cached replies are not paid for again.
    """
    from sqlverdict.cli.options.inputs import DataInputs, read_benchmark, select
    from sqlverdict.cli.options.judge import check, hearing
    from sqlverdict.errors import UsageError
    from sqlverdict.files.text import count
    from sqlverdict.load.labels import read_labels
    from sqlverdict.report.agreement.ablation import ablation, ablation_table, choose_contexts
    from sqlverdict.report.terminal.console import Screen

    if said["judge"] not in (None, "flex") or said["model"] is None:
        raise UsageError(
            f"--judge {said['judge']}: found another judge than flex. Leave out --judge, and name "
            "the model with --model: recorded replies know one context only"
            if said["judge"] not in (None, "flex")
            else "no --model: name the model that is to be asked"
        )
    said["judge"] = "flex"
    check(said)
    names = choose_contexts(said["contexts"])
    labels = read_labels(
        said["labels"],
        label_field=said["label_field"],
        id_field=said["id_field"],
        half=said["half"],
    )
    given = DataInputs(**{n: said[n] for n in ("benchmark", "root", "split", "cases", "databases")})
    given = replace(given, schema=said["schema"], limit=said["limit"])
    whole = read_benchmark(given)
    people = {item.id for item in labels.items if item.value is not None}
    asked = tuple(case.id for case in select(whole, given).cases if case.id in people)
    if not asked:
        raise UsageError(
            f"no case of the benchmark has a settled label in {said['labels']}; name the field of "
            "the id with --id-field"
        )
    given = replace(given, only=asked, limit=None)
    with hearing(said, whole) as heard:
        runs = _runs(names, whole, given, heard, said)
    if runs is None:
        return
    found = ablation(runs, labels)
    if said["as_json"]:
        print_json(found)
        return
    screen = Screen()
    size = f"{count(len(found), 'context')} on {count(len(asked), 'case')}"
    screen.line(f"{said['model']} in {size}", "heading")
    screen.table(ablation_table(found, published=said["published"]))


def _runs(
    names: Sequence[str],
    benchmark: Benchmark,
    given: DataInputs,
    heard: JudgeSession,
    said: dict[str, Any],
) -> dict[str, Run] | None:
    """A run a context; ``None`` where nobody answers now: a dry run, or a batch."""
    from sqlverdict.cli.options.inputs import select
    from sqlverdict.cli.options.judge import show_estimate, submit_batch
    from sqlverdict.errors import Interrupted
    from sqlverdict.pipeline import evaluate_systems
    from sqlverdict.report.agreement.ablation import CONTEXTS

    assert heard.judging is not None, "a model was named"
    runs: dict[str, Run] = {}
    later = said["dry_run"] or said["batch"]
    with ExitStack() as stack:
        out = said["out"]
        if said["dry_run"]:
            out = Path(stack.enter_context(TemporaryDirectory()))
        for name in names:
            settings = replace(heard.judging.settings, **CONTEXTS[name])
            options = replace(_options(said), judging=replace(heard.judging, settings=settings))
            system = _system(benchmark, out / name, said)
            try:
                chosen = select(benchmark, given)
                (runs[name],) = evaluate_systems(chosen, [system], options=options)
            except Interrupted:
                # What is not answered now still tells what the next context has to ask.
                if not later:
                    raise
    if said["dry_run"]:
        show_estimate(heard, said)
        return None
    if said["batch"] and len(runs) < len(names):
        submit_batch(heard, said)
        click.echo("the same command goes on once the batch is collected", err=True)
        return None
    return runs


def _options(said: dict[str, Any]) -> Options:
    from sqlverdict.parse.schemas.load import load_schemas
    from sqlverdict.pipeline import Options

    schemas = load_schemas(said["schema"]) if said["schema"] is not None else {}
    return Options(metrics="ex,flex", workers=said["workers"], schemas=schemas)


def _system(benchmark: Benchmark, out: Path, said: dict[str, Any]) -> System:
    from sqlverdict.cli.options.inputs import read_systems
    from sqlverdict.errors import UsageError
    from sqlverdict.pipeline import System

    if said["predictions"] is not None:
        (system,) = read_systems(
            [said["predictions"]], benchmark, out=out, name=None, format=None, allow_missing=False
        )
        return system
    if benchmark.predictions is None:
        raise UsageError("no predictions: give --predictions FILE")
    return System("flex", benchmark.predictions, out)
