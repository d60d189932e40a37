"""What comes into a run: cases and predictions as records, and digests that stand for them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import fields
from hashlib import sha256
from operator import attrgetter

import msgspec

from sqlverdict.errors import PredictionError, UsageError
from sqlverdict.load.benchmark import Benchmark, SourceFile
from sqlverdict.load.no_sql import read_prediction
from sqlverdict.parse.schema import Schema
from sqlverdict.records import Case, Prediction, Recording

# Where a database lies decides nothing; what it contains is looked at case by case.
_WHAT_COUNTS = attrgetter(*(f.name for f in fields(Case) if f.repr and f.name != "database"))

Given = Mapping[str, Prediction] | Mapping[str, str | None]
"""Predictions by case id: records, SQL text, or ``None`` for an abstention."""


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
    repeated = [name for name, times in Counter(case.id for case in cases).items() if times > 1]
    if repeated:
        raise UsageError(f"case id {repeated[0]!r} is given twice; ids must be unique")
    source = SourceFile("cases", encoded.hexdigest())
    return Benchmark("cases", "given in memory", cases, len(cases), (source,))


def typed(given: Given) -> dict[str, Prediction]:
    """Predictions as records: text is SQL, ``None`` is an abstention."""
    return {case_id: read_prediction(case_id, said) for case_id, said in given.items()}


def prediction_for(predictions: Mapping[str, Prediction], case: Case, system: str) -> Prediction:
    """What a system said for a case.

    Raises:
        PredictionError: nothing.
    """
    found = predictions.get(case.id)
    if found is None:
        raise PredictionError(
            f"{system} has no prediction for case {case.id!r}; to abstain, say so "
            f"(None, or abstained=True). A missing prediction is never an abstention."
        )
    return found


def digest_of(predictions: Mapping[str, Prediction]) -> str:
    """What stands for the predictions in a manifest."""
    encoded = sha256()
    for case_id in sorted(predictions):
        encoded.update(_bytes(predictions[case_id]))
    return encoded.hexdigest()


def schemas_digest(schemas: Mapping[str, Schema]) -> str:
    """What stands for schemas in a manifest."""
    return sha256(msgspec.json.encode(dict(schemas), order="sorted")).hexdigest()


def _bytes(record: Prediction | Recording | tuple[object, ...]) -> bytes:
    """A record for a digest; its text may be anything, halves of surrogate pairs included."""
    return repr(record).encode("utf-8", "backslashreplace")
