"""The difficulty tables of Spider's and BIRD's own scripts, in their layout, to be diffed.

The figures follow our rules: a case that could not be scored is left out of its column, where
the scripts would stop or count it as wrong. Notes below the table say so where it matters.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sqlverdict.files.text import count
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


def classic(benchmark: str, summary: Summary) -> Classic | None:
    """The table of the benchmark's own script; ``None`` without one, without levels or EX."""
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
    lines = (
        f"{'':{_WIDTH}}{heads}",
        f"{'count':{_WIDTH}}{counts}",
        layout.rule,
        f"{layout.row:{_WIDTH}}{_values(columns, layout)}",
        *_exact(summary, layout),
    )
    unlabelled = levels.get(UNLABELLED, empty).scored
    notes = _notes(layout, metric, whole, unlabelled)
    if benchmark == "spider" and _exact_metric(summary) not in (None, _SCRIPT):
        notes += (
            f"exact match is {_exact_metric(summary)}; the script counts what its parser does not "
            f"read as 0: --metrics '{_SCRIPT}'",
        )
    return Classic("\n".join(lines), notes)


def _values(columns: Sequence[Estimate], layout: _Layout) -> str:
    return "".join(
        f" {(column.value or 0.0) * layout.scale:<{_WIDTH}.{layout.decimals}f}"
        for column in columns
    )


def _exact_metric(summary: Summary) -> str | None:
    """The exact set match of a run, the script's own first."""
    labels = [estimate.metric for estimate in summary.estimates]
    known = [label for label in labels if label.partition("[")[0] == "esm"]
    return _SCRIPT if _SCRIPT in known else next(iter(known), None)


def _exact(summary: Summary, layout: _Layout) -> list[str]:
    """Spider's second block, where the run has an exact set match."""
    metric = _exact_metric(summary)
    if metric is None or layout.row != "execution":
        return []
    levels = {
        part.key: _of(metric, part.estimates) for part in summary.slices if part.by == "difficulty"
    }
    empty = Estimate(metric, None, 0, 0)
    columns = [levels.get(level, empty) for level in layout.levels]
    values = _values([*columns, _of(metric, summary.estimates)], layout)
    rule = f"{'=' * 22} EXACT MATCHING ACCURACY {'=' * 21}"
    return ["", rule, f"{'exact match':{_WIDTH}}{values}"]


def _notes(layout: _Layout, metric: str, whole: Estimate, unlabelled: int) -> tuple[str, ...]:
    notes = []
    if metric != layout.metric:
        notes.append(
            f"this is {metric}; the script's own comparison is {layout.metric}: "
            f"--metrics '{layout.metric}'"
        )
    if whole.unscored:
        notes.append(f"{count(whole.unscored, 'unscored case')} left out of this table")
    if unlabelled:
        notes.append(f"{count(unlabelled, 'case')} without a level only in {layout.total!r}")
    return tuple(notes)


def _of(metric: str, estimates: tuple[Estimate, ...]) -> Estimate:
    return next(estimate for estimate in estimates if estimate.metric == metric)
