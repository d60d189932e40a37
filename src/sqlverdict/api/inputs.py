"""What whole runs are given: cases and predictions as files, tables or records.

Predictions come as one mapping from case id to prediction for each trial: one, unless there are
several answers to each question.
"""

from __future__ import annotations

import os
import warnings
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from sqlverdict.api.arguments import Reference, is_gap, read_cell, read_reference, read_reply
from sqlverdict.errors import PredictionError, UsageError
from sqlverdict.execute.engine import DEFAULT_ENGINE, ENGINES, engine_of, engine_of_cases
from sqlverdict.files.text import few_of
from sqlverdict.load.benchmark import BENCHMARKS, Benchmark, PairedCases
from sqlverdict.load.columns.column_map import column_map, join_maps, prediction_column_map, rename
from sqlverdict.load.columns.guess import HEAD, guess_columns
from sqlverdict.load.databases import DatabaseLocation, Databases, find_databases
from sqlverdict.load.fields import ANSWER_KEYS, CASE_ALIASES, ID_KEYS, TRIAL, case_from, id_from
from sqlverdict.load.no_sql import read_prediction
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
_GAP = object()
"""An empty cell of a table: ``None`` in most fields, and a missing prediction where one belongs."""

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
    names = benchmark.case_names() if predictions is not None else []
    case_ids = [case_id for case_id, _ in names]
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
        _warn_of_guess(benchmark.column_note)
        carried = benchmark.cases
        if not inline or not isinstance(carried, PairedCases) or not carried.carries_predictions:
            return benchmark, None
        return benchmark, _one({case.id: prediction for case, prediction in carried.pairs()})
    records = _records(cases, "the cases")
    if all(isinstance(record, Case) for record in records):
        return as_benchmark([case for case in records if isinstance(case, Case)]), None
    databases = find_databases(Path(), (".",), location) if where is not None else None
    for number, record in enumerate(records):
        if not isinstance(record, Mapping):
            raise UsageError(f"record {number} is {type(record).__name__}; expected a mapping")
    return _from_records(records, _with_guess(records, column_map(columns)), databases, inline)


def _records(values: Any, name: str) -> list[Any]:
    """The rows of a table, or the entries of a list; empty cells are marked as such."""
    if isinstance(values, Mapping):
        pass
    elif hasattr(values, "to_dicts"):
        # A null of such a table may be a row that a join did not find: nobody wrote it.
        return [
            {key: _GAP if cell is None else _cell(cell) for key, cell in row.items()}
            for row in values.to_dicts()
        ]
    elif hasattr(values, "to_dict") and hasattr(values, "columns"):
        repeated = [each for each, times in Counter(map(str, values.columns)).items() if times > 1]
        if repeated:
            raise UsageError(
                f"{name} have {few_of(repeated)} as the name of several columns; rename all but one"
            )
        return [_row(row) for row in values.to_dict("records")]
    elif hasattr(values, "tolist") and isinstance(entries := values.tolist(), list):
        return [_cell(entry) for entry in entries]
    if isinstance(values, Mapping | str | bytes) or not isinstance(values, Iterable):
        raise UsageError(
            f"{name} are {type(values).__name__}; expected a file, a DataFrame, a list of "
            f"records, or {name.removeprefix('the ')}"
        )
    return [_row(entry) if isinstance(entry, Mapping) else _cell(entry) for entry in values]


def _row(row: Mapping[Any, Any]) -> dict[str, Any]:
    return {str(key): _cell(cell) for key, cell in row.items()}


def _cell(cell: Any) -> Any:
    return _GAP if is_gap(cell) else read_cell(cell)


def _without_gaps(record: Mapping[str, Any], columns: Mapping[str, str]) -> dict[str, Any]:
    """A record whose gaps are ``None``; a prediction that is a gap is left out."""
    return {
        key: None if value is _GAP else value
        for key, value in record.items()
        if value is not _GAP or _field(key, columns) not in ANSWER_KEYS
    }


def _field(name: str, columns: Mapping[str, str]) -> str:
    target = columns.get(name, name)
    return CASE_ALIASES.get(target, target)


def _check_gaps(missing: Sequence[str], total: int) -> None:
    """Refuse predictions that are missing: an abstention is a value that somebody gave.

    Raises:
        PredictionError: there are some.
    """
    if missing:
        raise PredictionError(
            f"the predictions: {len(missing)} of {total} are an empty cell, such as NaN (id "
            f"{few_of(missing)}). Expected a prediction for each case. An abstention is None in a "
            f"list, a mapping or a column of Python objects (dtype=object), or true in a column "
            f"'abstained'."
        )


def _one(predictions: Mapping[str, Prediction] | None) -> list[Predictions] | None:
    return None if predictions is None else [replace(_IN_MEMORY, by_id=predictions)]


