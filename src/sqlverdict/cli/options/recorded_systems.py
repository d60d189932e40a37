"""Systems whose answers are in the file of the cases: ``evaluate --system NAME``.

A benchmark's file may record systems (``load/system_records.py``). In a file of the user's own each
column of answers is a system: a sheet with a question, a gold and one column for each model.
"""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from sqlverdict.cli.options.data import (
    CaseArgs,
    only_option,
    overlay_option,
    shard_option,
)
from sqlverdict.cli.options.fields import option
from sqlverdict.cli.options.predictions import PredictionArgs, run_folder
from sqlverdict.errors import BenchmarkError, PredictionError, UsageError
from sqlverdict.files.text import count, few_of, near, need_file
from sqlverdict.load.benchmark import BENCHMARKS, Benchmark
from sqlverdict.load.columns.column_map import LEAVE_OUT, column_map, other_spellings
from sqlverdict.load.fields import PREDICTION_FIELDS, SQL_KEYS
from sqlverdict.load.own_files.jsonl import JsonlCases
from sqlverdict.load.predictions import Predictions
from sqlverdict.load.system_records import RecordsSystems
from sqlverdict.load.tables.cases import TableCases, open_cases, own_format, read_own_file
from sqlverdict.load.tables.open_table import table_format
from sqlverdict.pipeline import System
from sqlverdict.records import Prediction
from sqlverdict.runlog.merge import Shard

_ANSWER = "prediction"


@dataclass(frozen=True, kw_only=True)
class SystemCaseArgs(CaseArgs):
    """Where the cases are, and which systems their file records.

    Attributes:
        system: The systems.
    """

    system: tuple[str, ...] = option(
        "--system",
        multiple=True,
        metavar="NAME",
        help="A system whose answers the file of the cases has: a column of --cases, or a name in "
        "the benchmark's file. Repeatable.",
    )
    overlays: tuple[tuple[str, Path], ...] = overlay_option(is_setting=False)
    only: tuple[str, ...] = only_option(is_setting=False)
    shard: Shard | None = shard_option(is_setting=False)

    @property
    def case_columns(self) -> dict[str, str]:
        """The column map for the cases: answers of systems are no part of them.

        Raises:
            UsageError: several columns are the prediction.
        """
        answers = [name for name, target in self.columns if target == _ANSWER]
        if len(answers) > 1:
            words = shlex.join(word for name in answers for word in ("--system", name))
            raise UsageError(f"several columns are read as {_ANSWER!r}. To evaluate each: {words}")
        systems = self.system if self.cases is not None else ()
        return {**dict(self.columns), **dict.fromkeys(systems, LEAVE_OUT)}


def read_recorded(
    args: PredictionArgs, data: SystemCaseArgs, benchmark: Benchmark, out: Path | None
) -> tuple[Benchmark, list[System]]:
    """The recorded systems of ``--system``, and the cases that they are evaluated on.

    Args:
        args: What the user asked for.
        data: Where the cases are, and the systems.
        benchmark: The benchmark, whole.
        out: Where the runs go.

    Raises:
        UsageError: the file records no systems, or not this one.
        PredictionError: a case has no record, and the user did not say what to do then.
    """
    if args.name is not None and len(data.system) > 1:
        raise UsageError("--name names one system; leave it out where there are several")
    repeated = [name for name in data.system if data.system.count(name) > 1]
    if repeated:
        raise UsageError(f"--system {repeated[0]} is given twice; give each system once")
    records = _column_systems(args, data) if data.cases is not None else _systems(data)
    ids = every = [case.id for case in benchmark.cases]
    if args.recorded_only:
        ids = [case_id for case_id in every if all(case_id in record for record in records)]
    systems = []
    for name, record in zip(data.system, records, strict=True):
        missing = [case_id for case_id in ids if case_id not in record]
        if missing and not args.allow_missing:
            raise PredictionError(
                f"{record.notes[0]}. A missing answer is never an abstention: give --set "
                f"recorded-only=true to evaluate those that are recorded, or --allow-missing to "
                f"count the others as no SQL.",
                reason="incomplete",
            )
        answers = {**record.by_id, **{case_id: Prediction(case_id) for case_id in missing}}
        folder = run_folder(args.name or name, out, len(data.system))
        digest = f"{record.sha256} {name}"
        systems.append(System(args.name or name, answers, folder, digest, record.notes))
    if len(ids) == len(every):
        return benchmark, systems
    return _cut(benchmark, ids, data.system, len(every)), systems


