"""What comes into a run: cases and predictions as records, and digests that stand for them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import fields
from hashlib import sha256
from operator import attrgetter

import msgspec

from sqlverdict.errors import PredictionError, UsageError
from sqlverdict.load.benchmark import Benchmark, SourceFile
from sqlverdict.load.no_sql import read_prediction, without_sql
from sqlverdict.parse.schema import Schema
from sqlverdict.records import Case, Prediction, Recording
from sqlverdict.run.options import Predictions, System

# Where a database lies decides nothing; what it contains is looked at case by case.
_WHAT_COUNTS = attrgetter(*(f.name for f in fields(Case) if f.repr and f.name != "database"))

CaseStream = Iterable[tuple[int, Case, list[Prediction]]]
"""Cases with their index in the run, and the prediction of each system."""


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


def typed(predictions: Predictions) -> dict[str, Prediction]:
    """Predictions as records: text is SQL, ``None`` is an abstention."""
    return {
        case_id: each
        if isinstance(each, Prediction) and (each.sql is not None or each.answer is not None)
        else read_prediction(case_id, each)
        for case_id, each in predictions.items()
    }


def prediction_for(predictions: Mapping[str, Prediction], case: Case, system: str) -> Prediction:
    """What a system said for a case.

    Raises:
        PredictionError: nothing.
    """
    prediction = predictions.get(case.id)
    if prediction is None:
        raise PredictionError(
            f"{system} has no prediction for case {case.id!r}; to abstain, say so "
            f"(None, or abstained=True). A missing prediction is never an abstention."
        )
    return prediction


def case_stream(
    benchmark: Benchmark,
    systems: Sequence[System],
    predictions: Sequence[Mapping[str, Prediction]],
) -> Iterator[tuple[int, Case, list[Prediction]]]:
    """The benchmark's cases with the prediction of each system.

    Raises:
        PredictionError: a system has no prediction for a case.
    """
    pairs = list(zip(predictions, systems, strict=True))
    for index, case in enumerate(benchmark.cases):
        yield index, case, [prediction_for(own, case, system.name) for own, system in pairs]


def with_no_sql_treated(stream: CaseStream, treatment: str) -> CaseStream:
    """The stream; text without SQL is an abstention where the run treats it so."""
    if treatment == "wrong":
        return stream
    return (
        (index, case, [without_sql(each, treatment) for each in predictions])
        for index, case, predictions in stream
    )


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