def _with_guess(
    records: Sequence[Mapping[str, Any]], columns: Mapping[str, str]
) -> Mapping[str, str]:
    """The column map, with what names and cells show where neither it nor the names say it.

    Raises:
        UnclearColumns: there is no gold.
    """
    head = records[:HEAD]
    header = list(dict.fromkeys(name for record in head for name in record))
    guess = guess_columns(header, head, columns)
    if records and not guess.has_gold:
        raise guess.missing("the cases have no gold queries.")
    _warn_of_guess(guess.sentence("the cases"))
    return {**columns, **guess.columns}


def _warn_of_guess(column_note: str) -> None:
    """Say which columns were taken for what: it decides what is compared with what."""
    if column_note:
        warnings.warn(column_note, UserWarning, stacklevel=6)


def _from_records(
    records: Sequence[Any], columns: Mapping[str, str], databases: Databases | None, inline: bool
) -> tuple[Benchmark, list[Predictions] | None]:
    """Cases that may carry their predictions; a case with trials may stand in several records."""
    cases: dict[str, Case] = {}
    entries: list[PredictionEntry] = []
    missing: list[str] = []
    for number, record in enumerate(records):
        where = f"record {number}"
        fields = rename(_without_gaps(record, columns), columns, where)
        fields.setdefault("id", str(number))
        fields.setdefault("db_id", (databases.only if databases else None) or "database")
        case = case_from(fields, where, databases, Path())
        if case.id in cases and (fields.get(TRIAL) is None or cases[case.id] != case):
            raise UsageError(f"{where}: case id {case.id!r} is given twice; ids must be unique")
        cases[case.id] = case
        if inline and any(key in fields for key in ANSWER_KEYS):
            entries += answer_entries(fields, case.id, where, _file({}))
        elif inline and any(value is _GAP for value in _answers(record, columns)):
            missing.append(case.id)
    benchmark = as_benchmark(list(cases.values()))
    _check_gaps(missing, len(records))
    return benchmark, pair_entries(Entries(entries), list(cases), _IN_MEMORY) if entries else None


def _answers(record: Mapping[str, Any], columns: Mapping[str, str]) -> list[Any]:
    return [value for key, value in record.items() if _field(key, columns) in ANSWER_KEYS]


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
        return _by_id(predictions.items(), case_ids)
    answers = _records(predictions, "the predictions")
    if answers and all(isinstance(answer, Mapping) for answer in answers):
        return _by_record(answers, case_ids, prediction_column_map(columns))
    if answers and all(isinstance(answer, Prediction) for answer in answers):
        return _by_id([(answer.case_id, answer) for answer in answers], case_ids)
    if len(answers) != len(case_ids):
        raise UsageError(f"{len(answers)} predictions for {len(case_ids)} cases")
    if hasattr(predictions, "tolist") and hasattr(predictions, "index"):
        # A column of a table, which may be indexed by the ids; else its index is of rows.
        index = list(map(str, predictions.index))
        if index != list(map(str, range(len(index)))) and {*index} == {*case_ids}:
            return _by_id(zip(index, answers, strict=True), case_ids)
    return _by_id(zip(case_ids, answers, strict=True), case_ids)


def _by_record(
    records: Sequence[Mapping[str, Any]], case_ids: Sequence[str], columns: Mapping[str, str]
) -> list[Predictions]:
    """Predictions of records that name their cases."""
    file = _file(columns)
    entries: list[PredictionEntry] = []
    missing: list[str] = []
    for number, record in enumerate(records):
        fields = _without_gaps(record, columns)
        answers = _answers(record, columns)
        if any(value is _GAP for value in answers) and not _answers(fields, columns):
            name = next((each for each in record if _field(each, columns) in ID_KEYS), None)
            missing.append(str(record[name]) if name is not None else f"in record {number}")
            continue
        entries += record_entries(fields, f"record {number}", file)
    _check_gaps(missing, len(records))
    return pair_entries(Entries(entries), case_ids, _IN_MEMORY)


def _by_id(predictions: Iterable[tuple[Any, Any]], case_ids: Sequence[str]) -> list[Predictions]:
    """Predictions by id; lists of them are trials."""
    entries: list[PredictionEntry] = []
    missing: list[str] = []
    for key, value in predictions:
        case_id = id_from(read_cell(key), "the predictions", PredictionError)
        where, answer = f"key {key!r}", _cell(value)
        if answer is _GAP:
            missing.append(case_id)
        elif isinstance(answer, list | tuple):
            entries += answer_entries({"prediction": list(answer)}, case_id, where, _file({}))
        else:
            entries.append(PredictionEntry(case_id, where, _prediction(case_id, answer)))
    _check_gaps(missing, len(missing) + len(entries))
    return pair_entries(Entries(entries), case_ids, _IN_MEMORY)


def _prediction(case_id: str, answer: Any) -> Prediction:
    """One prediction of a case.

    Raises:
        UsageError: it is of another type.
        PredictionError: it says that it is another case's.
    """
    reply = read_reply(answer)
    if isinstance(reply, Prediction) and reply.case_id != case_id:
        raise PredictionError(
            f"the predictions: the one for case {case_id!r} has the case_id {reply.case_id!r}. "
            f"Expected the same; correct one of them."
        )
    return read_prediction(case_id, reply)
