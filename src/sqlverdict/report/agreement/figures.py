"""The agreement with people as a figure: every metric and judge, by set where there are sets."""

from __future__ import annotations

from sqlverdict.files.text import count
from sqlverdict.report.agreement.agreement import AgreementReport
from sqlverdict.report.charts.rows import Dot, row_chart
from sqlverdict.score.agreement.agreement import Agreement


def agreement_figure(report: AgreementReport, tag: str | None = None) -> str:
    """Kappa of every metric and judge with its interval, the highest first, as SVG.

    Args:
        report: The agreement.
        tag: By whose values; by default over all cases.
    """
    parts = {"all cases": report.metrics} if tag is None else report.groups[tag]
    names = sorted(
        (name for name, one in report.metrics.items() if one.kappa is not None),
        key=lambda name: (-(report.metrics[name].kappa or 0.0), name),
    )
    return row_chart(
        f"Agreement with people on {count(report.matched, 'case')}",
        "Cohen's kappa, with 95% intervals",
        names,
        {label: [_dot(part[name]) for name in names] for label, part in parts.items()},
    )


def _dot(one: Agreement) -> Dot | None:
    if one.kappa is None:
        return None
    return (one.kappa, *one.intervals.get("kappa", (one.kappa, one.kappa)))
