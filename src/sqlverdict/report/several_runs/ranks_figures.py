"""The figures of a changed ranking as SVG: scores, types, difficulties (FLEX's 1, 4, 5 and 7)."""

from __future__ import annotations

from sqlverdict.files.text import count
from sqlverdict.report.charts.chart import Series, bar_chart, line_chart
from sqlverdict.report.several_runs.ranks import RankPart, Reranking

SCORES, TYPES, TYPE_ERRORS, LEVELS = (
    "scores.svg",
    "types.svg",
    "types_errors.svg",
    "difficulties.svg",
)


def rank_figures(reranking: Reranking) -> dict[str, str]:
    """Every figure that the ranking has data for, from file name to SVG.

    The metric's name is in front: several rankings go to one folder.
    """
    figures = {SCORES: scores_figure(reranking)}
    if reranking.types:
        keys = [part.key for part in reranking.types]
        figures[TYPES] = bar_chart(
            f"{reranking.baseline} and {reranking.metric} by type of system",
            "mean score",
            keys,
            {
                reranking.baseline: [part.baseline for part in reranking.types],
                reranking.metric: [part.value for part in reranking.types],
            },
            y_percent=True,
        )
        figures[TYPE_ERRORS] = _errors(reranking, "type of system", reranking.types)
    if reranking.difficulties:
        figures[LEVELS] = _errors(reranking, "difficulty", reranking.difficulties)
    metric = "".join(c if c.isalnum() else "_" for c in reranking.metric)
    return {f"{metric}_{name}": svg for name, svg in figures.items()}


def scores_figure(reranking: Reranking) -> str:
    """Each system's score under both metrics with its name, and the line of equal scores."""
    kinds = dict.fromkeys(shift.type for shift in reranking.shifts)
    points = {kind: [shift for shift in reranking.shifts if shift.type == kind] for kind in kinds}
    every = [score for shift in reranking.shifts for score in (shift.baseline, shift.value)]
    low, high = min(every), max(every)
    room = max(0.02, (high - low) * 0.08)
    ends = (max(0.0, low - room), min(1.0, high + room))
    if ends[0] >= ends[1]:
        ends = (0.0, 1.0)
    series = [
        Series(
            kind or "systems",
            [(shift.baseline, shift.value) for shift in shifts],
            line=False,
            marks=True,
            names=[shift.system for shift in shifts],
        )
        for kind, shifts in points.items()
    ]
    series.append(Series("equal scores", [(ends[0], ends[0]), (ends[1], ends[1])], dashed=True))
    return line_chart(
        f"{reranking.metric} over {reranking.baseline}, {count(reranking.cases, 'case')}",
        reranking.baseline,
        reranking.metric,
        series,
        x_range=ends,
        y_range=ends,
        x_percent=True,
        y_percent=True,
    )


def _errors(reranking: Reranking, by: str, parts: tuple[RankPart, ...]) -> str:
    return bar_chart(
        f"Errors of {reranking.baseline} by {by}, against {reranking.metric}",
        "share of cases, mean over systems",
        [part.key for part in parts],
        {
            f"FP (only {reranking.baseline} says right)": [part.fp for part in parts],
            f"FN (only {reranking.metric} says right)": [part.fn for part in parts],
        },
        y_percent=True,
    )
