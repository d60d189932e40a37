"""What whole runs are given: cases and predictions as files, tables or records.

Predictions come as one mapping from case id to prediction for each trial: one, unless there are
several answers to each question.
"""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any

from sqlverdict.api.arguments import (
    Reference,
    read_columns,
    read_reference,
    text_from,
)
from sqlverdict.api.predictions import (
    IN_MEMORY,
    PredictionArguments,
    memory_file,
    read_predictions,
)
from sqlverdict.api.rows import (
    GAP,
    answer_cells,
    check_columns,
    check_gaps,
    read_records,
    without_gaps,
)
from sqlverdict.api.spelling import argument_text
from sqlverdict.errors import Part, UsageError, message_text
from sqlverdict.execute.engine import (
    DEFAULT_ENGINE,
    ENGINES,
    check_fits,
    engine_of,
    engine_of_cases,
)
from sqlverdict.load.benchmark import Benchmark, ChangedCases, PairedCases
from sqlverdict.load.columns.column_map import (
    LEAVE_OUT,
    absent_columns,
    column_map,
    join_maps,
    other_spellings,
    rename,
)
from sqlverdict.load.columns.guess import HEAD, guess_columns
from sqlverdict.load.databases import DatabaseLocation, Databases, find_databases, shared_note
from sqlverdict.load.fields import ANSWER_KEYS, TRIAL, case_from
from sqlverdict.load.prediction_entries import Entries, PredictionEntry, answer_entries
from sqlverdict.load.predictions import Predictions, pair_entries
from sqlverdict.load.tables.cases import read_own_file
from sqlverdict.load.turns import TurnReader, in_turn_of
from sqlverdict.records import Case, Prediction
from sqlverdict.run.options import Options
from sqlverdict.run.task import as_benchmark

_NO_PREDICTIONS = "no predictions: give predictions="
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
    allow_missing: bool = False
    sheet: str = ""


@dataclass(frozen=True)
class CaseInputs:
    """The cases of a whole run.

    Attributes:
        benchmark: The cases.
        predictions: The predictions that they carry; ``None``: none.
        absent: The columns of the map that they do not have, so that the predictions must.
    """

    benchmark: Benchmark
    predictions: list[Predictions] | None = None
    absent: tuple[str, ...] = ()


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
    options = Options() if arguments.options is None else arguments.options
    if not isinstance(options, Options):
        raise UsageError(f"options is {type(options).__name__}; expected a sqlverdict.Options")
    if where is not None and options.engine == DEFAULT_ENGINE:
        options = replace(options, engine=engine_of(where))
    if where is not None:
        check_fits(options.engine, where)
    if arguments.metrics is not None:
        options = replace(options, metrics=arguments.metrics)
    location = DatabaseLocation.of(where, ENGINES.get(options.engine))
    columns = read_columns(arguments.columns, "columns")
    strict = not arguments.allow_missing
    inline, sheet = predictions is None, text_from(arguments.sheet, "sheet")
    read = read_case_inputs(cases, location, columns, where, inline, strict_ids=strict, sheet=sheet)
    benchmark = read.benchmark
    if where is None and options.engine == DEFAULT_ENGINE:
        options = replace(options, engine=engine_of_cases(benchmark.cases))
    own = read_columns(arguments.prediction_columns, "prediction_columns")
    if predictions is None:
        trials = _carried(read, own)
    else:
        needed = {
            "columns": {name: columns[name] for name in read.absent if name not in own},
            "prediction_columns": {each: own[each] for each in own if own[each] != LEAVE_OUT},
        }
        sessions = benchmark.session_sizes()
        reading = PredictionArguments(join_maps(columns, own), needed, strict, sessions)
        case_ids = [case_id for case_id, _ in benchmark.case_names()]
        trials = read_predictions(predictions, case_ids, reading)
    return RunInputs(benchmark, trials, _with_workers(options, arguments.workers, benchmark))


