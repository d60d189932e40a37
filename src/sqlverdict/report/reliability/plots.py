"""The charts of a reliability report, as SVG text by file name."""

from __future__ import annotations

import math

from sqlverdict.files.text import count
from sqlverdict.report.charts.chart import Series, bar_chart, line_chart
from sqlverdict.report.reliability.figures import Reliability, Selective, sweeps
from sqlverdict.score.reliability.curve import Curve, curve_points
from sqlverdict.score.reliability.reliability_score import ANS, EVERYTHING

_KINDS = ("answerable", "unanswerable")


def reliability_plots(reliability: Reliability, other: Reliability | None = None) -> dict[str, str]:
    """Every chart that the run has figures for; ``other`` is drawn beside it where it fits."""
    plots = {
        "outcomes.svg": outcomes_plot(reliability),
        "rs_by_penalty.svg": penalty_plot(reliability),
    }
    if reliability.table.answerable and reliability.table.unanswerable:
        plots["rs_by_share.svg"] = share_plot(reliability)
    if reliability.selective is not None:
        name = reliability.system
        curves = {name: reliability.selective}
        if other is not None and other.selective is not None:
            curves[other.system] = other.selective
        plots["risk_coverage.svg"] = risk_coverage_plot(curves)
        plots["threshold.svg"] = threshold_plot(reliability.selective)
        if any(one.calibration is not None for one in curves.values()):
            plots["calibration.svg"] = calibration_plot(curves)
    return plots


def outcomes_plot(reliability: Reliability) -> str:
    """The cells, answerable and unanswerable items apart."""
    one = reliability.table
    nothing = math.nan
    wholes = (one.answerable or 1, one.unanswerable or 1)
    bars = {
        "correct": (one.correct, nothing),
        "harm": (one.wrong, one.answered_unanswerable),
        **({"to review": (one.needs_review, nothing)} if one.needs_review else {}),
        "held back": (one.abstained_answerable, one.abstained_unanswerable),
    }
    shares = {
        label: [part / whole for part, whole in zip(parts, wholes, strict=True)]
        for label, parts in bars.items()
    }
    groups = [
        f"{kind} ({number:,})"
        for kind, number in zip(_KINDS, (one.answerable, one.unanswerable), strict=True)
    ]
    title = f"What became of the items: {reliability.system}"
    return bar_chart(title, "share of items", groups, shares, stacked=True, y_percent=True)


def penalty_plot(reliability: Reliability) -> str:
    """RS as a function of c, with ABSTAIN-ALL and where the system breaks even with it."""
    lines = [Series(name, line) for name, line in sweeps(reliability)["penalty"].items() if line]
    last = lines[0].points[-1][0] if lines else 1.0
    whole = reliability.view(EVERYTHING.name)
    if whole.abstain_all:
        level = whole.abstain_all
        lines.append(Series("ABSTAIN-ALL on ANS+UnANS", [(0, level), (last, level)], dashed=True))
    marks = []
    for name in (ANS.name, EVERYTHING.name):
        value = reliability.view(name).break_even
        if value is not None and math.isfinite(value) and value >= 0:
            marks.append((value, f"{name} breaks even at {value:.2f}"))
    title = f"RS(c) over the penalty: {reliability.system}"
    verticals = marks[-1:] if len({mark for mark, _ in marks}) < 2 else marks[1:]
    return line_chart(title, "penalty c", "RS(c)", lines, y_percent=True, verticals=verticals)


def share_plot(reliability: Reliability) -> str:
    """RS if another share of the questions were unanswerable."""
    lines = [Series(f"c = {name}", line) for name, line in sweeps(reliability)["share"].items()]
    lines.append(Series("ABSTAIN-ALL", [(0.0, 0.0), (1.0, 1.0)], dashed=True))
    title = f"RS(c) over the share of unanswerable questions: {reliability.system}"
    label = "share of questions that no query answers"
    return line_chart(title, label, "RS(c)", lines, x_percent=True, y_percent=True)


def risk_coverage_plot(curves: dict[str, Selective]) -> str:
    """Risk over coverage: one line per system, and the best order of the first one's answers."""
    lines = [Series(name, _risk_points(one.curve), marks=False) for name, one in curves.items()]
    first = next(iter(curves.values())).curve
    lines.append(Series("best order", _best_points(first), dashed=True))
    return line_chart(
        "Risk over coverage",
        "coverage: share of the answers given",
        "risk: share of them that is wrong",
        lines,
        x_percent=True,
        y_percent=True,
        x_range=(0.0, 1.0),
    )


def calibration_plot(curves: dict[str, Selective]) -> str:
    """The reliability diagram: accuracy over confidence, with Wilson's intervals."""
    lines = []
    for name, one in curves.items():
        if one.calibration is None:
            continue
        bins = one.calibration.bins
        dots = [(b.confidence, b.accuracy) for b in bins]
        band = [(b.confidence, *b.interval) for b in bins]
        lines.append(Series(f"{name}: ECE {one.calibration.ece:.3f}", dots, band, marks=True))
    lines.append(Series("perfectly calibrated", [(0.0, 0.0), (1.0, 1.0)], dashed=True))
    return line_chart(
        "Reliability diagram",
        "mean confidence of a bin, as a probability",
        "share of right answers",
        lines,
        x_range=(0.0, 1.0),
        y_range=(0.0, 1.0),
        x_percent=True,
        y_percent=True,
    )


def threshold_plot(selective: Selective) -> str:
    """TrustSQL's figure 2: the sum over the surest answers, and where it is largest."""
    lines, marks = [], []
    for name, one in selective.heuristic.items():
        if name == "N":
            continue
        path = [(float(n), total) for n, total in one.curve()]
        lines.append(Series(f"c = {name}", path, marks=False))
        stop = f"c = {name}: {count(one.answered, 'answer')}"
        marks.append((float(one.answered), stop))
    # A large penalty soon leaves the picture; what matters is where each line is highest.
    best = max((one.score for one in selective.heuristic.values()), default=1.0)
    room = max(best, 1.0) * 1.15
    return line_chart(
        "Threshold heuristic: sum over the surest answers",
        "answers, the surest first",
        "right answers - c x wrong ones",
        lines,
        y_range=(-room / 2, room),
        verticals=marks,
    )


def _risk_points(curve: Curve) -> list[tuple[float, float]]:
    return [(p.coverage, p.risk) for p in curve_points(curve) if p.risk is not None]


def _best_points(curve: Curve) -> list[tuple[float, float]]:
    n, errors = curve.items, curve.errors
    steps = sorted({*range(0, errors + 1, max(1, errors // 200)), errors})
    bends = [((n - errors + k) / n, k / (n - errors + k)) for k in steps if n - errors + k]
    return [(0.0, 0.0), *bends] if n > errors else bends
