"""Whose predictions ``evaluate`` scores: prediction files, or systems that a benchmark records."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, ClassVar

import click

from sqlverdict.cli.command import Heading, option
from sqlverdict.cli.options.data import CaseArgs
from sqlverdict.cli.options.shared import COLUMN, split_name
from sqlverdict.errors import PredictionError, UsageError
from sqlverdict.files.text import count
from sqlverdict.load.benchmark import BENCHMARKS, Benchmark
from sqlverdict.load.columns.column_map import join_maps
from sqlverdict.load.predictions import load_trials
from sqlverdict.load.system_records import RecordsSystems
from sqlverdict.pipeline import System
from sqlverdict.records import Prediction
from sqlverdict.run.inputs import trial_systems
from sqlverdict.run.options import RUN


def prediction_format_option() -> Any:
    """``--prediction-format``."""
    return option(
        "--prediction-format",
        metavar="FORMAT",
        heading=Heading.DATA,
        help="Force this format instead of detecting it.",
    )


@dataclass(frozen=True, kw_only=True)
class PredictionArgs:
    """Whose predictions are scored, and how they are read."""

    HEADING: ClassVar[Heading] = Heading.DATA

    predictions: tuple[str, ...] = option(
        "--predictions",
        multiple=True,
        metavar="[NAME=]FILE",
        help="A file of predictions, or a folder with one file per case. Repeatable.",
    )
    system: tuple[str, ...] = option(
        "--system",
        multiple=True,
        metavar="NAME",
        help="A system whose answers the benchmark's file records. Repeatable.",
    )
    recorded_only: bool = option(
        "--recorded-only",
        is_flag=True,
        help="With --system: only the cases that it has a record of.",
    )
    prediction_format: str | None = prediction_format_option()
    prediction_columns: tuple[tuple[str, str], ...] = option(
        "--prediction-column",
        multiple=True,
        type=COLUMN,
        metavar="NAME=FIELD",
        help="As --column, for the prediction files alone. Repeatable.",
    )
    allow_missing: bool = option(
        "--allow-missing", is_flag=True, help="Count missing predictions as no SQL."
    )
    no_sql: str = option(
        "--no-sql",
        default="wrong",
        type=click.Choice(["wrong", "abstain"]),
        help="How to count a reply that has text and no SQL.",
    )
    answers: str = option(
        "--answers",
        default=RUN,
        type=click.Choice(["run", "recorded"]),
        help="Run the queries, or use recorded results, where a case has both.",
    )
    name: str | None = option("--name", help="The system's name in reports. [default: its file's]")


def read_systems(
    args: PredictionArgs, benchmark: Benchmark, columns: Mapping[str, str], out: Path | None = None
) -> list[System]:
    """The systems of ``--predictions``, each paired with every case of the whole benchmark.

    A file with several answers to each question is as many systems, its trials.

    Args:
        args: What the user asked for.
        benchmark: The benchmark, whole.
        columns: The user's column map.
        out: Where the runs go.

    Raises:
        UsageError: two systems have the same name.
        PredictionError: a file does not fit the cases.
    """
    systems = [split_name(text) for text in args.predictions]
    if args.name is not None:
        if len(systems) > 1:
            raise UsageError("--name names one system; with several write --predictions NAME=FILE")
        systems = [(args.name, systems[0][1])]
    names = [name for name, _ in systems]
    repeated = sorted({name for name in names if names.count(name) > 1})
    if repeated:
        raise UsageError(
            f"two systems are called {repeated[0]!r}: give them names, --predictions NAME=FILE"
        )
    cases = benchmark.case_names()
    ids, db_ids = [case_id for case_id, _ in cases], [db_id for _, db_id in cases]
    read: list[System] = []
    columns = join_maps(columns, dict(args.prediction_columns))
    mapped = "".join(f" {column}={target}" for column, target in sorted(columns.items()))
    for name, file in systems:
        trials = load_trials(
            file,
            ids,
            format=args.prediction_format,
            db_ids=db_ids,
            strict_ids=not args.allow_missing,
            columns=columns,
        )
        folder, digest = run_folder(name, out, len(systems)), trials[0].sha256 + mapped
        if len(trials) > 1:
            read += trial_systems(trials, name, folder, digest)
        else:
            read.append(System(name, trials[0], folder, digest, trials[0].notes))
    return read


def read_recorded(
    args: PredictionArgs, data: CaseArgs, benchmark: Benchmark, out: Path | None
) -> tuple[Benchmark, list[System]]:
    """The recorded systems of ``--system``, and the cases that they are evaluated on.

    Args:
        args: What the user asked for.
        data: Where the cases are.
        benchmark: The benchmark, whole.
        out: Where the runs go.

    Raises:
        UsageError: the benchmark records no systems, or not this one.
        PredictionError: a case has no record, and the user did not say what to do then.
    """
    reader: object = BENCHMARKS.get(data.benchmark) if data.benchmark else None
    if data.root is None or not isinstance(reader, RecordsSystems):
        raise UsageError(
            "--system takes a system that the benchmark's file records, as with --benchmark "
            "trustsql or ehrsql2024; for predictions of your own give --predictions FILE"
        )
    if args.name is not None and len(args.system) > 1:
        raise UsageError("--name names one system; leave it out where there are several")
    every = [case.id for case in benchmark.cases]
    records = [reader.predictions(data.root, name, split=data.split) for name in args.system]
    ids = every
    if args.recorded_only:
        ids = [case_id for case_id in every if all(case_id in record for record in records)]
    systems = []
    for name, record in zip(args.system, records, strict=True):
        missing = [case_id for case_id in ids if case_id not in record]
        if missing and not args.allow_missing:
            raise PredictionError(
                f"{record.notes[0]}. A missing answer is never an abstention: give --recorded-only "
                f"to evaluate the cases that are recorded, or --allow-missing to count the others "
                f"as no SQL."
            )
        answers = {**record.by_id, **{case_id: Prediction(case_id) for case_id in missing}}
        folder = run_folder(args.name or name, out, len(args.system))
        digest = f"{record.sha256} {name}"
        systems.append(System(args.name or name, answers, folder, digest, record.notes))
    if len(ids) == len(every):
        return benchmark, systems
    return _cut(benchmark, ids, args.system, len(every)), systems


def _cut(benchmark: Benchmark, ids: Sequence[str], names: Sequence[str], total: int) -> Benchmark:
    """The benchmark with only the recorded cases, and a note that says so."""
    recorded = set(ids)
    cases = [case for case in benchmark.cases if case.id in recorded]
    note = f"only {len(ids):,} of {count(total, 'case')}: those recorded for {' and '.join(names)}"
    return replace(benchmark, cases=cases, count=len(cases), notes=(*benchmark.notes, note))


def run_folder(system: str, out: Path | None, systems: int) -> Path:
    """Where a run goes: ``--out`` itself for one system, a folder in it for each of several."""
    base = out if out is not None else Path("runs")
    return base if out is not None and systems == 1 else base / _safe(system)


def _safe(name: str) -> str:
    """A system's name as a folder's name."""
    return "".join(c if c.isalnum() or c in "-_.+ " else "_" for c in name).strip(". ") or "system"