def _carried(cases: CaseInputs, columns: Mapping[str, str]) -> list[Predictions]:
    """The predictions that the cases carry.

    Raises:
        UsageError: there are none, or a column map is for others.
    """
    if columns:
        raise UsageError(
            "prediction_columns is for predictions that are given separately; for those inside "
            "the cases give columns"
        )
    if cases.predictions is None:
        raise UsageError(f"{_NO_PREDICTIONS}, or cases that carry a 'prediction' each")
    return cases.predictions


def _with_workers(options: Options, workers: int | None, benchmark: Benchmark) -> Options:
    """The options with as many processes as the call says, or they say; none for few cases."""
    if workers is not None:
        return replace(options, workers=workers)
    if options.workers is not None or options.on:
        return options
    count = benchmark.count
    if count is None:
        count = sum(1 for _ in islice(benchmark.cases, _FEW + 1))
    return replace(options, workers=0) if count <= _FEW else options


def _with_databases(benchmark: Benchmark, databases: Databases | None) -> Benchmark:
    """The benchmark, with a database for each case that names none."""
    if databases is None:
        return benchmark
    return replace(benchmark, cases=ChangedCases(benchmark.cases, partial(_located, databases)))


def _located(databases: Databases, case: Case) -> Case:
    if case.database is not None:
        return case
    return replace(case, database=databases.expected(case.db_id))


def read_case_inputs(
    cases: Any,
    location: DatabaseLocation,
    columns: Mapping[str, str],
    where: str | None,
    inline: bool,
    *,
    strict_ids: bool = True,
    sheet: str = "",
) -> CaseInputs:
    """The benchmark, and the predictions that it carries.

    Raises:
        UsageError: the cases are of another type, or a column map names a column that they do not
            have.
        BenchmarkError: a case cannot be read.
    """
    databases = find_databases(Path(), (".",), location) if where is not None else None
    if sheet and not isinstance(cases, str | os.PathLike):
        raise UsageError(f"sheet={sheet!r} is for an Excel file; the cases are none: leave it out")
    if isinstance(cases, Benchmark):
        own = _one(cases.predictions)
        return CaseInputs(_with_databases(cases, databases), own, _absent((), columns, inline))
    if isinstance(cases, str | os.PathLike):
        path = Path(os.fspath(cases))
        benchmark = read_own_file(path, location if where else None, columns, sheet)
        _warn_of_guess(benchmark.column_note)
        carried = benchmark.cases
        absent: tuple[str, ...] = ()
        if isinstance(carried, PairedCases):
            absent = _absent_from_file(carried, column_map(columns), inline)
        if not inline or not isinstance(carried, PairedCases):
            return CaseInputs(benchmark, None, absent)
        if not carried.carries_predictions:
            raise carried.no_predictions(f"{_NO_PREDICTIONS}, or answers in the same file.")
        own = _one({case.id: prediction for case, prediction in carried.pairs()})
        return CaseInputs(benchmark, own, absent)
    records = read_records(cases, "the cases")
    if all(isinstance(record, Case) for record in records):
        objects = [case for case in records if isinstance(case, Case)]
        if databases is not None:
            objects = [_located(databases, case) for case in objects]
        return CaseInputs(as_benchmark(objects), None, _absent((), columns, inline))
    for number, record in enumerate(records):
        if not isinstance(record, Mapping):
            raise UsageError(f"record {number} is {type(record).__name__}; expected a mapping")
    mapped = column_map(columns)
    absent = _absent(records, mapped, inline)
    guessed = _with_guess(records, mapped, inline)
    benchmark, entries = _from_records(records, guessed, databases, inline)
    if not entries:
        return CaseInputs(benchmark, None, absent)
    case_ids = [case_id for case_id, _ in benchmark.case_names()]
    trials = pair_entries(Entries(entries), case_ids, IN_MEMORY, strict_ids=strict_ids)
    return CaseInputs(benchmark, trials, absent)


