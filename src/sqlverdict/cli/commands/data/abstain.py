"""Run and fit abstention methods: generators, detectors and their compositions."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import click

from sqlverdict.abstain.apply import detector_composition, drafts_for
from sqlverdict.abstain.generators.recorded import RecordedGenerator
from sqlverdict.abstain.predictions import read_drafts
from sqlverdict.abstain.workflow import FittedComposition
from sqlverdict.account import SPENDING, read_spending
from sqlverdict.cli.command import command, examples_text
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
from sqlverdict.cli.options.fields import argument, group, option
from sqlverdict.cli.options.shared import (
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
    "sqlverdict abstain run 'voting(equality=proof)' --predictions p.jsonl \\",
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


@command(AnswerArgs, parent=abstain)
def run(args: AnswerArgs) -> int:
    """Answer a benchmark's questions with LINE and write predictions that `evaluate` reads.

    Run the same command again to continue after an interruption. A case for which the model gave
    no reply is not written, and the exit code is 4.

    With --predictions, the answers are those of a prediction file. LINE is then a detector with its
    options, such as 'maxent(threshold=-0.3)' or voting, or a line whose generator is recorded.
    """
    if (args.line is None) == (args.fitted is None):
        raise UsageError("give either LINE, such as 't5[maxprob]', or --fitted FOLDER")
    if args.predictions is not None:
        return _apply(args, args.predictions)
    if args.known:
        raise UsageError("--known-predictions goes with --predictions FILE")
    composition = _composition(args, FittedComposition)
    return answer(composition, args, learn=args.fitted is None)


def _composition(
    args: AnswerArgs, read_line: Callable[[str], FittedComposition]
) -> FittedComposition:
    if args.fitted is not None:
        return FittedComposition.load(args.fitted)
    assert args.line is not None, "one of them is there"
    return read_line(args.line)


def _apply(args: AnswerArgs, predictions: Path) -> int:
    """Let a detector turn some answers of a prediction file into abstentions."""
    composition = _composition(args, detector_composition)
    recorded = RecordedGenerator()
    recorded.drafts = {
        case_id: draft for file in args.known for case_id, draft in read_drafts(file).items()
    }
    drafts = drafts_for(read_benchmark(args.data).cases, predictions, args.data.prediction_map)
    composition.generator = recorded

    def use_predictions() -> None:
        recorded.drafts = drafts

    return answer(
        composition,
        args,
        learn=args.fitted is None,
        inputs={"predictions": sha256_file(predictions)},
        after_fit=use_predictions,
    )
