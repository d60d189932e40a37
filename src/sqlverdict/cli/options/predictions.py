"""Whose predictions ``evaluate`` scores, and how prediction files are read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import click

from sqlverdict.cli.options.data import say_guess
from sqlverdict.cli.options.fields import Heading, option, setting
from sqlverdict.cli.options.shared import COLUMN, split_name
from sqlverdict.errors import UsageError
from sqlverdict.load.benchmark import Benchmark, PairedCases
from sqlverdict.load.columns.column_map import (
    Names,
    column_map,
    join_maps,
    mapped_names,
    missing_column,
)
from sqlverdict.load.predictions import Predictions, load_trials
from sqlverdict.load.tables.excel import sheet_names
from sqlverdict.pipeline import System
from sqlverdict.run.options import RUN, trial_systems

DEFAULT_OUT = Path("runs")
"""Where runs go if nobody says where."""


def prediction_format_setting() -> Any:
    """The setting ``prediction-format``."""
    return setting(
        "prediction-format",
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
    recorded_only: bool = setting(
        "recorded-only",
        is_flag=True,
        help="With --system: only the cases that it has a record of.",
    )
    prediction_format: str | None = prediction_format_setting()
    prediction_columns: tuple[tuple[str, str], ...] = setting(
        "prediction-column",
        multiple=True,
        type=COLUMN,
        metavar="NAME=FIELD",
        help="As --column, for the prediction files alone. Repeatable.",
    )
    allow_missing: bool = option(
        "--allow-missing", rare=True, is_flag=True, help="Count missing predictions as no SQL."
    )
    no_sql: str = option(
        "--no-sql",
        rare=True,
        default="wrong",
        type=click.Choice(["wrong", "abstain"]),
        help="How to count a reply that has text and no SQL. An empty reply is always wrong.",
    )
    tag: str | None = setting(
        "tag",
        metavar="NAME",
        help="The tag that holds the answer in every reply, such as final for <final>...</final>.",
    )
    answers: str = setting(
        "answers",
        default=RUN,
        type=click.Choice(["run", "recorded"]),
        help="Run the queries, or use recorded results, where a case has both.",
    )
    name: str | None = option(
        "--name", rare=True, help="The system's name in reports. [default: its file's]"
    )


def read_systems(
    args: PredictionArgs,
    benchmark: Benchmark,
    columns: Mapping[str, str],
    out: Path | None = None,
    sheet: str = "",
) -> list[System]:
    """The systems of ``--predictions``, each paired with every case of the whole benchmark.

    A file with several answers to each question is as many systems, its trials.

    Args:
        args: What the user asked for.
        benchmark: The benchmark, whole.
        columns: The user's column map.
        out: Where the runs go.
        sheet: The sheet of workbooks of predictions that have one of that name.

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
    shared, columns = columns, join_maps(columns, dict(args.prediction_columns))
    mapped = "".join(f" {column}={target}" for column, target in sorted(columns.items()))
    for name, file in systems:
        trials = load_trials(
            file,
            ids,
            format=args.prediction_format,
            db_ids=db_ids,
            strict_ids=not args.allow_missing,
            columns=columns,
            sessions=benchmark.session_sizes(),
            sheet=sheet if sheet and sheet in sheet_names(Path(file)) else "",
        )
        folder, digest = run_folder(name, out, len(systems)), trials[0].sha256 + mapped
        say_guess(trials[0].column_note, folder)
        if len(trials) > 1:
            read += trial_systems(trials, name, folder, digest)
        else:
            read.append(System(name, trials[0], folder, digest, trials[0].notes))
    _check_columns(benchmark, args, shared, read)
    return read


def _check_columns(
    benchmark: Benchmark,
    args: PredictionArgs,
    columns: Mapping[str, str],
    systems: Sequence[System],
) -> None:
    """Refuse a column map that names a column which neither the cases nor any predictions have.

    Raises:
        UsageError: there is one.
    """
    files = [each.predictions for each in systems if isinstance(each.predictions, Predictions)]
    own = dict(args.prediction_columns)
    cases = benchmark.cases if isinstance(benchmark.cases, PairedCases) else None
    shared = column_map(dict(columns))
    for name in mapped_names({**shared, **own}):
        here = name not in own and (cases is None or name not in cases.lacks)
        if not here and all(name in each.lacks for each in files):
            holders: list[Names] = [(each.path, each.header) for each in files]
            if cases is not None and name not in own:
                holders.append(cases.named_columns)
            raise missing_column(name, {**shared, **own}[name], holders)


def run_folder(system: str, out: Path | None, systems: int) -> Path:
    """Where a run goes: ``--out`` itself for one system, a folder in it for each of several."""
    base = out if out is not None else DEFAULT_OUT
    return base if out is not None and systems == 1 else base / _safe(system)


def _safe(name: str) -> str:
    """A system's name as a folder's name."""
    return "".join(c if c.isalnum() or c in "-_.+ " else "_" for c in name).strip(". ") or "system"
