"""Several answers to each question, scored as trials of one system."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sqlverdict.api.arguments import Reference
from sqlverdict.api.inputs import RunArguments, read_inputs
from sqlverdict.api.spelling import names_arguments
from sqlverdict.api.whole_run import EvaluatedRun, evaluated_runs, rows_to_pandas
from sqlverdict.errors import UsageError
from sqlverdict.run.options import Options

if TYPE_CHECKING:
    from sqlverdict.report.several_runs.trials import TrialsReport


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
        return rows_to_pandas(self.rows())


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
    inputs = read_inputs(
        cases,
        predictions,
        RunArguments(
            metrics,
            db,
            databases,
            columns,
            prediction_columns,
            workers,
            options,
            allow_missing,
        ),
    )
    if len(inputs.trials) < 2:
        raise UsageError("there is one answer to each question; evaluate() scores it")
    return EvaluatedTrials(evaluated_runs(inputs, name, out))