def _systems(data: SystemCaseArgs) -> list[Predictions]:
    """The answers that a benchmark's file records."""
    reader: object = BENCHMARKS.get(data.benchmark) if data.benchmark else None
    if data.root is None or not isinstance(reader, RecordsSystems):
        raise _no_systems()
    return [reader.predictions(data.root, name, split=data.split) for name in data.system]


def _no_systems() -> UsageError:
    return UsageError(
        "--system takes a column of a table of --cases FILE, or a system that the benchmark's file "
        "records, as with --benchmark trustsql or ehrsql2024; for predictions of your own give "
        "--predictions FILE"
    )


def _column_systems(args: PredictionArgs, data: SystemCaseArgs) -> list[Predictions]:
    """The answers in columns of the file of cases.

    Raises:
        UsageError: there is no such column, or another one is the prediction.
        PredictionError: an answer cannot be read.
    """
    if args.prediction_columns:
        raise UsageError("the setting prediction-column is for prediction files; give --column")
    mapped = [name for name, target in column_map(dict(data.columns)).items() if target == _ANSWER]
    if mapped:
        raise UsageError(
            f"--system names the columns of answers: give --system {mapped[0]} instead of "
            f"--column {mapped[0]}={_ANSWER}"
        )
    cases = _own_cases(data, data.case_columns)[1]
    _check_header(data, cases.guess.header)
    # What was taken for the gold beside all columns is the gold beside each of them.
    known = {name: LEAVE_OUT if to == _ANSWER else to for name, to in cases.columns.items()}
    columns = {**_left_out(data, cases.guess.header), **known}
    return [_answers(data, {**columns, name: _ANSWER}, name) for name in data.system]


def check_systems(data: SystemCaseArgs) -> None:
    """Refuse systems that are no columns of a table of cases, before anything else is said of it.

    Raises:
        UsageError: there is no such column, or a gold file, which has none.
        BenchmarkError: the table cannot be read.
    """
    if data.cases is None or not data.system:
        return
    if own_format(data.cases) == "goldfile":
        raise _no_systems()
    if table_format(data.cases) is not None:
        need_file(data.cases, BenchmarkError)
        _check_header(data, open_cases(data.cases, data.case_columns, data.case_sheet).header)


def _check_header(data: SystemCaseArgs, header: Sequence[str]) -> None:
    for name in data.system:
        if name not in header and "." not in name:
            raise UsageError(
                f"--system {name}: {data.cases} has no column {name!r}.{near(name, header)} It has "
                f"{few_of(header, 12)}."
            )


def _left_out(data: SystemCaseArgs, header: Sequence[str]) -> dict[str, str]:
    """The columns such as ``confidence``, which do not say whose answer they are about."""
    spellings = other_spellings(header, data.case_columns)
    return {
        name: LEAVE_OUT
        for name in header
        if name not in data.case_columns
        and spellings.get(name, name).partition(".")[0] in (*PREDICTION_FIELDS, *SQL_KEYS)
    }


def _answers(data: SystemCaseArgs, columns: Mapping[str, str], name: str) -> Predictions:
    benchmark, cases = _own_cases(data, columns)
    answers = {case.id: prediction for case, prediction in cases.pairs()}
    left_out = [each for each, target in columns.items() if target == LEAVE_OUT]
    others = [each for each in left_out if each not in (*data.system, *dict(data.columns))]
    assert data.cases is not None
    file = data.cases.name
    notes = (f"{file}: not used with --system: {few_of(others, 10)}",) if others else ()
    return Predictions(answers, str(data.cases), name, benchmark.sources[0].sha256, notes)


def _own_cases(
    data: SystemCaseArgs, columns: Mapping[str, str]
) -> tuple[Benchmark, TableCases | JsonlCases]:
    assert data.cases is not None
    benchmark = read_own_file(data.cases, data.location, dict(columns), data.case_sheet)
    assert isinstance(benchmark.cases, TableCases | JsonlCases), "--cases is the user's own file"
    return benchmark, benchmark.cases


def _cut(benchmark: Benchmark, ids: Sequence[str], names: Sequence[str], total: int) -> Benchmark:
    """The benchmark with only the recorded cases, and a note that says so."""
    recorded = set(ids)
    cases = [case for case in benchmark.cases if case.id in recorded]
    note = f"only {len(ids):,} of {count(total, 'case')}: those recorded for {' and '.join(names)}"
    return replace(benchmark, cases=cases, count=len(cases), notes=(*benchmark.notes, note))
