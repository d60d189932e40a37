"""Systems by metrics, or by metric and level, as a paper prints them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sqlverdict.errors import UsageError, column_option
from sqlverdict.files.text import count
from sqlverdict.report.terminal.tables import TextTable, table
from sqlverdict.runlog.missing_metric import missing_metric
from sqlverdict.runlog.run import Run, system_names
from sqlverdict.score.deciding import deciding_metric
from sqlverdict.score.estimates import Estimate, Slice
from sqlverdict.score.metric import label_by_alias
from sqlverdict.score.summary import Summary

_SLICES = {"difficulty": "difficulty", "database": "db_id", "turn": "turn"}
_FIELDS = {
    "difficulty": "a column 'difficulty' (or 'level', 'hardness')",
    "turn": "columns 'session' and 'turn'",
}
"""What the cases need for a table by it; a database they have."""
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
    """The values of several systems in percent, each with the number of cases behind it.

    Args:
        runs: The runs.
        metrics: The labels; by default all, the one that decides first.
        by: ``difficulty``, ``database`` or ``turn``: a column per level, and a row per system and
            metric.
        intervals: Print the 95% interval behind each value.
        decimals: Digits behind the point.

    Raises:
        UsageError: no run has such a metric, or there are no levels.
    """
    names = system_names(runs)
    labels = _labels(runs, metrics)
    notes = tuple(_unscored(runs, names, labels))

    def cells(part: Summary | Slice | None, label: str) -> tuple[str, str]:
        """The value of a run or of a slice, and the number of cases behind it."""
        return value_cells(() if part is None else part.estimates, label)

    def value_cells(estimates: Sequence[Estimate], label: str) -> tuple[str, str]:
        estimate = next((each for each in estimates if each.metric == label), None)
        if estimate is None or estimate.value is None:
            return _NO_VALUE, "0"
        text = f"{100 * estimate.value:.{decimals}f}"
        if intervals and estimate.low is not None and estimate.high is not None:
            low, high = (f"{100 * end:.{decimals}f}" for end in (estimate.low, estimate.high))
            text = f"{text} ({low} to {high})"
        return text, f"{estimate.scored:,}"

    if by is None:
        columns = {label: [cells(run.summary, label) for run in runs] for label in labels}
        for label in labels:
            own = [value_cells(run.summary.interactions, label) for run in runs]
            if any(value != _NO_VALUE for value, _ in own):
                columns[f"{label}, interaction match"] = own
        return PaperTable(_table({"system": names}, columns), notes)
    slices = [_slices(run, by) for run in runs]
    levels = list(dict.fromkeys(level for own in slices for level in own))
    levels = [level for level in levels if any(_has_value(own, level, labels) for own in slices)]
    if not levels:
        raise _nothing_to_split(by, slices)
    columns = {
        level: [cells(own.get(level), label) for label in labels for own in slices]
        for level in levels
    }
    columns[_ALL] = [cells(run.summary, label) for label in labels for run in runs]
    metrics_of_rows = [label for label in labels for _ in runs]
    return PaperTable(
        _table({"system": [*names] * len(labels), "metric": metrics_of_rows}, columns), notes
    )


def _nothing_to_split(by: str, slices: Sequence[Mapping[str, Slice]]) -> UsageError:
    """The error where no case has a level, and how to give the cases one."""
    if any(slices):
        return UsageError(f"no case with a {by} has a value of these metrics")
    problem = f"no case of these runs has a {by}, so there is nothing to split by"
    if by not in _FIELDS:
        return UsageError(problem)
    return UsageError(
        f"{problem}. The cases need {_FIELDS[by]}, or a column of another name that you map: ",
        column_option("NAME", by),
        ". Then evaluate again; a table by database needs none.",
    )


def _table(
    words: Mapping[str, Sequence[str]], columns: Mapping[str, Sequence[tuple[str, str]]]
) -> TextTable:
    """A table of values, each with its n: in the header where all rows have the same."""
    headers, texts = [*words], [*words.values()]
    for title, cells in columns.items():
        values, numbers = zip(*cells, strict=True)
        if len(set(numbers)) == 1:
            headers, texts = [*headers, f"{title} (n {numbers[0]})"], [*texts, values]
        else:
            headers, texts = [*headers, title, "n"], [*texts, values, numbers]
    return table(headers, [*zip(*texts, strict=True)], left=range(len(words)))


def _labels(runs: Sequence[Run], metrics: Sequence[str]) -> list[str]:
    known = list(dict.fromkeys(label for run in runs for label in run.manifest.metrics))
    labels = [label_by_alias(name, known)[0] for name in metrics]
    for label in labels:
        if label not in known:
            raise UsageError(missing_metric(label, [(run.folder, run.manifest) for run in runs]))
    binary = {label for run in runs for label in run.manifest.binary}
    decides = deciding_metric(known, binary)
    return labels or sorted(known, key=lambda label: label != decides)


def _slices(run: Run, by: str) -> dict[str, Slice]:
    return {each.key: each for each in run.summary.slices if each.by == _SLICES[by]}


def _has_value(own: dict[str, Slice], level: str, labels: Sequence[str]) -> bool:
    estimates = own[level].estimates if level in own else ()
    return any(each.value is not None and each.metric in labels for each in estimates)


def _unscored(runs: Sequence[Run], names: Sequence[str], labels: Sequence[str]) -> list[str]:
    """What leaves the denominators."""
    return [
        f"{name}, {estimate.metric}: {estimate.unscored:,} of "
        f"{count(run.summary.cases, 'case')} unscored, left out"
        for name, run in zip(names, runs, strict=True)
        for estimate in run.summary.estimates
        if estimate.metric in labels and estimate.unscored
    ]
