"""The agreement with people as tables."""

from __future__ import annotations

from sqlverdict.files.text import count
from sqlverdict.report.agreement.agreement import AgreementReport
from sqlverdict.report.terminal.tables import TextTable, p_text, points, table
from sqlverdict.score.agreement.agreement import Agreement
from sqlverdict.score.agreement.annotators import AnnotatorAgreement

_NONE = "–"  # noqa: RUF001


def agreement_table(report: AgreementReport) -> TextTable:
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
    return table(headers, [_row(one) for one in report.metrics.values()])


def group_table(report: AgreementReport, tag: str) -> TextTable:
    """One row per metric or judge, and for each value of a tag its kappa and its cases."""
    values = report.groups[tag]
    headers = ("metric", *(part for value in values for part in (f"{tag} {value}", "n")))
    rows = [
        (name, *(part for value in values for part in _kappa(values[value][name])))
        for name in report.metrics
    ]
    return table(headers, rows)


def _kappa(one: Agreement) -> tuple[str, str]:
    ends = one.intervals.get("kappa")
    span = "" if ends is None else f" ({ends[0] * 100:.1f} to {ends[1] * 100:.1f})"
    return f"{hundredths(one.kappa)}{span}", f"{one.n:,}"


def _row(one: Agreement) -> tuple[str, ...]:
    low_high = one.intervals.get("kappa")
    return (
        one.metric,
        hundredths(one.kappa),
        _NONE if low_high is None else f"{low_high[0] * 100:.1f} to {low_high[1] * 100:.1f}",
        hundredths(one.accuracy, 1),
        hundredths(one.eq_accuracy, 1),
        hundredths(one.neq_accuracy, 1),
        f"{one.fp:,}",
        f"{one.fn:,}",
        hundredths(one.mcc),
        f"{one.n:,}",
        f"{one.unscored:,}",
        f"{one.calls:,}",
    )


def difference_table(report: AgreementReport) -> TextTable:
    """One row for each two metrics: are they told apart, and how many more labels would."""
    rows = [
        (
            f"{one.a} → {one.b}",
            points(one.difference),
            points(one.kappa_difference),
            _NONE
            if one.low is None or one.high is None
            else f"{one.low * 100:+.1f} to {one.high * 100:+.1f}",
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


def annotator_sentence(annotators: AnnotatorAgreement) -> str:
    """Fleiss' kappa in words."""
    halves = [
        f"{hundredths(value)} {where}"
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
        f"{count(annotators.n, 'case')}: {hundredths(annotators.fleiss)}{parts}; "
        f"unanimous on {annotators.unanimous:,}{missing}"
    )


def annotator_table(annotators: AnnotatorAgreement) -> TextTable:
    """Cohen's kappa of each two annotators."""
    rows = [
        (pair.a, pair.b, hundredths(pair.kappa), hundredths(pair.accuracy, 1), f"{pair.n:,}")
        for pair in annotators.pairs
    ]
    return table(("annotator", "and", "kappa", "same", "n"), rows, left=(0, 1))


def hundredths(value: float | None, decimals: int = 2) -> str:
    """A kappa or share as papers print it: 58.00 for 0.58."""
    return _NONE if value is None else f"{value * 100:.{decimals}f}"
