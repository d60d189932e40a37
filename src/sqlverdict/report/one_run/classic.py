"""The difficulty tables of Spider's and BIRD's own scripts, in their layout, to be diffed.

The figures follow our rules: a case that could not be scored is left out of its column, where
the scripts would stop or count it as wrong. All rows are about the cases that the first row
counts. Notes below the table say so where it matters.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from sqlverdict.files.text import count
from sqlverdict.records import Result
from sqlverdict.report.terminal.tables import percent
from sqlverdict.score.deciding import counted_value
from sqlverdict.score.estimates import UNLABELLED, Estimate
from sqlverdict.score.summary import Summary

_WIDTH = 20
_SCRIPT = "esm[script]"


@dataclass(frozen=True)
class _Layout:
    levels: tuple[str, ...]
    total: str
    rule: str
    row: str
    metric: str
    scale: int
    decimals: int


_LAYOUTS: Mapping[str, _Layout] = {
    "spider": _Layout(
        ("easy", "medium", "hard", "extra"),
        "all",
        f"{'=' * 21}   EXECUTION ACCURACY     {'=' * 21}",
        "execution",
        "ex[spider]",
        1,
        3,
    ),
    "bird": _Layout(
        ("simple", "moderate", "challenging"),
        "total",
        f"{'=' * 38}    ACCURACY    {'=' * 37}",
        "accuracy",
        "ex[bird]",
        100,
        2,
    ),
}


@dataclass(frozen=True)
class Classic:
    """A table in a script's own layout, and what differs from that script."""

    text: str
    notes: tuple[str, ...]


def classic(benchmark: str, summary: Summary, results: Iterable[Result] = ()) -> Classic | None:
    """The table of the benchmark's own script; ``None`` without one, without levels or EX.

    Args:
        benchmark: Whose script.
        summary: The run.
        results: Its cases; they are read where the run has an exact match.
    """
    layout = _LAYOUTS.get(benchmark)
    labels = [estimate.metric for estimate in summary.estimates]
    ex = [label for label in labels if label == "ex" or label.startswith("ex[")]
    if layout is None or not ex:
        return None
    metric = layout.metric if layout.metric in ex else ex[0]
    levels = {
        part.key: _of(metric, part.estimates) for part in summary.slices if part.by == "difficulty"
    }
    if not any(level in levels for level in layout.levels):
        return None
    empty = Estimate(metric, None, 0, 0)
    whole = _of(metric, summary.estimates)
    columns = [*(levels.get(level, empty) for level in layout.levels), whole]
    counts = "".join(f" {column.scored:<{_WIDTH}d}" for column in columns)
    heads = "".join(f" {name:{_WIDTH}}" for name in (*layout.levels, layout.total))
    exact = _exact_metric(summary) if layout.row == "execution" else None
    matches, notes = (
        _exact(results, _of(exact, summary.estimates), columns, layout) if exact else ([], [])
    )
    lines = (
        f"{'':{_WIDTH}}{heads}",
        f"{'count':{_WIDTH}}{counts}",
        layout.rule,
        f"{layout.row:{_WIDTH}}{_values([each.value for each in columns], layout)}",
        *matches,
    )
    unlabelled = levels.get(UNLABELLED, empty).scored
    return Classic("\n".join(lines), (*_notes(layout, metric, whole, unlabelled), *notes))


def _values(values: Sequence[float | None], layout: _Layout) -> str:
    return "".join(
        f" {(value or 0.0) * layout.scale:<{_WIDTH}.{layout.decimals}f}" for value in values
    )


def _exact_metric(summary: Summary) -> str | None:
    """The exact set match of a run, the script's own first."""
    labels = [estimate.metric for estimate in summary.estimates]
    known = [label for label in labels if label.partition("[")[0] == "esm"]
    return _SCRIPT if _SCRIPT in known else next(iter(known), None)


def _exact(
    results: Iterable[Result], own: Estimate, columns: Sequence[Estimate], layout: _Layout
) -> tuple[list[str], list[str]]:
    """Spider's second block and what is to be said of it: the cases are those that EX scores."""
    metric, whole = own.metric, columns[-1]
    ex = whole.metric
    right: Counter[str | None] = Counter()
    unread = 0
    for result in results:
        if counted_value(result, ex, binary=True) is None:
            continue
        value = counted_value(result, metric, binary=True)
        unread += value is None
        right.update(dict.fromkeys((result.difficulty, layout.total), int(value or 0)))
    names = (*layout.levels, layout.total)
    values = [
        right[name] / column.scored if column.scored else None
        for name, column in zip(names, columns, strict=True)
    ]
    rule = f"{'=' * 22} EXACT MATCHING ACCURACY {'=' * 21}"
    lines = ["", rule, f"{'exact match':{_WIDTH}}{_values(values, layout)}"]
    notes = []
    if own.scored != whole.scored:
        notes.append(
            f"exact match is over the same {count(whole.scored, 'case')} as {ex}; over the "
            f"{own.scored:,} that it scores itself, {metric} is {percent(own.value)}"
        )
    if unread:
        notes.append(
            f"{count(unread, 'case counts', 'cases count')} as 0 in exact match, as in the script: "
            f"{metric} cannot read them"
        )
    if metric != _SCRIPT:
        notes.append(
            f"exact match is {metric}; the script counts what its parser does not read as 0: "
            f"metrics={_SCRIPT}"
        )
    return lines, notes


def _notes(layout: _Layout, metric: str, whole: Estimate, unlabelled: int) -> tuple[str, ...]:
    notes = []
    if metric != layout.metric:
        notes.append(
            f"this is {metric}; the script's own comparison is {layout.metric}: "
            f"metrics={layout.metric}"
        )
    if whole.unscored:
        notes.append(f"{count(whole.unscored, 'unscored case')} left out of this table")
    if unlabelled:
        notes.append(f"{count(unlabelled, 'case')} without a level only in {layout.total!r}")
    return tuple(notes)


def _of(metric: str, estimates: tuple[Estimate, ...]) -> Estimate:
    return next(estimate for estimate in estimates if estimate.metric == metric)
