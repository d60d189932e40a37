"""The options of ``abstain``, and what they build: training data, a language model, tools."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import ClassVar

import click

from sqlverdict.abstain.database_index import DatabaseIndex
from sqlverdict.abstain.method import Tools, TrainingData, TrainingExample
from sqlverdict.abstain.session import SessionCounts, answer_cases, manifest_path
from sqlverdict.abstain.workflow import FittedComposition
from sqlverdict.account import SPENDING, read_spending
from sqlverdict.cli.options.data import CaseArgs, read_benchmark, select
from sqlverdict.cli.options.fields import Heading, argument, group, option, setting
from sqlverdict.cli.options.llm import LlmArgs, open_llm
from sqlverdict.cli.options.shared import (
    FILE,
    FOLDER,
    OPEN_UNIT,
    json_option,
    print_json,
    quiet_option,
    seed_setting,
    trust_role_setting,
)
from sqlverdict.errors import Interrupted, UsageError
from sqlverdict.execute.engine import DEFAULT_ENGINE, Limits
from sqlverdict.execute.query_runner import QueryRunner
from sqlverdict.files.text import count
from sqlverdict.llm.request import Answerer
from sqlverdict.load.benchmark import BENCHMARKS, Benchmark
from sqlverdict.load.databases import Location
from sqlverdict.parse.schema import Schema
from sqlverdict.parse.schemas.load import load_schemas
from sqlverdict.report.one_run.judge_section import spending_sentences

_SPEC = "[FORMAT[:SPLIT]=]PATH"


@dataclass(frozen=True, kw_only=True)
class TrainingArgs:
    """What methods learn from, and how their thresholds are chosen."""

    HEADING: ClassVar[Heading] = Heading.TRAINING

    train: tuple[str, ...] = option(
        "--train", multiple=True, metavar=_SPEC, help="Questions to learn from. Repeatable."
    )
    validation: tuple[str, ...] = option(
        "--validation",
        multiple=True,
        metavar=_SPEC,
        help="Questions to choose thresholds with. Repeatable.",
    )
    background: tuple[str, ...] = option(
        "--background",
        multiple=True,
        metavar=_SPEC,
        help="Questions of no domain, such as triagesql=FILE. Repeatable.",
    )
    preset: str = setting(
        "preset", default="strict", help="The comparison that marks an answer right."
    )
    risk: float | None = option(
        "--risk",
        type=OPEN_UNIT,
        metavar="P",
        help="Certify this error rate, instead of the heuristic threshold.",
    )
    delta: float = setting(
        "delta",
        type=OPEN_UNIT,
        default=0.1,
        metavar="P",
        help="The chance that the certificate is wrong.",
    )


@dataclass(frozen=True, kw_only=True)
class ToolArgs:
    """What methods use: a language model, an engine, a device."""

    HEADING: ClassVar[Heading] = Heading.LIMITS

    llm: LlmArgs = group(LlmArgs)
    max_tokens: int = setting(
        "max-tokens",
        type=click.IntRange(1),
        default=512,
        heading=Heading.MODEL,
        help="The most tokens in one reply.",
    )
    device: str = setting("device", default="auto", help="For t5: auto, cpu or cuda.")
    seed: int = seed_setting()
    trust_role: bool = trust_role_setting()
    quiet: bool = quiet_option("Print only the result.")


@dataclass(frozen=True, kw_only=True)
class AnswerArgs:
    """The options of ``abstain run``."""

    line: str | None = argument(required=False)
    data: CaseArgs = group(CaseArgs)
    predictions: Path | None = option(
        "--predictions",
        type=FILE,
        heading=Heading.DATA,
        help="A system's prediction file: LINE is a detector, which turns some of its answers into "
        "abstentions.",
    )
    known: tuple[Path, ...] = option(
        "--known-predictions",
        type=FILE,
        multiple=True,
        heading=Heading.TRAINING,
        help="With --predictions: the system's answers to the training questions. Repeatable.",
    )
    fitted: Path | None = option(
        "--fitted",
        type=FOLDER,
        heading=Heading.TRAINING,
        help="A folder that `abstain fit` wrote, instead of LINE.",
    )
    training: TrainingArgs = group(TrainingArgs)
    tools: ToolArgs = group(ToolArgs)
    out: Path = option("--out", type=FILE, required=True, help="The JSONL file of predictions.")
    overwrite: bool = option("--overwrite", is_flag=True, help="Overwrite an existing --out.")
    as_json: bool = json_option()


def read_schemas(path: Path | None) -> dict[str, Schema]:
    """The schemas of ``--schema``, by database."""
    return load_schemas(path) if path is not None else {}


def fit(
    composition: FittedComposition,
    args: TrainingArgs,
    tools: Tools,
    databases: Location,
    schemas: Mapping[str, Schema],
) -> None:
    """Fit a composition to the files that the options name.

    Raises:
        UsageError: a file's format is unknown.
    """
    digests: dict[str, str] = {}
    specs = {"train": args.train, "validation": args.validation, "background": args.background}
    examples = {
        part: [
            example
            for spec in paths
            for example in _examples(spec, part, databases, schemas, digests)
        ]
        for part, paths in specs.items()
    }
    composition.learned_from = digests
    data = TrainingData(examples["train"], examples["validation"], examples["background"])
    composition.fit(data, tools, preset=args.preset, risk=args.risk, delta=args.delta)


def _examples(
    spec: str,
    part: str,
    databases: Location,
    schemas: Mapping[str, Schema],
    digests: dict[str, str],
) -> list[TrainingExample]:
    """The examples of one file; its digest is added to ``digests``."""
    benchmark = _read(spec, databases)
    for source in benchmark.sources:
        digests[f"{part} {Path(source.path).name}"] = source.sha256
    # A file may hold recorded questions whose text is lost; nothing can be learned from them.
    index = DatabaseIndex.of(benchmark.cases, schemas)
    return [index.example(case) for case in benchmark.cases if case.question.strip()]


def _read(spec: str, databases: Location) -> Benchmark:
    name, sign, path = spec.partition("=")
    if not sign or Path(spec).exists():
        name, path = "jsonl", spec
    format_name, _, split = name.partition(":")
    reader = BENCHMARKS.get(format_name)
    return reader.read(Path(path), split=split or "dev", databases=databases)


@contextmanager
def open_tools(
    args: ToolArgs, composition: FittedComposition, spending: Path, engine: str = DEFAULT_ENGINE
) -> Iterator[Tools]:
    """The tools that methods use, closed after the block; ``spending`` is the account of calls.

    Raises:
        UsageError: a language model is needed and none is named.
    """
    runner = QueryRunner(engine, Limits(trust_role=args.trust_role))
    try:
        with _open_answerer(args.llm, composition, spending) as answerer:
            yield Tools(
                answerer=answerer,
                model=args.llm.model or "",
                runner=runner,
                concurrency=args.llm.concurrency,
                max_tokens=args.max_tokens,
                prompts=args.llm.prompts,
                device=args.device,
                seed=args.seed,
                say=_nothing if args.quiet else _say,
            )
    finally:
        runner.close()


@contextmanager
def _open_answerer(
    args: LlmArgs, composition: FittedComposition, spending: Path
) -> Iterator[Answerer | None]:
    if "answerer" not in composition.needs:
        yield None
        return
    if not args.model:
        raise UsageError(
            f"{composition.composition} calls a language model: name it with --model, and its "
            f"server with --base-url"
        )
    with open_llm(args, spending=spending) as llm:
        yield llm.answerer


def spending_path(out: Path) -> Path:
    """Where the account of a predictions file lies: ``p.jsonl`` has ``p.spending.jsonl``."""
    return out.with_name(f"{out.stem}.{SPENDING}")


def answer(
    composition: FittedComposition,
    args: AnswerArgs,
    *,
    learn: bool,
    inputs: Mapping[str, str] | None = None,
    after_fit: Callable[[], None] = lambda: None,
) -> int:
    """Fit the composition if it is not fitted yet, answer the cases, and print the counts.

    Args:
        composition: The composition.
        args: The options.
        learn: Whether it is still to be fitted.
        inputs: What else decides the answers.
        after_fit: Called between fitting and answering.

    Returns:
        The exit code.
    """
    benchmark = select(read_benchmark(args.data), args.data)
    sources = {Path(source.path).name: source.sha256 for source in benchmark.sources}
    schemas = read_schemas(args.data.schema)
    spending = spending_path(args.out)
    with open_tools(args.tools, composition, spending, args.data.engine_name) as tools:
        if learn:
            fit(composition, args.training, tools, args.data.location, schemas)
        after_fit()
        try:
            counts = answer_cases(
                composition,
                benchmark.cases,
                args.out,
                tools,
                inputs={**sources, **(inputs or {})},
                schemas=schemas,
                overwrite=args.overwrite,
            )
        except KeyboardInterrupt:
            raise Interrupted("interrupted; run the same command again to continue") from None
    _show(composition, counts, args)
    return 4 if counts.open else 0


def threshold_lines(composition: FittedComposition) -> Sequence[str]:
    """The thresholds that fitting chose, in words."""
    lines = []
    for calibration in composition.calibrations:
        threshold = calibration.threshold
        level = "never answer" if threshold == math.inf else f"{threshold:.6g}"
        lines.append(
            f"{calibration.detector}: threshold {level} ({calibration.how}); of "
            f"{count(calibration.items, 'validation answer')} it accepts "
            f"{calibration.answered:,}, {calibration.wrong:,} of them wrong"
        )
    return lines


def _show(composition: FittedComposition, counts: SessionCounts, args: AnswerArgs) -> None:
    if args.as_json:
        record = {**asdict(counts), "abstained": dict(counts.abstained)}
        record["spending"] = read_spending(spending_path(args.out))
        print_json({**composition.about(), **record, "predictions": args.out})
        return
    click.echo(f"{composition.composition}: {count(counts.cases, 'case')}")
    for line in threshold_lines(composition):
        click.echo(line)
    if counts.resumed:
        click.echo(f"{counts.resumed:,} were answered before")
    by_detector = [f"{times:,} by {name}" for name, times in counts.abstained.most_common()]
    click.echo(
        f"{counts.answered:,} answered, {counts.abstained.total():,} abstained"
        + (f" ({', '.join(by_detector)})" if by_detector else "")
        + f", {counts.no_sql:,} without SQL"
    )
    for line in spending_sentences(read_spending(spending_path(args.out))):
        click.echo(line)
    click.echo(f"predictions: {args.out}, manifest: {manifest_path(args.out)}")
    if counts.open:
        click.echo(
            f"no answer, and no line in the file, for {count(counts.open, 'case')}: "
            f"{counts.problem} Run the same command again to continue. (exit code 4)",
            err=True,
        )


def _say(line: str) -> None:
    click.echo(line, err=True)


def _nothing(line: str) -> None:
    del line
