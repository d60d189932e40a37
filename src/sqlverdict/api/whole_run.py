"""Whole runs from Python: cases and predictions as files, tables or records; results as a table.

A run scores one answer to each question. Several answers to each are trials of one system.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sqlverdict import pipeline
from sqlverdict.api.arguments import Reference, text_from
from sqlverdict.api.inputs import RunArguments, RunInputs, read_inputs
from sqlverdict.api.spelling import names_arguments
from sqlverdict.errors import MissingExtra, UsageError
from sqlverdict.load import predictions as prediction_files
from sqlverdict.records import Result
from sqlverdict.report.one_run.case_rows import case_row
from sqlverdict.run.options import Options, System, trial_systems
from sqlverdict.runlog import run as run_files
from sqlverdict.runlog.case_filter import CaseFilter, Words
from sqlverdict.runlog.run import Run

if TYPE_CHECKING:
    from sqlverdict.report.several_runs.comparison import ComparedRuns
    from sqlverdict.report.several_runs.trials import TrialsReport


@dataclass(frozen=True, repr=False)
class EvaluatedRun(Run):
    """A run whose results can be filtered, compared and shown as tables.

    Examples:
        >>> cases = [{"id": 1, "gold": "SELECT 1", "prediction": "SELECT 2"}]
        >>> run = sv.evaluate(cases, db="shop.sqlite")
        >>> run["1"].reasons
        ('VALUE_MISMATCH',)
        >>> [result.id for result in run.filter(verdict="incorrect")]
        ['1']
    """

    def __str__(self) -> str:
        """As for every run; what to do next is said in Python."""
        lines = super().__str__().splitlines()[:-1]
        steps = ("run.filter(verdict='incorrect')", "run['ID']", "run.to_html('report.html')")
        return "\n".join((*lines, f"next: {', '.join(steps)}"))

    def __getitem__(self, case_id: object) -> Result:
        """The result of a case, by its id."""
        for result in self.results():
            if result.id == str(case_id):
                return result
        raise KeyError(case_id)

    def filter(
        self,
        *,
        verdict: Words = None,
        reason: Words = None,
        db_id: Words = None,
        difficulty: Words = None,
        situation: Words = None,
        lucky: bool | None = None,
        abstained: bool | None = None,
        text: str | None = None,
    ) -> list[Result]:
        """The results that fulfil all conditions; a condition is one word or several.

        Args:
            verdict: What reports call the case: ``correct``, ``incorrect``, ``needs_review`` ...
            reason: A reason code.
            db_id: A database.
            difficulty: A level.
            situation: What the evidence amounts to, such as ``ordinary_witness``.
            lucky: Whether the answers match by luck: a witness on ordinary data refutes them.
            abstained: Whether the system abstained.
            text: Words in the question or a query.

        Raises:
            UsageError: there is no such verdict or reason.
        """
        conditions = CaseFilter(
            verdict=verdict,
            reason=reason,
            db_id=db_id,
            difficulty=difficulty,
            situation=situation,
            lucky=lucky,
            abstained=abstained,
            text=text,
        )
        return list(self.select(conditions))

    def rows(self) -> Iterator[dict[str, Any]]:
        """One flat record per case: scores, reasons and what the system spent are columns."""
        spent = [figures.quantity for figures in self.summary.usage]
        turns = self.summary.sessions > 0
        return (case_row(result, self.deciding, spent, turns=turns) for result in self.results())

    def to_pandas(self) -> Any:
        """The rows as a DataFrame of pandas.

        Raises:
            MissingExtra: pandas is not installed.
        """
        return _to_pandas(self.rows())

    def to_latex(self) -> str:
        """The estimates as a LaTeX table, for a paper."""
        from sqlverdict.report.terminal.tables import interval_text, latex, percent, table

        rows = [
            (
                each.metric,
                percent(each.value).removesuffix("%"),
                interval_text(each.low, each.high),
                f"{each.scored:,}",
            )
            for each in self.summary.estimates
        ]
        return latex(table(("metric", "value", "95% interval", "n"), rows))

    def to_html(self, path: Reference | None = None) -> str:
        """The run as one HTML page that needs nothing else: overview, cases, evidence.

        Args:
            path: A file that gets the page as well.

        Returns:
            The page.
        """
        from sqlverdict.report.html.build import make_document
        from sqlverdict.report.html.page import page_text

        return page_text(make_document([self]), path)

    @names_arguments
    def compare(
        self, other: Run, metric: str | None = None, *, force: bool = False
    ) -> ComparedRuns:
        """This run as the baseline, the other held against it, over the cases of both.

        Args:
            other: The other run.
            metric: What both are compared by; by default the first that both have.
            force: Pair cases by id even where their questions or golds differ.

        Raises:
            UsageError: the runs have other cases, or no metric in common; ``other`` is no run.
        """
        from sqlverdict.report.several_runs.comparison import compare_runs

        if not isinstance(other, Run):
            raise UsageError(
                f"other is {type(other).__name__}; expected a run, of evaluate() or read_run()"
            )
        if metric is not None and not isinstance(metric, str):
            raise UsageError(f"metric is {type(metric).__name__}; expected the name of a metric")
        return compare_runs(self, other, metric, force=force)


@dataclass(frozen=True)
class EvaluatedTrials:
    """The trials of one system.

    Attributes:
        runs: The run of each trial.

    Examples:
        >>> cases = [{"id": 1, "gold": "SELECT name FROM item"}]
        >>> answers = {"1": ["SELECT name FROM item", "SELECT id FROM item"]}
        >>> trials = sv.evaluate_trials(cases, answers, db="shop.sqlite")
        >>> [(row["trial"], row["ex"]) for row in trials.rows()]
        [(1, 1.0), (2, 0.0)]
    """

    runs: tuple[EvaluatedRun, ...]

    def report(self, metric: str | None = None) -> TrialsReport:
        """pass@k for each k, the share of questions that all of k trials solve, and agreement.

        Args:
            metric: What says that an answer is right; by default the one that decides.

        Raises:
            UsageError: there is no such metric, or no question was scored in every trial.
        """
        from sqlverdict.report.several_runs.trials import read_trials

        return read_trials(self.runs, metric)

    def rows(self) -> Iterator[dict[str, Any]]:
        """One flat record per case and trial, as :meth:`EvaluatedRun.rows`."""
        for number, run in enumerate(self.runs, 1):
            for row in run.rows():
                yield {"trial": number} | row

    def to_pandas(self) -> Any:
        """The rows as a DataFrame of pandas.

        Raises:
            MissingExtra: pandas is not installed.
        """
        return _to_pandas(self.rows())


def _to_pandas(rows: Iterator[dict[str, Any]]) -> Any:
    """Records as a DataFrame of pandas.

    Raises:
        MissingExtra: pandas is not installed.
    """
    try:
        import pandas  # type: ignore[import-untyped,unused-ignore]
    except ImportError as error:
        raise MissingExtra("to_pandas()", "pandas") from error
    return pandas.DataFrame(list(rows))


@names_arguments
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
    prediction_columns: Mapping[str, str] | None = None,
    allow_missing: bool = False,
    workers: int | None = None,
    options: Options | None = None,
    sheet: str = "",
) -> EvaluatedRun:
    """Evaluate one system.

    Args:
        cases: A benchmark, a list of cases, a JSONL or CSV file, a DataFrame (pandas or polars),
            or a list of records with fields such as ``id``, ``gold``, ``question``, ``db_id``.
        predictions: By case id: SQL, a reply from which it is taken, ``None`` to abstain, or a
            :class:`~sqlverdict.records.Prediction`; a list in the order of the cases; a file, a
            DataFrame or a list of records with an ``id``. By default the cases carry their
            predictions.
        name: The system's name in reports.
        out: The run's folder; without it a temporary one that lives as long as the result.
        metrics: What to score; by default ``ex``.
        db: One database for all cases that name none.
        databases: The folder of the databases, or a URL with ``{db_id}``.
        columns: From names in the file or table of cases to our fields: ``{"gold_sql": "gold"}``.
        prediction_columns: The same for the predictions: ``{"usd": "cost"}``.
        allow_missing: A case without a prediction counts as one without SQL, and a prediction of
            an unknown case is left out, instead of an error.
        workers: Processes; by default those of ``options``, else none for up to 200 cases.
        options: Everything else.
        sheet: The sheet of an Excel file of cases; by default the first that has the columns.

    Raises:
        UsageError: something is of the wrong type.
        PredictionError: a case has no prediction.

    Examples:
        >>> cases = [{"id": 1, "gold": "SELECT 1", "prediction": "SELECT 2"}]
        >>> run = sv.evaluate(cases, db="shop.sqlite")
        >>> run.estimate("ex").value, run.summary.verdicts
        (0.0, {'incorrect': 1})
    """
    arguments = RunArguments(
        metrics, db, databases, columns, prediction_columns, workers, options, allow_missing, sheet
    )
    inputs = read_inputs(cases, predictions, arguments)
    if len(inputs.trials) > 1:
        raise UsageError(
            f"there are {len(inputs.trials)} answers to each question; evaluate_trials() scores "
            f"each of them"
        )
    (run,) = _evaluated_runs(inputs, name, out)
    return run


@names_arguments
def evaluate_trials(
    cases: Any,
    predictions: Any = None,
    *,
    name: str = "system",
    out: Reference | None = None,
    metrics: str | Sequence[str] | None = None,
    db: Reference | None = None,
    databases: Reference | None = None,
    columns: Mapping[str, str] | None = None,
    prediction_columns: Mapping[str, str] | None = None,
    allow_missing: bool = False,
    workers: int | None = None,
    options: Options | None = None,
    sheet: str = "",
) -> EvaluatedTrials:
    """Evaluate several answers to each question.

    The arguments are those of :func:`evaluate`. A prediction is a list of answers (``{"17":
    ["SELECT 1", "SELECT 2"]}``), or records of one id have a field ``trial``. Every question has
    as many answers.

    Raises:
        UsageError: something is of the wrong type, or there is one answer to each question.
        PredictionError: a case has no prediction, or other trials than the rest.

    Examples:
        >>> cases = [{"id": 1, "gold": "SELECT name FROM item"}]
        >>> answers = {"1": ["SELECT name FROM item", "SELECT id FROM item"]}
        >>> trials = sv.evaluate_trials(cases, answers, db="shop.sqlite")
        >>> [(figures.k, figures.any_right) for figures in trials.report().figures]
        [(1, 0.5), (2, 1.0)]
    """
    arguments = RunArguments(
        metrics, db, databases, columns, prediction_columns, workers, options, allow_missing, sheet
    )
    inputs = read_inputs(cases, predictions, arguments)
    if len(inputs.trials) < 2:
        raise UsageError("there is one answer to each question; evaluate() scores it")
    return EvaluatedTrials(_evaluated_runs(inputs, name, out))


def _evaluated_runs(
    inputs: RunInputs, name: str, out: Reference | None
) -> tuple[EvaluatedRun, ...]:
    """Evaluate each trial; there may be one.

    Raises:
        UsageError: the name of the folder is empty.
    """
    name = text_from(name, "name")
    if out is not None and not isinstance(out, str | os.PathLike):
        raise UsageError(f"out is {out!r}; expected a folder, or None for a temporary one")
    if out is not None and not os.fspath(out).strip():
        raise UsageError("out is empty; expected a folder, or None for a temporary one")
    folder = Path(os.fspath(out)) if out is not None else None
    systems = [System(name, own, folder, notes=own.notes) for own in inputs.trials]
    if len(systems) > 1:
        systems = list(trial_systems(inputs.trials, name, folder, ""))
    runs = pipeline.evaluate_systems(inputs.benchmark, systems, options=inputs.options)
    return tuple(
        EvaluatedRun(**{each.name: getattr(run, each.name) for each in fields(run)}) for run in runs
    )


# What the command line uses too; from Python its errors name arguments, not options.
evaluate_pairs = names_arguments(pipeline.evaluate_pairs)
evaluate_systems = names_arguments(pipeline.evaluate_systems)
load_predictions = names_arguments(prediction_files.load_predictions)
read_run = names_arguments(run_files.read_run)

for _each in (evaluate_pairs, evaluate_systems, load_predictions, read_run):
    # Other processes find a function by the module that holds it.
    _each.__module__ = __name__
