"""The categories as SVG: FLEX's figures 6 and 9."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from sqlverdict.compare.tag_labels import DIFFERENCES, ERRORS
from sqlverdict.report.agreement.categories import SQL_ERROR, CategoryReport
from sqlverdict.report.charts.chart import bar_chart

SHORT: Mapping[str, str] = dict(
    zip(
        (*ERRORS, SQL_ERROR, *DIFFERENCES),
        (
            "schema",
            "filter",
            "null",
            "several rows",
            "abused",
            "other",
            "error",
            "structure",
            "value",
            "gold",
            "several answers",
            "other",
        ),
        strict=True,
    )
)
"""What a label is called below a bar."""


def category_figures(report: CategoryReport) -> dict[str, str]:
    """A figure for each set that has cases, from file name to SVG."""
    figures = {}
    for name, outcomes, labels, title in (
        ("errors.svg", ("FP", "TN"), (*ERRORS, SQL_ERROR), "Kinds of error"),
        ("differences.svg", ("FN",), DIFFERENCES, "Why right answers differ from the gold"),
    ):
        bars: dict[str, list[float]] = {}
        for outcome in outcomes:
            for by in ("tags", "judge"):
                values = _bars(report, outcome, by, labels)
                if values:
                    bars[f"{outcome}, by {by}"] = values
        if bars:
            figures[name] = bar_chart(
                title, "share of cases", [SHORT[label] for label in labels], bars, y_percent=True
            )
    return figures


def _bars(report: CategoryReport, outcome: str, by: str, labels: Sequence[str]) -> list[float]:
    shares = {
        share.label: share.ratio
        for share in report.shares
        if share.group == "all" and share.outcome == outcome and share.by == by
    }
    return [shares.get(label, 0.0) for label in labels] if shares else []


def write_category_figures(report: CategoryReport, folder: Path) -> list[Path]:
    """Write the figures into a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    paths = []
    for name, svg in category_figures(report).items():
        path = folder / name
        path.write_text(svg, encoding="utf-8")
        paths.append(path)
    return paths
