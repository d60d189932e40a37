"""What comes into a run: cases in memory as a benchmark, trials as systems, digests of schemas."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields
from hashlib import sha256
from operator import attrgetter
from pathlib import Path

import msgspec

from sqlverdict.errors import UsageError
from sqlverdict.load.benchmark import Benchmark, SourceFile
from sqlverdict.load.predictions import Predictions
from sqlverdict.parse.schema import Schema
from sqlverdict.records import Case, Recording
from sqlverdict.run.options import System

# Where a database lies decides nothing; what it contains is looked at case by case.
_WHAT_COUNTS = attrgetter(*(f.name for f in fields(Case) if f.repr and f.name != "database"))


def as_benchmark(cases: Sequence[Case]) -> Benchmark:
    """Cases that were given in memory, as a benchmark.

    Raises:
        UsageError: two cases share an id.
    """
    encoded = sha256()
    for case in cases:
        encoded.update(_bytes(_WHAT_COUNTS(case)))
        if case.recorded is not None:
            encoded.update(_bytes(case.recorded))
        if case.gold_answers:
            encoded.update(_bytes(case.gold_answers))
    repeated = [name for name, times in Counter(case.id for case in cases).items() if times > 1]
    if repeated:
        raise UsageError(f"case id {repeated[0]!r} is given twice; ids must be unique")
    source = SourceFile("cases", encoded.hexdigest())
    return Benchmark("cases", "given in memory", cases, len(cases), (source,))


def trial_systems(
    trials: Sequence[Predictions], name: str, out: Path | None, digest: str
) -> Iterator[System]:
    """A system for each of several trials, with a folder of its own below ``out``.

    ``digest`` stands for the file of the predictions, where they come from one.
    """
    for own in trials:
        trial = f"trial-{own.trial}"
        folder = out / trial if out is not None else None
        own_digest = f"{digest} {trial}" if digest else ""
        yield System(f"{name} {trial}", own, folder, own_digest, own.notes, name)


def schemas_digest(schemas: Mapping[str, Schema]) -> str:
    """What stands for schemas in a manifest."""
    return sha256(msgspec.json.encode(dict(schemas), order="sorted")).hexdigest()


def _bytes(record: Recording | tuple[object, ...]) -> bytes:
    """A record for a digest; its text may be anything, halves of surrogate pairs included."""
    return repr(record).encode("utf-8", "backslashreplace")
