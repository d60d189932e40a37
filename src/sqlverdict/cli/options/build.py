"""From the options of ``build`` to material, a recipe and a language model."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

import click

from sqlverdict.abstain.benchmark.build import Material, Recipe
from sqlverdict.abstain.benchmark.question_pool import read_pool
from sqlverdict.abstain.benchmark.splits import SplitPlan
from sqlverdict.abstain.benchmark.unanswerable import TYPES
from sqlverdict.abstain.method import Tools
from sqlverdict.account import SPENDING
from sqlverdict.cli.options.data import DataArgs, read_benchmark
from sqlverdict.cli.options.fields import Heading, group, option, setting
from sqlverdict.cli.options.llm import LlmArgs, open_llm
from sqlverdict.cli.options.shared import (
    ANY_PATH,
    FOLDER,
    NAMES,
    NumberRange,
    json_option,
    quiet_option,
    schema_option,
    seed_setting,
    show_option,
    timeout_option,
    trust_role_setting,
)
from sqlverdict.errors import UsageError
from sqlverdict.load.benchmark import SourceFile
from sqlverdict.parse.schemas.load import load_schemas
from sqlverdict.records import Case

NONE = "none"
"""The value of ``train-split`` for a benchmark without a train split."""


@dataclass(frozen=True, kw_only=True)
class SplitDataArgs(DataArgs):
    """Where the questions are; several splits may be named."""

    split: str = option("--split", default="dev", help="Which parts, such as train,dev.")

    @property
    def splits(self) -> tuple[str, ...]:
        """The names of the splits."""
        return tuple(part.strip() for part in self.split.split(",") if part.strip())


@dataclass(frozen=True, kw_only=True)
class BuildArgs:
    """The options of ``build``."""

    data: SplitDataArgs = group(SplitDataArgs)
    schema: Path | None = schema_option()
    cross_database: bool = option(
        "--cross-database",
        is_flag=True,
        heading=Heading.QUESTIONS,
        help="Keep the train split, and divide the other by database.",
    )
    train_split: str = setting(
        "train-split",
        default="train",
        heading=Heading.QUESTIONS,
        help="With --cross-database: the split that stays train, or none.",
    )
    parts: str = setting(
        "parts",
        default="6:2:2",
        heading=Heading.QUESTIONS,
        help="The shares of train, validation and test.",
    )
    unseen: float = setting(
        "unseen",
        default=0.2,
        type=NumberRange(0, 0.5, max_open=True),
        metavar="SHARE",
        heading=Heading.QUESTIONS,
        help="Templates that only validation has, and that only test has.",
    )
    leftover: Literal["move", "drop"] = setting(
        "leftover",
        type=click.Choice(["move", "drop"]),
        default="move",
        heading=Heading.QUESTIONS,
        help="What to do with other questions that have such a template.",
    )
    unanswerable: float = option(
        "--unanswerable",
        default=1.0,
        type=NumberRange(0),
        metavar="SHARE",
        heading=Heading.QUESTIONS,
        help="Unanswerable test questions for each answerable one.",
    )
    types: tuple[str, ...] = option(
        "--types",
        type=NAMES,
        default=(),
        metavar="A,B",
        heading=Heading.QUESTIONS,
        help="Types of unanswerable questions. [default: all]",
    )
    pool: Path | None = option(
        "--pool",
        type=ANY_PATH,
        heading=Heading.QUESTIONS,
        help="Questions of other domains, for out-of-domain questions.",
    )
    pool_types: tuple[str, ...] = setting(
        "pool-types",
        type=NAMES,
        default=(),
        metavar="A,B",
        heading=Heading.QUESTIONS,
        help="Which types of TriageSQL to use. [default: small talk]",
    )
    pool_benchmark: str | None = setting(
        "pool-benchmark",
        metavar="NAME",
        heading=Heading.QUESTIONS,
        help="Read the pool as a benchmark of this format.",
    )
    preprocess: tuple[str, ...] = setting(
        "preprocess",
        type=NAMES,
        default=(),
        metavar="A,B",
        heading=Heading.QUESTIONS,
        help="What to do to questions first: duplicates, null_results, relative_time, paraphrases.",
    )
    paraphrases: int = setting(
        "paraphrases",
        default=10,
        type=click.IntRange(min=1),
        heading=Heading.QUESTIONS,
        help="With preprocess=paraphrases: how many of each question.",
    )
    seed: int = seed_setting()
    llm: LlmArgs = group(LlmArgs)
    no_proofs: bool = setting(
        "no-proofs",
        is_flag=True,
        heading=Heading.LINTS,
        help="Do not search for templates with the same meaning.",
    )
    lint_only: bool = option(
        "--lint-only",
        is_flag=True,
        heading=Heading.LINTS,
        help="Build nothing; lint the benchmark as it is.",
    )
    lints: tuple[str, ...] = setting(
        "lints",
        type=NAMES,
        default=(),
        metavar="A,B",
        heading=Heading.LINTS,
        help="Which lints to run. [default: all]",
    )
    now: str = setting(
        "now",
        default="",
        metavar="TIME",
        heading=Heading.LINTS,
        help="The present time of the questions.",
    )
    timeout: float = timeout_option()
    trust_role: bool = trust_role_setting()
    out: Path | None = option("--out", type=FOLDER, help="The folder of the benchmark.")
    overwrite: bool = option(
        "--overwrite", is_flag=True, help="Overwrite an existing benchmark in --out."
    )
    show: int = show_option(5, "this many findings of each lint")
    strict: bool = option(
        "--strict",
        is_flag=True,
        help="Exit with 1 for errors and warnings of lints (the command lint has --fail-on).",
    )
    quiet: bool = quiet_option()
    as_json: bool = json_option()


@dataclass(frozen=True)
class BuildInputs:
    """What a benchmark is built from, as read from the files.

    Attributes:
        material: What a benchmark is built from.
        name: Which benchmark and splits.
        sources: The files.
        notes: What the readers say.
    """

    material: Material
    name: str
    sources: tuple[SourceFile, ...]
    notes: tuple[str, ...]


def read_material(args: BuildArgs) -> BuildInputs:
    """Read the benchmark, its splits, schemas and the pool.

    Raises:
        UsageError: an option is wrong, or they name no benchmark.
        BenchmarkError: a file cannot be read.
    """
    splits = args.data.splits
    train = args.train_split if args.cross_database and args.train_split != NONE else ""
    every = [*splits, train] if train else [*splits]
    if args.data.cases is not None and (len(every) > 1 or train):
        raise UsageError(
            "a file of cases has one split: leave out --split, and with --cross-database add "
            "--set train-split=none"
        )
    benchmarks = {split: read_benchmark(replace(args.data, split=split)) for split in every}
    cases = {
        split: [_prefixed(case, split) if len(every) > 1 else case for case in benchmark.cases]
        for split, benchmark in benchmarks.items()
    }
    schemas = {name: s for one in benchmarks.values() for name, s in one.schemas.items()}
    pool = None
    if args.pool is not None:
        types = [name.lower() for name in args.pool_types]
        pool = read_pool(args.pool, benchmark=args.pool_benchmark or "", types=types)
    material = Material(
        cases=[case for split in splits for case in cases[split]],
        train=cases[train] if train else [],
        schemas=schemas | (load_schemas(args.schema) if args.schema is not None else {}),
        pool=pool.questions if pool is not None else (),
    )
    sources = [source for benchmark in benchmarks.values() for source in benchmark.sources]
    notes = [note for benchmark in benchmarks.values() for note in benchmark.notes]
    if pool is not None:
        sources += pool.sources
        notes += [pool.note] if pool.note else []
    first = next(iter(benchmarks.values()))
    file = args.data.cases
    name = file.name if file is not None else f"{first.name} {'+'.join(every)}"
    return BuildInputs(material, name, tuple(dict.fromkeys(sources)), tuple(dict.fromkeys(notes)))


def _prefixed(case: Case, split: str) -> Case:
    """Ids are positions in many benchmarks: with several splits they need their split."""
    return replace(case, id=f"{split}-{case.id}")


def recipe_of(args: BuildArgs) -> Recipe:
    """How to build.

    Raises:
        UsageError: shares or types are wrong.
    """
    for name in args.types:
        TYPES.get(name.replace("-", "_"))
    plan = SplitPlan(_shares(args.parts), args.unseen, args.leftover, args.seed)
    return Recipe(
        plan, args.cross_database, args.unanswerable, args.types, proofs=not args.no_proofs
    )


def _shares(text: str) -> tuple[float, float, float]:
    try:
        shares = [float(part) for part in text.split(":")]
    except ValueError:
        shares = []
    if len(shares) != 3:
        raise UsageError(f"--set parts={text}: expected three shares, as in 6:2:2")
    return shares[0], shares[1], shares[2]


def recipe_record(recipe: Recipe, types: Sequence[str]) -> dict[str, Any]:
    """A recipe as the manifest has it."""
    plan = recipe.plan
    members = [TYPES.get(name.replace("-", "_")) for name in types]
    return {
        "seed": plan.seed,
        "split_by": "database" if recipe.cross_database else "question and template",
        "shares": list(plan.parts),
        "unseen": plan.unseen,
        "leftover": plan.leftover,
        "unanswerable": recipe.unanswerable,
        "types": {member.label: member.version for member in members},
        "proofs": recipe.proofs,
    }


@contextmanager
def model_tools(args: BuildArgs) -> Iterator[Tools | None]:
    """The language model that words questions; ``None`` where none is named.

    Raises:
        UsageError: options of a model stand without one.
        MissingExtra: the packages for HTTP are not installed.
    """
    llm = args.llm
    if llm.model is None:
        alone = {
            "--base-url": llm.base_url,
            "--max-cost": llm.max_cost,
            "the setting prompts": llm.prompts,
        }
        for name, value in alone.items():
            if value is not None:
                raise UsageError(f"{name} goes with --model NAME")
        yield None
        return
    assert args.out is not None, "a benchmark that is built has a folder"
    with open_llm(llm, spending=args.out / SPENDING) as opened:
        yield Tools(
            answerer=opened.answerer,
            model=llm.model,
            concurrency=llm.concurrency,
            prompts=llm.prompts,
            seed=args.seed,
        )
