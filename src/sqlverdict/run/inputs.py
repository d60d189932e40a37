"""What comes into a run: cases in memory as a benchmark, trials as systems, digests of schemas."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from hashlib import sha256
from pathlib import Path

import msgspec

from sqlverdict.errors import UsageError
from sqlverdict.load.benchmark import Benchmark, SourceFile
from sqlverdict.load.predictions import Predictions
from sqlverdict.parse.schema import Schema
from sqlverdict.records import Case
from sqlverdict.run.options import System
from sqlverdict.run.task import content_bytes


def as_benchmark(cases: Sequence[Case]) -> Benchmark:
    """Cases that were given in memory, as a benchmark.

    Raises:
        UsageError: two cases share an id, or one is no case.
    """
    encoded = sha256()
    for case in cases:
        if not isinstance(case, Case):
            raise UsageError(f"a case is {type(case).__name__}; expected a sqlverdict.Case")
        encoded.update(content_bytes(case))
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
