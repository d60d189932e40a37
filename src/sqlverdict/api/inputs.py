"""What whole runs are given: cases and predictions as files, tables or records.

Predictions come as one mapping from case id to prediction for each trial: one, unless there are
several answers to each question.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from sqlverdict.api.arguments import Reference, read_cell, read_reference
from sqlverdict.errors import UsageError
from sqlverdict.execute.engine import DEFAULT_ENGINE, ENGINES, engine_of, engine_of_cases
from sqlverdict.load.benchmark import BENCHMARKS, Benchmark, PairedCases
from sqlverdict.load.columns import column_map, join_maps, prediction_column_map, rename
from sqlverdict.load.databases import DatabaseLocation, Databases, find_databases
from sqlverdict.load.fields import ANSWER_KEYS, TRIAL, case_from
from sqlverdict.load.prediction_formats import (
    Entries,
    PredictionEntry,
    PredictionFile,
    answer_entries,
    record_entries,
)
from sqlverdict.load.predictions import Predictions, load_trials, pair_entries
from sqlverdict.load.tables.cases import own_format
from sqlverdict.records import Case, Prediction
from sqlverdict.run.inputs import as_benchmark
from sqlverdict.run.options import Options

_IN_MEMORY = Predictions({}, "the predictions", "records", "")


_FEW = 200
"""So many cases are done before processes have started."""


@dataclass(frozen=True)
class RunArguments:
    """How a whole run is called, beside its cases and predictions; see ``evaluate``."""

    metrics: str | Sequence[str] | None = None
    db: Reference | None = None
    databases: Reference | None = None
    columns: Mapping[str, str] | None = None
    prediction_columns: Mapping[str, str] | None = None
    workers: int | None = None
    options: Options | None = None


@dataclass(frozen=True)
class RunInputs:
    """What a whole run works on.

    Attributes:
        benchmark: The cases.
        trials: The predictions of each trial; one, unless there are several answers.
        options: The completed options.
    """

    benchmark: Benchmark
    trials: list[Predictions]
    options: Options


def read_inputs(cases: Any, predictions: Any, arguments: RunArguments) -> RunInputs:
    """Read what a whole run is given.

    Raises:
        UsageError: something is of the wrong type.
        PredictionError: the predictions do not fit the cases.
    """
    where = read_reference(arguments.db) or read_reference(arguments.databases)
    options = arguments.options or Options()
    if where is not None and options.engine == DEFAULT_ENGINE:
        options = replace(options, engine=engine_of(where))
    if arguments.metrics is not None:
        options = replace(options, metrics=arguments.metrics)
    location = DatabaseLocation(where, ENGINES.get(options.engine).suffixes)
    columns = dict(arguments.columns or {})
    benchmark, own = read_cases(cases, location, columns, where, predictions is None)
    if where is None and options.engine == DEFAULT_ENGINE:
        options = replace(options, engine=engine_of_cases(benchmark.cases))
    case_ids = [case.id for case in benchmark.cases] if predictions is not None else []
    prediction_columns = join_maps(columns, arguments.prediction_columns or {})
    trials = read_predictions(predictions, case_ids, own, prediction_columns)
    if arguments.workers is not None or (benchmark.count or 0) <= _FEW:
        options = replace(options, workers=arguments.workers or 0)
    return RunInputs(benchmark, trials, options)


def read_cases(
    cases: Any,
    location: DatabaseLocation,
    columns: Mapping[str, str],
    where: str | None,
    inline: bool,
) -> tuple[Benchmark, list[Predictions] | None]:
    """The benchmark, and the predictions that it carries.

    Raises:
        UsageError: the cases are of another type.
        BenchmarkError: a case cannot be read.
    """
    if isinstance(cases, Benchmark):
        return cases, _one(cases.predictions)
    if isinstance(cases, str | os.PathLike):
        path = Path(os.fspath(cases))
        reader = BENCHMARKS.get(own_format(path))
        benchmark = reader.read(path, databases=location if where else None, options=columns)
        carried = benchmark.cases
        if not inline or not isinstance(carried, PairedCases) or not carried.carries_predictions:
            return benchmark, None
        return benchmark, _one({case.id: prediction for case, prediction in carried.pairs()})
    records = _records(cases, "the cases")
    if all(isinstance(record, Case) for record in records):
        return as_benchmark([case for case in records if isinstance(case, Case)]), None
    databases = find_databases(Path(), (".",), location) if where is not None else None
    return _from_records(records, column_map(columns), databases)


def _records(values: Any, name: str) -> list[Any]:
    """The rows of a table, or the entries of a list."""
    for method in ("to_dicts", "to_dict"):
        if hasattr(values, method) and not isinstance(values, Mapping):
            rows = values.to_dicts() if method == "to_dicts" else values.to_dict("records")
            return [{key: read_cell(cell) for key, cell in row.items()} for row in rows]
    if isinstance(values, Mapping | str | bytes) or not isinstance(values, Iterable):
        raise UsageError(
            f"{name} are {type(values).__name__}; expected a file, a DataFrame, a list of "
            f"records, or {name.removeprefix('the ')}"
        )
    return list(values)


def _one(predictions: Mapping[str, Prediction] | None) -> list[Predictions] | None:
    return None if predictions is None else [replace(_IN_MEMORY, by_id=predictions)]


def _from_records(
    records: Sequence[Any], columns: Mapping[str, str], databases: Databases | None
) -> tuple[Benchmark, list[Predictions] | None]:
    """Cases that may carry their predictions; a case with trials may stand in several records."""
    cases: dict[str, Case] = {}
    entries: list[PredictionEntry] = []
    for number, record in enumerate(records):
        where = f"record {number}"
        if not isinstance(record, Mapping):
            raise UsageError(f"{where} is {type(record).__name__}; expected a mapping")
        fields = rename(record, columns, where)
        fields.setdefault("id", str(number))
        fields.setdefault("db_id", (databases.only if databases else None) or "database")
        case = case_from(fields, where, databases, Path())
        if case.id in cases and (fields.get(TRIAL) is None or cases[case.id] != case):
            raise UsageError(f"{where}: case id {case.id!r} is given twice; ids must be unique")
        cases[case.id] = case
        if any(key in fields for key in ANSWER_KEYS):
            entries += answer_entries(fields, case.id, where, _file({}))
    benchmark = as_benchmark(list(cases.values()))
    return benchmark, pair_entries(Entries(entries), list(cases), _IN_MEMORY) if entries else None


def _file(columns: Mapping[str, str]) -> PredictionFile:
    """Stands for the file of records that were given in memory."""
    return PredictionFile(Path("the predictions"), (), columns=columns, part="")


def read_predictions(
    predictions: Any,
    case_ids: Sequence[str],
    own: list[Predictions] | None,
    columns: Mapping[str, str],
) -> list[Predictions]:
    """The predictions for each trial.

    Args:
        predictions: A file, a table, records with ids, a mapping by id, or a list by position.
        case_ids: The ids of the cases.
        own: Those that the cases carry.
        columns: From names in a file, a table or records to our fields.

    Raises:
        UsageError: there are none, or not as many as cases.
        PredictionError: they do not fit the cases.
    """
    if predictions is None:
        if own is None:
            raise UsageError("no predictions: give them, or cases that carry a 'prediction' each")
        return own
    if isinstance(predictions, str | os.PathLike):
        return load_trials(Path(os.fspath(predictions)), case_ids, columns=columns)
    if isinstance(predictions, Mapping):
        return _by_id({str(case_id): each for case_id, each in predictions.items()}, case_ids)
    answers = _records(predictions, "the predictions")
    if answers and all(isinstance(answer, Mapping) for answer in answers):
        file = _file(prediction_column_map(columns))
        entries = [
            entry
            for number, record in enumerate(answers)
            for entry in record_entries(dict(record), f"record {number}", file)
        ]
        return pair_entries(Entries(entries), case_ids, _IN_MEMORY)
    if len(answers) != len(case_ids):
        raise UsageError(f"{len(answers)} predictions for {len(case_ids)} cases")
    return _by_id(dict(zip(case_ids, answers, strict=True)), case_ids)


def _by_id(predictions: Mapping[str, Any], case_ids: Sequence[str]) -> list[Predictions]:
    """Predictions by id; lists of them are trials."""
    if not any(isinstance(each, list | tuple) for each in predictions.values()):
        return [replace(_IN_MEMORY, by_id=predictions)]
    entries = [
        entry
        for case_id, each in predictions.items()
        for entry in answer_entries(
            {"prediction": list(each) if isinstance(each, tuple) else each},
            case_id,
            f"case {case_id!r}",
            _file({}),
        )
    ]
    return pair_entries(Entries(entries), case_ids, _IN_MEMORY)
