"""Whole runs from Python: cases and predictions as files, tables or records; results as a table."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sqlverdict.api.arguments import Reference, read_reference
from sqlverdict.errors import MissingExtra, UsageError
from sqlverdict.evidence import Refuted
from sqlverdict.execute.engine import DEFAULT_ENGINE, ENGINES, engine_of, engine_of_cases
from sqlverdict.load.benchmark import BENCHMARKS, Benchmark
from sqlverdict.load.columns import column_map, rename
from sqlverdict.load.databases import DatabaseLocation, Databases, find_databases
from sqlverdict.load.fields import PREDICTION_FIELDS, SQL_KEYS, case_from, prediction_from
from sqlverdict.load.predictions import load_predictions
from sqlverdict.pipeline import evaluate as evaluate_cases
from sqlverdict.records import Case, Prediction, Result
from sqlverdict.run.options import Options, Predictions
from sqlverdict.runlog.run import Run

if TYPE_CHECKING:
    from sqlverdict.report.several_runs.comparison import ComparedRuns

_TABLES = (".csv", ".tsv", ".tab")
_OWN = (*PREDICTION_FIELDS, *SQL_KEYS)
_FLAT = ("id", "db_id", "question", "difficulty", "verdict", "fault", "situation", "p_right")


@dataclass(frozen=True)
class EvaluatedRun(Run):
    """A run whose results can be filtered, compared and shown as tables."""

    def __getitem__(self, case_id: object) -> Result:
        """The result of a case, by its id."""
        for result in self.results():
            if result.id == str(case_id):
                return result
        raise KeyError(case_id)

    def filter(
        self,
        *,
        verdict: str | None = None,
        reason: str | None = None,
        db_id: str | None = None,
        lucky: bool | None = None,
    ) -> list[Result]:
        """The results that fulfil all conditions.

        Args:
            verdict: What reports call the case: ``correct``, ``incorrect``, ``needs_review`` ...
            reason: A reason code.
            db_id: A database.
            lucky: Whether the answers match and a witness refutes the prediction all the same.
        """
        return [
            result
            for result in self.results()
            if (verdict is None or self.verdict(result) == verdict)
            and (reason is None or reason in result.reasons)
            and (db_id is None or result.db_id == db_id)
            and (lucky is None or _is_lucky(result) == lucky)
        ]

    def rows(self) -> Iterator[dict[str, Any]]:
        """One flat record a case: scores and reasons are columns."""
        for result in self.results():
            row = {name: getattr(result, name) for name in _FLAT}
            row |= {"gold": result.gold[0] if result.gold else None}
            row |= {"prediction": result.prediction, "reasons": ", ".join(result.reasons)}
            yield row | dict(result.scores)

    def to_pandas(self) -> Any:
        """The rows as a DataFrame of pandas.

        Raises:
            MissingExtra: pandas is not installed.
        """
        try:
            import pandas  # type: ignore[import-untyped,unused-ignore]
        except ImportError as error:
            raise MissingExtra("to_pandas()", "pandas") from error
        return pandas.DataFrame(list(self.rows()))

    def to_latex(self) -> str:
        """The estimates as a LaTeX table, for a paper."""
        lines = [r"\begin{tabular}{lrr}", r"metric & value & 95\% interval \\ \hline"]
        for estimate in self.summary.estimates:
            name = estimate.metric.replace("_", r"\_")
            if estimate.value is None:
                lines.append(rf"{name} & -- & -- \\")
                continue
            value = f"{100 * estimate.value:.1f}"
            between = "--"
            if estimate.low is not None and estimate.high is not None:
                between = f"{100 * estimate.low:.1f}--{100 * estimate.high:.1f}"
            lines.append(rf"{name} & {value} & {between} \\")
        return "\n".join([*lines, r"\end{tabular}"])

    def compare(self, other: Run, metric: str | None = None) -> ComparedRuns:
        """This run as the baseline, the other held against it, over the cases of both."""
        from sqlverdict.report.several_runs.comparison import compare_runs

        return compare_runs(self, other, metric)


def evaluate(
    cases: Any,
    predictions: Any = None,
    *,
    name: str = "system",
    out: Reference | None = None,
    metrics: str | Sequence[str] | None = None,
    db: Reference | None = None,
    databases: Reference | None = None,
    columns: Mapping[str, str] | None = None,
    workers: int | None = None,
    options: Options | None = None,
) -> EvaluatedRun:
    """Evaluate one system.

    Args:
        cases: A benchmark, a list of cases, a JSONL or CSV file, a DataFrame (pandas or polars),
            or a list of records with fields such as ``id``, ``gold``, ``question``, ``db_id``.
        predictions: By case id: SQL, a reply from which it is taken, ``None`` to abstain, or a
            :class:`~sqlverdict.records.Prediction`; a list in the order of the cases; a file. By
            default the cases carry their predictions.
        name: The system's name in reports.
        out: The run's folder; without it a temporary one that lives as long as the result.
        metrics: What to score; by default ``ex``.
        db: One database for all cases.
        databases: The folder of the databases, or a URL with ``{db_id}``.
        columns: From names in the file or table to our fields: ``{"gold_sql": "gold"}``.
        workers: Processes; by default none for up to 200 cases.
        options: Everything else.

    Raises:
        UsageError: something is of the wrong type.
        PredictionError: a case has no prediction.
    """
    where = read_reference(db) or read_reference(databases)
    options = options or Options()
    if where is not None and options.engine == DEFAULT_ENGINE:
        options = replace(options, engine=engine_of(where))
    if metrics is not None:
        options = replace(options, metrics=metrics)
    location = DatabaseLocation(where, ENGINES.get(options.engine).suffixes)
    inline = predictions is None
    benchmark, own = _read_cases(cases, location, dict(columns or {}), where, inline)
    known = [case.id for case in benchmark.cases] if not isinstance(predictions, Mapping) else []
    if where is None and options.engine == DEFAULT_ENGINE:
        options = replace(options, engine=engine_of_cases(benchmark.cases))
    by_id = _read_predictions(predictions, known, own)
    if workers is not None or (benchmark.count or 0) <= _FEW:
        options = replace(options, workers=workers or 0)
    folder = Path(os.fspath(out)) if out is not None else None
    run = evaluate_cases(benchmark, by_id, name=name, out=folder, options=options)
    return EvaluatedRun(**{each.name: getattr(run, each.name) for each in fields(run)})


_FEW = 200
"""So many cases are done before processes have started."""


def _read_cases(
    cases: Any,
    location: DatabaseLocation,
    columns: Mapping[str, str],
    where: str | None,
    inline: bool,
) -> tuple[Benchmark, Mapping[str, Prediction] | None]:
    """The benchmark, and the predictions that it carries."""
    if isinstance(cases, Benchmark):
        return cases, cases.predictions
    if isinstance(cases, str | os.PathLike):
        path = Path(os.fspath(cases))
        reader = BENCHMARKS.get("csv" if path.suffix.lower() in _TABLES else "jsonl")
        benchmark = reader.read(path, databases=location if where else None, options=columns)
        if not inline or benchmark.predictions is not None or path.suffix.lower() in _TABLES:
            return benchmark, benchmark.predictions
        from sqlverdict.load.own_files.jsonl import iterate_pairs

        own = {
            case.id: prediction
            for case, prediction in iterate_pairs(path, columns, databases=location)
        }
        return benchmark, own
    records = _records(cases)
    if all(isinstance(record, Case) for record in records):
        return _benchmark([case for case in records if isinstance(case, Case)]), None
    databases = find_databases(Path(), (".",), location) if where is not None else None
    return _from_records(records, column_map(columns), databases)


def _records(cases: Any) -> list[Any]:
    for method in ("to_dicts", "to_dict"):
        if hasattr(cases, method) and not isinstance(cases, Mapping):
            rows = cases.to_dicts() if method == "to_dicts" else cases.to_dict("records")
            return [_without_gaps(row) for row in rows]
    if isinstance(cases, Mapping | str | bytes) or not isinstance(cases, Iterable):
        raise UsageError(
            f"the cases are {type(cases).__name__}; expected a file, a DataFrame, a list of "
            f"records, or cases"
        )
    return list(cases)


def _without_gaps(row: Mapping[str, Any]) -> dict[str, Any]:
    """A row of a table; an empty cell is no value, except for a prediction, where it abstains."""
    return {key: None if value != value else value for key, value in row.items()}


def _from_records(
    records: Sequence[Any], columns: Mapping[str, str], databases: Databases | None
) -> tuple[Benchmark, Mapping[str, Prediction] | None]:
    cases: list[Case] = []
    own: dict[str, Prediction] = {}
    for number, record in enumerate(records):
        where = f"record {number}"
        if not isinstance(record, Mapping):
            raise UsageError(f"{where} is {type(record).__name__}; expected a mapping")
        fields_ = rename(record, columns, where)
        fields_.setdefault("id", str(number))
        fields_.setdefault("db_id", "database")
        case = case_from(fields_, where, databases, Path())
        cases.append(case)
        if any(key in fields_ for key in _OWN):
            own[case.id] = prediction_from(fields_, case.id, where)
    return _benchmark(cases), own or None


def _benchmark(cases: list[Case]) -> Benchmark:
    from sqlverdict.run.inputs import as_benchmark

    return as_benchmark(cases)


def _read_predictions(
    predictions: Any, case_ids: Sequence[str], own: Mapping[str, Prediction] | None
) -> Predictions:
    if predictions is None:
        if own is None:
            raise UsageError("no predictions: give them, or cases that carry a 'prediction' each")
        return own
    if isinstance(predictions, Mapping):
        return {str(case_id): each for case_id, each in predictions.items()}
    if isinstance(predictions, str | os.PathLike):
        return load_predictions(Path(os.fspath(predictions)), case_ids)
    replies = list(predictions)
    if len(replies) != len(case_ids):
        raise UsageError(f"{len(replies)} predictions for {len(case_ids)} cases")
    return dict(zip(case_ids, replies, strict=True))


def _is_lucky(result: Result) -> bool:
    return any(isinstance(piece, Refuted) for piece in result.evidence)
