"""From the options of ``build`` to material, a recipe and a language model."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from sqlverdict.errors import UsageError

if TYPE_CHECKING:
    from sqlverdict.abstain.benchmark.build import Material, Recipe
    from sqlverdict.abstain.method import Tools
    from sqlverdict.load.benchmark import Benchmark, SourceFile
    from sqlverdict.records import Case

NONE = "none"
_USUAL_URL = "https://api.openai.com/v1"


@dataclass(frozen=True)
class BuildInputs:
    """What was read.

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


def read_material(said: Mapping[str, Any]) -> BuildInputs:
    """Read the benchmark, its splits, schemas and the pool.

    Raises:
        UsageError: an option is wrong, or they name no benchmark.
        BenchmarkError: a file cannot be read.
    """
    from sqlverdict.abstain.benchmark.build import Material
    from sqlverdict.abstain.benchmark.pool import read_pool
    from sqlverdict.parse.schemas.load import load_schemas

    splits = [part.strip() for part in said["split"].split(",") if part.strip()]
    train = [] if not said["cross_database"] or said["train_split"] == NONE else said["train_split"]
    wanted = [*splits, *([train] if train else [])]
    if said["cases"] is not None and (len(wanted) > 1 or train):
        raise UsageError(
            "a file of cases has one split: leave out --split, and with --cross-database add "
            "--train-split none"
        )
    read = {split: _read(said, split) for split in wanted}
    several = len(wanted) > 1
    cases = {
        split: [_prefixed(case, split) if several else case for case in found.cases]
        for split, found in read.items()
    }
    pool = None
    if said["pool"] is not None:
        types = [part.strip().lower() for part in (said["pool_types"] or "").split(",")]
        pool = read_pool(
            said["pool"], benchmark=said["pool_benchmark"] or "", types=[t for t in types if t]
        )
    material = Material(
        cases=[case for split in splits for case in cases[split]],
        train=cases[train] if train else [],
        schemas=load_schemas(said["schema"]) if said["schema"] is not None else {},
        pool=pool.questions if pool is not None else (),
    )
    sources = [source for found in read.values() for source in found.sources]
    notes = [note for found in read.values() for note in found.notes]
    if pool is not None:
        sources += pool.sources
        notes += [pool.note] if pool.note else []
    first = next(iter(read.values()))
    name = said["cases"].name if said["cases"] is not None else f"{first.name} {'+'.join(wanted)}"
    unique = tuple(dict.fromkeys(sources))
    return BuildInputs(material, name, unique, tuple(dict.fromkeys(notes)))


def _read(said: Mapping[str, Any], split: str) -> Benchmark:
    from sqlverdict.cli.options.inputs import DataInputs, column_options, read_benchmark

    names = ("benchmark", "root", "cases", "databases")
    given = DataInputs(
        **{name: said[name] for name in names}, columns=column_options(said["columns"])
    )
    return read_benchmark(replace(given, split=split))


def _prefixed(case: Case, split: str) -> Case:
    """Ids are positions in many benchmarks: with several splits they need their split."""
    return replace(case, id=f"{split}-{case.id}")


def recipe_of(said: Mapping[str, Any]) -> Recipe:
    """How to build.

    Raises:
        UsageError: shares or types are wrong.
    """
    from sqlverdict.abstain.benchmark.build import Recipe
    from sqlverdict.abstain.benchmark.splits import SplitPlan
    from sqlverdict.abstain.benchmark.unanswerable_type import TYPES

    types = names_in(said["types"])
    for name in types:
        TYPES.get(name.replace("-", "_"))
    plan = SplitPlan(_shares(said["parts"]), said["unseen"], said["leftover"], said["seed"])
    return Recipe(
        plan, said["cross_database"], said["unanswerable"], types, proofs=not said["no_proofs"]
    )


def names_in(text: str | None) -> tuple[str, ...]:
    """The names in ``a,b``."""
    return tuple(part.strip() for part in (text or "").split(",") if part.strip())


def _shares(text: str) -> tuple[float, float, float]:
    try:
        found = [float(part) for part in text.split(":")]
    except ValueError:
        found = []
    if len(found) != 3:
        raise UsageError(f"--parts {text!r}: expected three shares, as in 6:2:2")
    return found[0], found[1], found[2]


def recipe_record(recipe: Recipe, types: Sequence[str]) -> dict[str, Any]:
    """A recipe as a manifest says it."""
    from sqlverdict.abstain.benchmark.unanswerable_type import TYPES

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
def model_tools(said: Mapping[str, Any]) -> Iterator[Tools | None]:
    """The language model that words questions; ``None`` where none is named.

    Raises:
        MissingExtra: the packages for HTTP are not installed.
    """
    if said["model"] is None:
        given = [name for name in ("base_url", "max_cost") if said[name] is not None]
        if given:
            raise UsageError(f"--{given[0].replace('_', '-')} goes with --model NAME")
        yield None
        return
    from sqlverdict.abstain.method import Tools
    from sqlverdict.llm.cache import ReplyCache, default_path
    from sqlverdict.llm.client import Client
    from sqlverdict.llm.http.endpoint import Endpoint

    url = said["base_url"] or os.environ.get("OPENAI_BASE_URL") or _USUAL_URL
    many = said["concurrency"]
    key = said["key_variable"] or ""
    endpoint = Endpoint(url, said["model"], key_variable=key, concurrency=many)
    cache = ReplyCache(said["reply_cache"] or default_path())
    try:
        with Client(endpoint, cache, said["max_cost"]) as client:
            yield Tools(answerer=client, model=said["model"], concurrency=many, seed=said["seed"])
    finally:
        cache.close()
