"""The categories as SVG: FLEX's figures 6 and 9."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from statistics import fmean, pstdev

from sqlverdict.compare.tag_labels import DIFFERENCES, ERRORS
from sqlverdict.files.atomic import write_text_at_once
from sqlverdict.report.agreement.categories import SQL_ERROR, CategoryReport
from sqlverdict.report.charts.chart import bar_chart

_SETS: Mapping[str, str] = {
    "FP": "matches that are wrong (FP)",
    "TN": "wrong answers (TN)",
    "FN": "right answers (FN)",
}
"""What a set is called in the legend."""


def category_figures(report: CategoryReport) -> dict[str, str]:
    """A figure for each set that has cases, from file name to SVG.

    Of one run the bars are shares of its cases; of several systems they are means of the systems'
    shares, with their standard deviation around them.
    """
    several = len(report.systems) > 1
    unit = "mean share of cases, ± standard deviation" if several else "share of cases"
    figures = {}
    for name, outcomes, labels, title in (
        ("errors.svg", ("FP", "TN"), (*ERRORS, SQL_ERROR), "Kinds of error"),
        ("differences.svg", ("FN",), DIFFERENCES, "Why right answers differ from the gold"),
    ):
        bars: dict[str, list[float]] = {}
        errors: dict[str, list[tuple[float, float]]] = {}
        for outcome in outcomes:
            for by in ("tags", "judge"):
                systems = _shares(report, outcome, by, "system" if several else "all")
                if systems:
                    columns = [[shares.get(label, 0.0) for shares in systems] for label in labels]
                    means = [fmean(column) for column in columns]
                    bars[f"{_SETS[outcome]}, by {by}"] = means
                    errors[f"{_SETS[outcome]}, by {by}"] = [
                        (max(0.0, mean - pstdev(column)), mean + pstdev(column))
                        for mean, column in zip(means, columns, strict=True)
                    ]
        if bars:
            figures[name] = bar_chart(
                title,
                unit,
                [label.replace("_", " ") for label in labels],
                bars,
                errors=errors if several else None,
                y_percent=True,
            )
    return figures


def _shares(report: CategoryReport, outcome: str, by: str, group: str) -> list[dict[str, float]]:
    """The shares of each system that has labels in the set, or of all cases together."""
    shares: dict[str, dict[str, float]] = {}
    for share in report.shares:
        if (share.group, share.outcome, share.by) == (group, outcome, by):
            shares.setdefault(share.key, {})[share.label] = share.ratio
    return list(shares.values())


def write_category_figures(report: CategoryReport, folder: Path) -> list[Path]:
    """Write the figures into a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    paths = []
    for name, svg in category_figures(report).items():
        path = folder / name
        write_text_at_once(path, svg)
        paths.append(path)
    return paths
