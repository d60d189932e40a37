"""Systems by metrics, or by metric and level, as a paper prints them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sqlverdict.errors import UsageError
from sqlverdict.files.text import count
from sqlverdict.report.several_runs.system_names import system_names
from sqlverdict.report.terminal.tables import TextTable, table
from sqlverdict.runlog.missing_metric import missing_metric
from sqlverdict.runlog.run import Run
from sqlverdict.score.aliases import label_of
from sqlverdict.score.estimates import Estimate, Slice

_SLICES = {"difficulty": "difficulty", "database": "db_id"}
GROUPINGS = tuple(_SLICES)
"""What a table can be split by."""
_ALL = "all"
_NO_VALUE = "–"  # noqa: RUF001


@dataclass(frozen=True)
class PaperTable:
    """A table, and what its reader must know."""

    table: TextTable
    notes: tuple[str, ...] = ()


def paper_table(
    runs: Sequence[Run],
    metrics: Sequence[str] = (),
    by: str | None = None,
    *,
    intervals: bool = False,
    decimals: int = 1,
) -> PaperTable:
    """The values of several systems in percent, each over the cases that its run could score.

    Args:
        runs: The runs.
        metrics: The labels; by default all of the first run.
        by: ``difficulty`` or ``database``: a column per level, and a row per system and metric.
        intervals: Print the 95% interval behind each value.
        decimals: Digits behind the point.

    Raises:
        UsageError: no run has such a metric, or there are no levels.
    """
    names = system_names(runs)
    labels = _labels(runs, metrics)
    notes = tuple(_unscored(runs, names, labels))

    def cell(estimates: Sequence[Estimate], label: str) -> str:
        estimate = next((each for each in estimates if each.metric == label), None)
        if estimate is None or estimate.value is None:
            return _NO_VALUE
        text = f"{100 * estimate.value:.{decimals}f}"
        if not intervals or estimate.low is None or estimate.high is None:
            return text
        low, high = (f"{100 * end:.{decimals}f}" for end in (estimate.low, estimate.high))
        return f"{text} ({low} to {high})"

    if by is None:
        rows = [
            (name, f"{run.summary.cases:,}", *(cell(run.summary.estimates, it) for it in labels))
            for name, run in zip(names, runs, strict=True)
        ]
        return PaperTable(table(("system", "cases", *labels), rows), notes)
    slices = [_slices(run, by) for run in runs]
    levels = list(dict.fromkeys(level for own in slices for level in own))
    levels = [level for level in levels if any(_has_value(own, level, labels) for own in slices)]
    if not levels:
        raise UsageError(f"no case has a {by}, so that there is nothing to split by")
    rows = [
        (
            name,
            label,
            *(cell(own[level].estimates if level in own else (), label) for level in levels),
            cell(run.summary.estimates, label),
        )
        for label in labels
        for name, run, own in zip(names, runs, slices, strict=True)
    ]
    heads = [_head(level, slices) for level in levels]
    return PaperTable(table(("system", "metric", *heads, _ALL), rows, left=(0, 1)), notes)


def _labels(runs: Sequence[Run], metrics: Sequence[str]) -> list[str]:
    known = list(dict.fromkeys(label for run in runs for label in run.manifest.metrics))
    labels = [label_of(name, known)[0] for name in metrics]
    for label in labels:
        if label not in known:
            raise UsageError(missing_metric(label, [(run.folder, run.manifest) for run in runs]))
    return labels or known


def _slices(run: Run, by: str) -> dict[str, Slice]:
    return {each.key: each for each in run.summary.slices if each.by == _SLICES[by]}


def _has_value(own: dict[str, Slice], level: str, labels: Sequence[str]) -> bool:
    estimates = own[level].estimates if level in own else ()
    return any(each.value is not None and each.metric in labels for each in estimates)


def _head(level: str, slices: Sequence[dict[str, Slice]]) -> str:
    """A level with its number of cases, where all runs have as many."""
    numbers = {own[level].cases for own in slices if level in own}
    return f"{level} ({numbers.pop():,})" if len(numbers) == 1 else level


def _unscored(runs: Sequence[Run], names: Sequence[str], labels: Sequence[str]) -> list[str]:
    """What leaves the denominators."""
    return [
        f"{name}, {estimate.metric}: {estimate.unscored:,} of "
        f"{count(run.summary.cases, 'case')} unscored, left out"
        for name, run in zip(names, runs, strict=True)
        for estimate in run.summary.estimates
        if estimate.metric in labels and estimate.unscored
    ]
