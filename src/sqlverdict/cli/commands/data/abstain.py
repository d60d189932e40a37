"""Run, fit and apply abstention methods: generators, detectors and their compositions."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from sqlverdict.abstain.apply import detector_machine, drafts_for
from sqlverdict.abstain.generators.recorded import RecordedGenerator
from sqlverdict.abstain.predictions import read_drafts
from sqlverdict.abstain.workflow import FittedComposition
from sqlverdict.account import SPENDING, read_spending
from sqlverdict.cli.command import Heading, argument, command, examples_text, group, option
from sqlverdict.cli.options.abstain import (
    AnswerArgs,
    ToolArgs,
    TrainingArgs,
    answer,
    fit,
    open_tools,
    read_schemas,
    threshold_lines,
)
from sqlverdict.cli.options.data import read_benchmark
from sqlverdict.cli.options.shared import (
    FILE,
    FOLDER,
    databases_option,
    json_option,
    print_json,
    schema_option,
)
from sqlverdict.errors import UsageError
from sqlverdict.files.digests import sha256_file
from sqlverdict.files.lock import writing_folder
from sqlverdict.load.databases import DatabaseLocation
from sqlverdict.report.one_run.judge_section import spending_sentences

_EXAMPLES = (
    "sqlverdict explain methods",
    "sqlverdict abstain run 'clsprompt > sqlprompt > selfref' --benchmark spider \\",
    "    --root spider --train spider:train=spider --train triagesql=triage.jsonl \\",
    "    --model NAME --out p.jsonl",
    "sqlverdict abstain fit 't5[maxprob]' --train train.jsonl --validation valid.jsonl \\",
    "    --databases DIR --out fitted",
    "sqlverdict abstain run --fitted fitted --cases test.jsonl --databases DIR --out p.jsonl",
    "sqlverdict abstain apply 'voting(equality=proof)' --predictions p.jsonl \\",
    "    --cases c.jsonl --databases DIR --out q.jsonl",
    "sqlverdict evaluate --cases c.jsonl --predictions q.jsonl --out runs/q",
)


@click.group(epilog=examples_text(_EXAMPLES))
def abstain() -> None:
    """Systems that know when not to answer, written as one line.

    A line is a generator with detectors before it, after it (>) and inside it ([...]):
    clsprompt > sqlprompt > selfref, t5[maxprob], recorded(path=p.jsonl)[voting].
    sqlverdict explain methods lists them.
    """


@dataclass(frozen=True, kw_only=True)
class FitArgs:
    """The options of ``abstain fit``."""

    line: str = argument()
    databases: str | None = databases_option()
    schema: Path | None = schema_option()
    training: TrainingArgs = group(TrainingArgs)
    tools: ToolArgs = group(ToolArgs)
    out: Path = option(
        "--out", type=FOLDER, required=True, help="The folder of the fitted composition."
    )
    as_json: bool = json_option()


@command(FitArgs, name="fit", parent=abstain)
def fit_line(args: FitArgs) -> None:
    """Fit the methods of LINE, choose their thresholds, and save the result in a folder."""
    composition = FittedComposition(args.line)
    # Held from here: to fit may take hours, and a folder that cannot be written shows at once.
    with writing_folder(args.out):
        with open_tools(args.tools, composition, args.out / SPENDING) as tools:
            fit(
                composition,
                args.training,
                tools,
                DatabaseLocation(args.databases),
                read_schemas(args.schema),
            )
        composition.save(args.out)
    if args.as_json:
        spending = read_spending(args.out / SPENDING)
        print_json({**composition.about(), "spending": spending, "out": args.out})
        return
    click.echo(f"{composition.composition}: fitted, saved in {args.out}")
    for text in spending_sentences(read_spending(args.out / SPENDING)):
        click.echo(text)
    for text in threshold_lines(composition):
        click.echo(text)


def _fitted_option(instead: str) -> Any:
    return option(
        "--fitted",
        type=FOLDER,
        heading=Heading.TRAINING,
        help=f"A folder that `abstain fit` wrote, instead of {instead}.",
    )


@dataclass(frozen=True, kw_only=True)
class RunArgs(AnswerArgs):
    """The options of ``abstain run``."""

    line: str | None = argument(required=False)
    fitted: Path | None = _fitted_option("LINE")


@command(RunArgs, parent=abstain)
def run(args: RunArgs) -> int:
    """Answer a benchmark's questions with LINE and write predictions that `evaluate` reads.

    Run the same command again to continue after an interruption. A case for which the model gave
    no reply is not written, and the exit code is 4.
    """
    if args.line is not None and args.fitted is None:
        return answer(FittedComposition(args.line), args, learn=True)
    if args.fitted is not None and args.line is None:
        return answer(FittedComposition.load(args.fitted), args, learn=False)
    raise UsageError("give either LINE, such as 't5[maxprob]', or --fitted FOLDER")


@dataclass(frozen=True, kw_only=True)
class ApplyArgs(AnswerArgs):
    """The options of ``abstain apply``."""

    detector: str | None = argument(required=False)
    predictions: Path = option(
        "--predictions",
        type=FILE,
        required=True,
        heading=Heading.DATA,
        help="The prediction file of the system.",
    )
    known: tuple[Path, ...] = option(
        "--known-predictions",
        type=FILE,
        multiple=True,
        heading=Heading.TRAINING,
        help="The system's answers to the training questions. Repeatable.",
    )
    fitted: Path | None = _fitted_option("DETECTOR")


@command(ApplyArgs, parent=abstain)
def apply(args: ApplyArgs) -> int:
    """Let a DETECTOR turn some answers of a prediction file into abstentions.

    DETECTOR is a method with its options, such as 'maxent(threshold=-0.3)' or voting, or a line
    whose generator is recorded.
    """
    if args.detector is not None and args.fitted is None:
        composition = detector_machine(args.detector)
    elif args.fitted is not None and args.detector is None:
        composition = FittedComposition.load(args.fitted)
    else:
        raise UsageError("give either DETECTOR, such as voting, or --fitted FOLDER")
    recorded = RecordedGenerator()
    recorded.drafts = {
        case_id: draft for file in args.known for case_id, draft in read_drafts(file).items()
    }
    columns = args.data.prediction_map
    drafts = drafts_for(read_benchmark(args.data).cases, args.predictions, columns)
    composition.generator = recorded

    def use_predictions() -> None:
        recorded.drafts = drafts

    return answer(
        composition,
        args,
        learn=args.detector is not None,
        inputs={"predictions": sha256_file(args.predictions)},
        after_fit=use_predictions,
    )
