"""Where metrics are wrong, by a reference: FP and FN rates, as ETM's table 6.

The reference is a metric that is trusted more than the others, people's labels, or ``sound``: what
evidence shows beyond doubt. There a proof says right, a witness or other rows on the real database
say wrong, and every other case is left out and counted. FP is the
share of all compared cases that a metric calls right and the reference wrong, FN the share that
it calls wrong and the reference right. A case that the metric or the reference left unscored is
in neither share, and is counted.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sqlverdict.errors import OptionName, UsageError
from sqlverdict.load.people.label_index import LabelIndex
from sqlverdict.load.people.labels import Labels
from sqlverdict.records import Result
from sqlverdict.report.agreement.opinions import opinion
from sqlverdict.report.several_runs.comparison import choose_metric
from sqlverdict.report.terminal.tables import TextTable, percent, table
from sqlverdict.runlog.run import Run, system_names
from sqlverdict.score.agreement.agreement import RatedCase, confusion
from sqlverdict.score.reliability.outcomes import is_proved
from sqlverdict.score.statistics.intervals import wilson

LABELS = "labels"
SOUND = "sound"
"""The reference that is right by proof and wrong by witness or by other rows."""


@dataclass(frozen=True)
class MetricError:
    """One metric on one system's answers, held against the reference.

    Attributes:
        system: The system.
        metric: The metric.
        n: Cases that the metric and the reference scored.
        unscored: Cases of the reference that the metric did not score.
        open: Cases that the reference leaves open.
        fp: How many only the metric calls right.
        fn: How many only the reference calls right.
        fp_rate: ``fp`` as a share of n.
        fn_rate: ``fn`` as a share of n.
        fp_interval: Wilson's interval of ``fp_rate``.
        fn_interval: Wilson's interval of ``fn_rate``.
        kappa: Cohen's kappa with the reference.
    """

    system: str
    metric: str
    n: int
    unscored: int
    open: int
    fp: int
    fn: int
    fp_rate: float | None
    fn_rate: float | None
    fp_interval: tuple[float, float] | None
    fn_interval: tuple[float, float] | None
    kappa: float | None


@dataclass(frozen=True)
class ErrorAnalysis:
    """All metrics of some systems against one reference."""

    reference: str
    errors: tuple[MetricError, ...]


def metric_errors(
    runs: Sequence[Run],
    metrics: Sequence[str] = (),
    *,
    reference: str | None = None,
    labels: Labels | None = None,
) -> ErrorAnalysis:
    """Hold metrics against a reference metric, or against people's labels.

    Args:
        runs: One a system.
        metrics: Which metrics; by default all that every run has, without the reference.
        reference: The trusted metric, or ``sound``.
        labels: People's labels instead; they belong to one system's answers, so to one run.

    Raises:
        UsageError: neither or both references are given, a run lacks a metric, or labels are
            given for several runs.
    """
    if not runs:
        raise UsageError("no run is given; name the folders that evaluate wrote")
    if (reference is None) == (labels is None):
        raise UsageError("give a reference metric or a file of labels, and not both")
    if labels is not None and len(runs) > 1:
        raise UsageError(
            f"{labels.path} labels one system's answers, but {len(runs)} runs are given; name one"
        )
    trusted = reference
    if reference not in (None, SOUND):
        trusted = choose_metric(runs, reference)
    labels_of_metrics = [choose_metric(runs, name) for name in metrics] or [
        name for name in runs[0].manifest.metrics if all(name in r.manifest.metrics for r in runs)
    ]
    people = None if labels is None else LabelIndex(labels)
    errors: list[MetricError] = []
    for system, run in zip(system_names(runs), runs, strict=True):
        rated_cases, left_open = _rated_cases(run, labels_of_metrics, trusted, people)
        errors += [
            _error(system, name, rated_cases[name], left_open)
            for name in labels_of_metrics
            if name != trusted
        ]
        if trusted == SOUND and not any(rated_cases.values()):
            raise UsageError(
                f"{run.folder} has no case that a proof or a witness decides. Evaluate with ",
                OptionName("prove", True),
                " ",
                OptionName("refute", "400"),
                ", or with the metric verdict.",
            )
    name = trusted if labels is None else f"{LABELS} ({labels.path})"
    return ErrorAnalysis(str(name), tuple(errors))


def _rated_cases(
    run: Run, metrics: Sequence[str], trusted: str | None, people: LabelIndex | None
) -> tuple[dict[str, list[RatedCase]], int]:
    """Each metric's cases beside the reference, and how many the reference leaves open."""
    cases: dict[str, list[RatedCase]] = {name: [] for name in metrics}
    left_open = 0
    for result in run.results():
        label = _reference(result, trusted, people)
        if label is None:
            left_open += 1
            continue
        for name in metrics:
            cases[name].append(RatedCase(result.id, label, opinion(result, name)))
    return cases, left_open


def _reference(result: Result, trusted: str | None, people: LabelIndex | None) -> bool | None:
    """What people say, evidence, or the trusted metric."""
    if trusted == SOUND:
        return sound_label(result)
    if trusted is not None:
        return opinion(result, trusted)
    label = None if people is None else people.of(result)
    return None if label is None else bool(label.value)


def sound_label(result: Result) -> bool | None:
    """What evidence shows beyond doubt about an answer to an answerable question."""
    if not result.answerable or result.abstained:
        return None
    return is_proved(result)


def _error(system: str, metric: str, cases: Sequence[RatedCase], left_open: int) -> MetricError:
    scored = [case for case in cases if case.opinion is not None]
    n = len(scored)
    fp = sum(bool(case.opinion) and not case.label for case in scored)
    fn = sum(case.label and not case.opinion for case in scored)
    return MetricError(
        system=system,
        metric=metric,
        n=n,
        unscored=len(cases) - n,
        open=left_open,
        fp=fp,
        fn=fn,
        fp_rate=fp / n if n else None,
        fn_rate=fn / n if n else None,
        fp_interval=wilson(fp, n) if n else None,
        fn_interval=wilson(fn, n) if n else None,
        kappa=confusion(scored).kappa,
    )


def errors_table(analysis: ErrorAnalysis) -> TextTable:
    """One row per system and metric."""
    rows = [
        (
            one.system,
            one.metric,
            percent(one.fp_rate),
            _interval(one.fp_interval),
            percent(one.fn_rate),
            _interval(one.fn_interval),
            f"{one.n:,}",
            f"{one.unscored:,}",
            f"{one.open:,}",
        )
        for one in analysis.errors
    ]
    headers = (
        "system",
        "metric",
        "FP",
        "95% interval",
        "FN",
        "95% interval",
        "n",
        "unscored",
        "open",
    )
    return table(headers, rows, left=(0, 1))


def _interval(ends: tuple[float, float] | None) -> str:
    return "" if ends is None else f"{ends[0] * 100:.1f} to {ends[1] * 100:.1f}"