def _absent(
    records: Sequence[Mapping[str, Any]], columns: Mapping[str, str], inline: bool
) -> tuple[str, ...]:
    """The columns of a map that no record of the cases has, so that the predictions must.

    Raises:
        UsageError: they cannot be there.
    """
    elsewhere = {} if inline else join_maps(columns, {})
    used = [name for name, target in columns.items() if target != LEAVE_OUT]
    here = [name for name in used if name not in elsewhere]
    check_columns("columns", columns, here, records, "the cases")
    return tuple(absent_columns(records, used))


def _absent_from_file(
    cases: PairedCases, columns: Mapping[str, str], inline: bool
) -> tuple[str, ...]:
    """As :func:`_absent`, for a file of cases, which checks the fields of cases itself."""
    header = dict.fromkeys(
        [*cases.named_columns[1], *(each for each in columns if each not in cases.lacks)]
    )
    return _absent([header], columns, inline)


def _one(predictions: Mapping[str, Prediction] | None) -> list[Predictions] | None:
    return None if predictions is None else [replace(IN_MEMORY, by_id=predictions)]


def _with_guess(
    records: Sequence[Mapping[str, Any]], columns: Mapping[str, str], inline: bool
) -> Mapping[str, str]:
    """The column map, with what names and cells show where neither it nor the names say it.

    Raises:
        UnclearColumns: there is no gold; or no prediction, and several columns may be it.
    """
    head = records[:HEAD]
    header = list(dict.fromkeys(name for record in head for name in record))
    spellings = other_spellings(header, columns)
    guess = guess_columns(header, head, columns, spellings)
    if records and not guess.has_gold:
        raise guess.missing("the cases have no gold queries.")
    if inline and guess.queries and not guess.has_prediction and "abstained" not in header:
        raise guess.missing(f"{_NO_PREDICTIONS}, or answers in the cases.")
    _warn_of_guess(guess.sentence("the cases"))
    return {**columns, **spellings, **guess.columns}


def _warn_of_guess(column_note: Sequence[Part]) -> None:
    """Say which columns were taken for what: it decides what is compared with what."""
    if column_note:
        text = message_text(column_note, partial(argument_text, arguments=("columns",)))
        warnings.warn(text, UserWarning, stacklevel=_caller_level())


def _caller_level() -> int:
    """How many frames lie between a warning and the code that called this package."""
    frame, level = sys._getframe(1), 1
    while frame.f_back is not None and frame.f_globals["__name__"].startswith("sqlverdict."):
        frame, level = frame.f_back, level + 1
    return level


def _from_records(
    records: Sequence[Any], columns: Mapping[str, str], databases: Databases | None, inline: bool
) -> tuple[Benchmark, list[PredictionEntry]]:
    """Cases that may carry their predictions; a case with trials may stand in several records."""
    cases: dict[str, Case] = {}
    entries: list[PredictionEntry] = []
    missing: list[str] = []
    turns = TurnReader()
    for number, record in enumerate(records):
        where = f"record {number}"
        fields = rename(without_gaps(record, columns), columns, where)
        fields.setdefault("id", str(number))
        fields.setdefault("db_id", (databases.only if databases else None) or "database")
        case = case_from(fields, where, databases, Path())
        known = cases.get(case.id)
        case = in_turn_of(case, known) if known else turns.with_turn(case, fields, where)
        if case.id in cases and (fields.get(TRIAL) is None or cases[case.id] != case):
            raise UsageError(f"{where}: case id {case.id!r} is given twice; ids must be unique")
        cases[case.id] = case
        if inline and any(key in fields for key in ANSWER_KEYS):
            entries += answer_entries(fields, case.id, where, memory_file({}))
        elif inline and any(value is GAP for value in answer_cells(record, columns)):
            missing.append(case.id)
    benchmark = as_benchmark(list(cases.values()))
    on_databases = [case.db_id for case in cases.values() if case.database is not None]
    if databases is not None and (note := shared_note("a record", databases, on_databases)):
        benchmark = replace(benchmark, notes=(*benchmark.notes, note))
    check_gaps(missing, len(records))
    return benchmark, entries
