"""The agreement with people as tables and as a figure.

Kappas are printed as they are, 0.62, and shares in percent. ``in_percent`` prints all of them times
100, as papers do.
"""

from __future__ import annotations

from sqlverdict.files.text import count
from sqlverdict.report.agreement.agreement import AgreementReport
from sqlverdict.report.charts.rows import Dot, row_chart
from sqlverdict.report.terminal.tables import TextTable, p_text, percent, points, table
from sqlverdict.score.agreement.agreement import Agreement
from sqlverdict.score.agreement.annotators import AnnotatorAgreement, ModeAgreement

_NONE = "–"  # noqa: RUF001


def agreement_table(report: AgreementReport, *, in_percent: bool = False) -> TextTable:
    """One row per metric or judge."""
    headers = (
        "metric",
        "kappa",
        "95% interval",
        "accuracy",
        "EQ",
        "NEQ",
        "FP",
        "FN",
        "MCC",
        "n",
        "unscored",
        "calls",
    )
    return table(headers, [_row(one, in_percent) for one in report.metrics.values()])


def group_table(report: AgreementReport, tag: str, *, in_percent: bool = False) -> TextTable:
    """One row per metric or judge, and for each value of a tag its kappa and its cases."""
    values = report.groups[tag]
    headers = ("metric", *(part for value in values for part in (f"{tag} {value}", "n")))
    rows = [
        (name, *(part for value in values for part in _kappa(values[value][name], in_percent)))
        for name in report.metrics
    ]
    return table(headers, rows)


def _kappa(one: Agreement, in_percent: bool) -> tuple[str, str]:
    ends = one.intervals.get("kappa")
    span = "" if ends is None else f" ({between_text(ends, in_percent)})"
    return f"{kappa_text(one.kappa, in_percent)}{span}", f"{one.n:,}"


def between_text(ends: tuple[float, float], in_percent: bool, *, signed: bool = False) -> str:
    """The interval of a kappa, or of a difference of two."""
    sign = "+" if signed else ""
    if in_percent:
        return f"{ends[0] * 100:{sign}.1f} to {ends[1] * 100:{sign}.1f}"
    return f"{ends[0]:{sign}.2f} to {ends[1]:{sign}.2f}"


def _row(one: Agreement, in_percent: bool) -> tuple[str, ...]:
    low_high = one.intervals.get("kappa")
    return (
        one.metric,
        kappa_text(one.kappa, in_percent),
        _NONE if low_high is None else between_text(low_high, in_percent),
        share_text(one.accuracy, in_percent),
        share_text(one.eq_accuracy, in_percent),
        share_text(one.neq_accuracy, in_percent),
        f"{one.fp:,}",
        f"{one.fn:,}",
        kappa_text(one.mcc, in_percent),
        f"{one.n:,}",
        f"{one.unscored:,}",
        f"{one.calls:,}",
    )


def difference_table(report: AgreementReport, *, in_percent: bool = False) -> TextTable:
    """One row for each two metrics: are they told apart, and how many more labels would."""
    rows = [
        (
            f"{one.a} → {one.b}",
            points(one.difference),
            kappa_difference_text(one.kappa_difference, in_percent),
            _NONE
            if one.low is None or one.high is None
            else between_text((one.low, one.high), in_percent, signed=True),
            f"{one.only_b:,} : {one.only_a:,}",
            p_text(one.p_value),
            _NONE if one.more_labels is None else f"{one.more_labels:,}",
        )
        for one in report.differences
    ]
    headers = (
        "two metrics",
        "accuracy",
        "kappa",
        "95% interval",
        "better : worse",
        "p",
        "more labels",
    )
    return table(headers, rows)


def annotator_sentence(annotators: AnnotatorAgreement, *, in_percent: bool = False) -> str:
    """Fleiss' kappa in words."""
    halves = [
        f"{kappa_text(value, in_percent)} {where}"
        for value, where in (
            (annotators.fleiss_eq, "where results match"),
            (annotators.fleiss_neq, "where they differ"),
        )
        if value is not None
    ]
    parts = f" ({', '.join(halves)})" if halves else ""
    lacking = count(annotators.incomplete, "case")
    missing = f"; a vote is missing for {lacking}" if annotators.incomplete else ""
    return (
        f"Fleiss' kappa of {len(annotators.annotators)} annotators on "
        f"{count(annotators.n, 'case')}: {kappa_text(annotators.fleiss, in_percent)}{parts}; "
        f"unanimous on {annotators.unanimous:,}{missing}"
    )


def mode_sentence(modes: ModeAgreement, *, in_percent: bool = False) -> str:
    """How people who saw the queries agree with people who saw results alone."""
    return (
        f"with SQL and without it, on the same {count(modes.n, 'case')}: "
        f"{share_text(modes.same, in_percent)} have the same label, kappa "
        f"{kappa_text(modes.kappa, in_percent)}; "
        f"{share_text(modes.right_by_queries, in_percent)} are right with SQL, "
        f"{share_text(modes.right_by_results, in_percent)} without"
    )


def annotator_table(annotators: AnnotatorAgreement, *, in_percent: bool = False) -> TextTable:
    """Cohen's kappa of each two annotators."""
    rows = [
        (
            pair.a,
            pair.b,
            kappa_text(pair.kappa, in_percent),
            share_text(pair.accuracy, in_percent),
            f"{pair.n:,}",
        )
        for pair in annotators.pairs
    ]
    return table(("annotator", "and", "kappa", "same", "n"), rows, left=(0, 1))


def kappa_text(value: float | None, in_percent: bool = False) -> str:
    """A kappa or a correlation: 0.62, or 62.00 as papers print it."""
    if value is None:
        return _NONE
    return f"{value * 100:.2f}" if in_percent else f"{value:.2f}"


def kappa_difference_text(value: float | None, in_percent: bool = False) -> str:
    """A difference of kappas, with its sign."""
    if value is None or in_percent:
        return points(value)
    return f"{round(value, 2) + 0.0:+.2f}"


def share_text(value: float | None, in_percent: bool = False) -> str:
    """A share: 81.0%, or 81.0 as papers print it."""
    return percent(value).removesuffix("%") if in_percent else percent(value)


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
        {label: [kappa_dot(part[name]) for name in names] for label, part in parts.items()},
    )


def kappa_dot(one: Agreement | None) -> Dot | None:
    """A kappa with its interval, for a figure."""
    if one is None or one.kappa is None:
        return None
    return (one.kappa, *one.intervals.get("kappa", (one.kappa, one.kappa)))
