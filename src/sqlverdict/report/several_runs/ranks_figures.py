"""The figures of a changed ranking as SVG: scores, types, difficulties (FLEX's 1, 4, 5 and 7)."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from sqlverdict.files.text import count
from sqlverdict.report.charts.chart import Series, bar_chart, line_chart
from sqlverdict.report.several_runs.ranks import RankPart, Reranking

SCORES, TYPES, TYPE_ERRORS, LEVELS = (
    "scores.svg",
    "types.svg",
    "types_errors.svg",
    "difficulties.svg",
)


def rank_figures(found: Reranking) -> Mapping[str, str]:
    """Every figure that the ranking has data for, from file name to SVG."""
    figures = {SCORES: scores_figure(found)}
    if found.types:
        keys = [part.key for part in found.types]
        figures[TYPES] = bar_chart(
            f"{found.baseline} and {found.metric} by type of system",
            "mean score",
            keys,
            {
                found.baseline: [part.baseline for part in found.types],
                found.metric: [part.value for part in found.types],
            },
            y_percent=True,
        )
        figures[TYPE_ERRORS] = _errors(found, "type of system", found.types)
    if found.difficulties:
        figures[LEVELS] = _errors(found, "difficulty", found.difficulties)
    return figures


def scores_figure(found: Reranking) -> str:
    """Each system's score under both metrics, and the line of equal scores."""
    kinds = dict.fromkeys(shift.type for shift in found.shifts)
    points = {
        kind: [(shift.baseline, shift.value) for shift in found.shifts if shift.type == kind]
        for kind in kinds
    }
    every = [score for shift in found.shifts for score in (shift.baseline, shift.value)]
    low, high = min(every), max(every)
    room = max(0.02, (high - low) * 0.08)
    ends = (max(0.0, low - room), min(1.0, high + room))
    if ends[0] >= ends[1]:
        ends = (0.0, 1.0)
    series = [
        Series(kind or "systems", dots, line=False, marks=True) for kind, dots in points.items()
    ]
    series.append(Series("equal scores", [(ends[0], ends[0]), (ends[1], ends[1])], dashed=True))
    return line_chart(
        f"{found.metric} over {found.baseline}, {count(found.cases, 'case')}",
        found.baseline,
        found.metric,
        series,
        x_range=ends,
        y_range=ends,
        x_percent=True,
        y_percent=True,
    )


def _errors(found: Reranking, by: str, parts: tuple[RankPart, ...]) -> str:
    return bar_chart(
        f"Errors of {found.baseline} by {by}, against {found.metric}",
        "share of cases, mean over systems",
        [part.key for part in parts],
        {
            f"FP (only {found.baseline} says right)": [part.fp for part in parts],
            f"FN (only {found.metric} says right)": [part.fn for part in parts],
        },
        y_percent=True,
    )


def write_figures(found: Reranking, folder: Path) -> list[Path]:
    """Write the figures into a folder; the metric's name is in front where it must be told."""
    folder.mkdir(parents=True, exist_ok=True)
    written = []
    for name, svg in rank_figures(found).items():
        safe = "".join(c if c.isalnum() else "_" for c in found.metric)
        path = folder / f"{safe}_{name}"
        path.write_text(svg, encoding="utf-8")
        written.append(path)
    return written
