"""From the options of ``evaluate`` to the options of a run."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

import click

from sqlverdict.cli.options.fields import Heading, group, option, setting
from sqlverdict.cli.options.judge import JudgeArgs, check_judge_options
from sqlverdict.cli.options.limits import CacheArgs, LimitArgs
from sqlverdict.cli.options.predictions import PredictionArgs
from sqlverdict.cli.options.recorded_systems import SystemCaseArgs
from sqlverdict.cli.options.shared import (
    FILE,
    FOLDER,
    json_option,
    null_keys_setting,
    quiet_option,
    scratch_setting,
)
from sqlverdict.confidence.stored import read_label_model
from sqlverdict.errors import UsageError
from sqlverdict.parse.schemas.load import load_schemas
from sqlverdict.pipeline import Options, Progress
from sqlverdict.refute.witness import SearchBudget
from sqlverdict.run.options import ProofOptions, SearchOptions
from sqlverdict.runlog.folder import CONTRADICTIONS, WITNESSES
from sqlverdict.score.metric import parse_metrics, uses_opinions


@dataclass(frozen=True, kw_only=True)
class EvidenceArgs:
    """Which evidence a run looks for, and how evidence becomes a verdict."""

    HEADING: ClassVar[Heading] = Heading.EVIDENCE

    prove: bool = option(
        "--prove",
        is_flag=True,
        help="Search for proofs; with --refute, search for witnesses against proved pairs too.",
    )
    refute: int | None = option(
        "--refute",
        type=click.IntRange(1),
        metavar="N",
        help="Where answers match, search up to N databases for one on which they differ.",
    )
    bank: Path | None = option(
        "--bank",
        rare=True,
        type=FILE,
        help="With --refute: save witnesses in this bank and try them first.",
    )
    scratch: str | None = scratch_setting()
    null_keys: bool = null_keys_setting()
    policy: str | None = option(
        "--policy",
        metavar="NAME",
        help="How evidence becomes a verdict: intent (the default of the metric verdict), strict "
        "or results (the default without that metric).",
    )
    confidence: Path | None = setting(
        "confidence",
        type=FILE,
        help="Counts of labels from 'sqlverdict agree --calibrate'. [default: the package's]",
    )


@dataclass(frozen=True, kw_only=True)
class OutputArgs:
    """Where a run goes, and what is printed."""

    HEADING: ClassVar[Heading] = Heading.OUTPUT

    out: Path | None = option(
        "--out", type=FOLDER, help="The folder of the run. [default: runs/<system>]"
    )
    overwrite: bool = option(
        "--overwrite", is_flag=True, help="Overwrite an existing run in --out."
    )
    merge: tuple[Path, ...] = option(
        "--merge",
        rare=True,
        type=FOLDER,
        multiple=True,
        metavar="RUN",
        help="Put this shard and the others together in --out; nothing is evaluated. A folder of "
        "shards is all of them. Repeatable.",
    )
    page: bool | None = setting(
        "page",
        type=bool,
        default=None,
        help="Write report.html. [default: for runs of up to 20,000 cases]",
    )
    quiet: bool = quiet_option("Print only the headline, without progress.")
    as_json: bool = json_option()


@dataclass(frozen=True, kw_only=True)
class EvaluateArgs:
    """The options of ``evaluate``."""

    data: SystemCaseArgs = group(SystemCaseArgs)
    predictions: PredictionArgs = group(PredictionArgs)
    metrics: str = option(
        "--metrics",
        default="ex",
        heading=Heading.METRICS,
        help="What to score, such as ex,esm or 'ex[bird]'.",
    )
    evidence: EvidenceArgs = group(EvidenceArgs)
    judge: JudgeArgs = group(JudgeArgs)
    limits: LimitArgs = group(LimitArgs)
    cache: CacheArgs = group(CacheArgs)
    output: OutputArgs = group(OutputArgs)


def run_options(args: EvaluateArgs, progress: Progress | None) -> Options:
    """The options of a run, as ``evaluate`` was given them.

    Raises:
        UsageError: options cannot be combined, or one names something unknown.
    """
    # Checked first: a typing mistake should not cost the reading of a benchmark.
    check_judge_options(args.judge)
    metrics = _with_verdict(args)
    needs = {need for spec in parse_metrics(metrics) for need in spec.metric.needs}
    engine = args.data.engine_name
    schemas = load_schemas(args.data.schema) if args.data.schema is not None else {}
    evidence = args.evidence
    return Options(
        metrics=metrics,
        engine=engine,
        now=args.limits.now,
        database_version=args.limits.database_version,
        limits=args.limits.limits,
        workers=args.limits.workers,
        on=args.limits.on,
        copy_databases=args.limits.copy_databases,
        cache=args.cache.path,
        overwrite=args.output.overwrite,
        progress=progress,
        search=_search(evidence, needed="witness" in needs),
        proof=_proof(args, needed="proof" in needs),
        schemas=schemas,
        policy=evidence.policy,
        confidence=read_label_model(evidence.confidence)
        if evidence.confidence is not None
        else None,
        null_keys=evidence.null_keys,
        no_sql=args.predictions.no_sql,
        tag=args.predictions.tag,
        answers=args.predictions.answers,
    )


def _with_verdict(args: EvaluateArgs) -> str:
    """The metrics; with ``verdict`` where a judge or a policy is named and no metric uses it."""
    if not args.judge.asks and args.evidence.policy is None and not args.judge.no_llm:
        return args.metrics
    judged = any(uses_opinions(spec.metric) for spec in parse_metrics(args.metrics))
    return args.metrics if judged else f"{args.metrics},verdict"


def _search(args: EvidenceArgs, *, needed: bool) -> SearchOptions | None:
    if args.bank is not None and args.refute is None:
        raise UsageError("--bank goes with --refute N")
    if args.refute is None and not needed:
        return None
    budget = SearchBudget() if args.refute is None else SearchBudget(instances=args.refute)
    return SearchOptions(budget, args.bank, Path(WITNESSES), args.scratch)


def _proof(args: EvaluateArgs, *, needed: bool) -> ProofOptions | None:
    if not args.evidence.prove and not needed:
        return None
    # Whoever gives both options wants the prover tested as well.
    both = args.evidence.prove and args.evidence.refute is not None
    folder = (args.output.out or Path("runs")) / CONTRADICTIONS
    return ProofOptions(folder, tests_proofs=both)
