"""Reliability as tables and sentences for people, and as plain values for JSON."""

from __future__ import annotations

import math
from dataclasses import asdict
from typing import Any

from sqlverdict.files.text import count
from sqlverdict.report.reliability.figures import Reliability, Selective, ViewScores, sweeps
from sqlverdict.report.reliability.kinds import by_hardness, by_type
from sqlverdict.report.terminal.tables import TextTable, interval_text, percent, table
from sqlverdict.score.deciding import VERDICT
from sqlverdict.score.reliability.curve_intervals import CurveEstimate
from sqlverdict.score.reliability.intervals import Interval
from sqlverdict.score.reliability.outcomes import PROVED, Cell, OutcomeTable
from sqlverdict.score.reliability.reliability_score import EVERYTHING, parse_penalty, rs

_DASH = "–"  # noqa: RUF001
_RATES = {
    "accuracy": "answerable items answered correctly",
    "over_refusal": "answerable items held back",
    "detection": "unanswerable items held back",
    "precision": "answers that are right",
    "coverage": "items answered",
}
_CELLS = {
    "correct": "+1",
    "abstained_answerable": "0",
    "wrong": "-c",
    "needs_review": "0",
    "answered_unanswerable": "-c",
    "abstained_unanswerable": "+1",
}


def points_text(value: float | None) -> str:
    """A score times 100, as TrustSQL prints it."""
    return _DASH if value is None else f"{value * 100:,.1f}"


def header_line(reliability: Reliability) -> str:
    """What was measured, on how many items, and what says that an answer is correct."""
    source = {
        VERDICT: "the verdict of the run",
        PROVED: "a proof; answers that merely match are left out",
    }.get(reliability.source, f"the metric {reliability.source}")
    left_out = f", {reliability.table.unscored:,} unscored" if reliability.table.unscored else ""
    return (
        f"{reliability.system} on {reliability.benchmark}: "
        f"{count(reliability.table.total, 'item')}{left_out}; correctness is decided by {source}"
    )


def scores_table(reliability: Reliability) -> TextTable:
    """RS of each view and penalty with its interval, and ABSTAIN-ALL beside it."""
    names = list(reliability.views[0].scores)
    headers = ["view", "N"]
    for name in names:
        headers += [f"RS({name})", "95% interval"]
    rows = []
    for view in reliability.views_that_differ:
        row = [view.name, f"{view.items:,g}"]
        for name in names:
            row += [points_text(view.scores[name]), ends_text(view.intervals[name])]
        rows.append([*row, points_text(view.abstain_all)])
    return table([*headers, "ABSTAIN-ALL"], rows, "Reliability score, times 100")


def outcome_rows(reliability: Reliability) -> TextTable:
    """The cells; what needs review, where there is any."""
    wholes = {"unanswerable": reliability.table.unanswerable}
    rows = []
    for name, number in reliability.table.cells().items():
        if name == Cell.NEEDS_REVIEW and not number:
            continue
        whole = wholes.get(name.partition("_")[2], reliability.table.answerable)
        share = percent(number / whole) if whole else _DASH
        rows.append((name, _CELLS[name], f"{number:,}", share))
    rows += (
        [("unscored", "", f"{reliability.table.unscored:,}", "")]
        if reliability.table.unscored
        else []
    )
    return table(("outcome", "worth", "items", "of its kind"), rows, "Outcomes")


def mishap_sentences(reliability: Reliability) -> list[str]:
    """How failures were counted."""
    policy = asdict(reliability.request.policy)
    names = {
        "error": "queries that fail",
        "timeout": "queries stopped at a limit",
        "no_sql": "replies without SQL",
    }
    lines = [
        f"{names[name]}: {number:,}, counted as {policy[name]}"
        for name, number in reliability.table.mishaps.items()
        if name in names
    ]
    missing = reliability.table.mishaps.get("missing")
    return [*lines, f"missing predictions: {missing:,}, counted as harm"] if missing else lines


def break_even_sentence(view: ViewScores) -> str:
    """At what penalty a view stops beating ABSTAIN-ALL."""
    value = view.break_even
    if value is None:
        return f"{view.name}: the same as ABSTAIN-ALL at every penalty"
    if value == math.inf:
        return f"{view.name}: no harm done; above ABSTAIN-ALL at every penalty"
    if value < 0:
        return f"{view.name}: below ABSTAIN-ALL at every penalty, even 0"
    around = ""
    if view.break_even_interval is not None:
        ends = " to ".join(f"{end:.2f}" for end in view.break_even_interval)
        around = f" ({ends})".replace("inf", "no limit")
    return f"{view.name}: better than ABSTAIN-ALL up to a penalty of {value:.2f}{around}"


def rates_table(reliability: Reliability) -> TextTable:
    """Shares that need no penalty."""
    rows = [
        (
            name.replace("_", "-"),
            percent(rate.value),
            interval_text(rate.low, rate.high),
            _RATES[name],
        )
        for name in _RATES
        if (rate := reliability.rates[name]).value is not None
    ]
    return table(("rate", "value", "95% interval", "share of"), rows, "Rates", left=(0, 3))


def beside_table(reliability: Reliability) -> TextTable:
    """RS over all items by every label of the run: what lucky matches cost."""
    names = list(reliability.views[0].scores)
    rows = [
        (name, f"{one.correct:,}", f"{one.harm:,}", f"{one.unscored:,}", *_scores(one, names))
        for name, one in {reliability.source: reliability.table, **reliability.beside}.items()
    ]
    if len(rows) == 1:
        return table((), ())
    headers = ("correct by", "correct", "harm", "unscored", *(f"RS({name})" for name in names))
    return table(headers, rows, f"{EVERYTHING.name} by other labels")


def _scores(one: OutcomeTable, names: list[str]) -> list[str]:
    return [points_text(rs(one, parse_penalty(name))) for name in names]


def slices_table(reliability: Reliability) -> TextTable:
    """RS by difficulty and by type of unanswerable question; N is the number of items there."""
    names = _names(reliability)
    some = any(part.table.unscored for part in reliability.slices)
    rows = [
        (
            part.key,
            f"{part.table.total:,}",
            *_scores(part.table, names),
            *((f"{part.table.unscored:,}",) if some else ()),
        )
        for part in reliability.slices
    ]
    headers = ("items", "N", *(f"RS({name})" for name in names), *(("unscored",) if some else ()))
    title = "Reliability score by difficulty and by type of unanswerable question"
    return table(headers, rows, title)


def selective_table(selective: Selective) -> TextTable:
    """The figures of the risk-coverage curve."""
    rows = []
    for name, one in selective.figures.items():
        label = name.replace("coverage_at_", "coverage at risk ")
        if label in ("aurc", "augrc"):
            rows.append((label.upper(), _number(one.value), _numbers(one)))
        else:
            rows.append((label, percent(one.value), interval_text(one.low, one.high)))
    rows.append(("AURC of the best order", _number(selective.best_aurc), ""))
    rows.append(("AUROC", _number(selective.auroc), ""))
    if selective.calibration is not None:
        fit = selective.calibration
        rows.append(("ECE", _number(fit.ece), _ends_of(fit.ece_interval)))
        rows.append(("ECE, bins of equal size", _number(fit.ece_equal_size), ""))
        rows.append(("Brier score", _number(fit.brier), _ends_of(fit.brier_interval)))
    title = f"Selective prediction: {count(selective.answers, 'answer')} with a confidence"
    return table(("figure", "value", "95% interval"), rows, title)


def threshold_sentences(selective: Selective) -> list[str]:
    """Which thresholds the answers suggest."""
    lines = []
    for name, one in selective.heuristic.items():
        if one.value == math.inf:
            lines.append(f"heuristic threshold for penalty {name}: never answer")
            continue
        lines.append(
            f"heuristic threshold for penalty {name}: {one.value:.6g} answers "
            f"{one.answered:,} of {one.items:,}, {one.wrong:,} of them wrongly"
        )
    for promise in selective.certified:
        if promise.value == math.inf:
            lines.append(promise.guarantee)
        else:
            confidence = "any confidence" if promise.value == -math.inf else f"{promise.value:.6g}"
            lines.append(f"threshold {confidence}: {promise.guarantee}")
    if selective.calibration is None:
        lines.append("the confidences are not probabilities: no ECE, no Brier score")
    elif selective.calibration.scale == "logarithm":
        lines.append("the confidences were read as logarithms of probabilities")
    if selective.without:
        lines.append(f"{count(selective.without, 'answer')} without a confidence left out")
    return lines


def reliability_json(reliability: Reliability) -> dict[str, Any]:
    """Everything as plain values; scores are fractions, ``rs_percent`` is as people print it."""
    request = reliability.request
    return {
        "system": reliability.system,
        "benchmark": reliability.benchmark,
        "correct_by": reliability.source,
        "items": reliability.table.total,
        "unscored": reliability.table.unscored,
        "policy": asdict(request.policy),
        "seed": request.seed,
        "outcomes": reliability.table.cells(),
        "mishaps": dict(reliability.table.mishaps),
        "rs": {view.name: dict(view.scores) for view in reliability.views},
        "rs_percent": {
            view.name: {name: _rounded(score) for name, score in view.scores.items()}
            for view in reliability.views
        },
        "intervals": {view.name: dict(view.intervals) for view in reliability.views},
        "n": {view.name: view.items for view in reliability.views},
        "abstain_all": {view.name: view.abstain_all for view in reliability.views},
        "break_even": {view.name: _break_even(view) for view in reliability.views},
        "rates": {name: asdict(rate) for name, rate in reliability.rates.items()},
        "slices": [
            {
                "by": part.by,
                "key": part.key,
                **_plain(part.table),
                "rs": _rs(part.table, reliability),
            }
            for part in reliability.slices
        ],
        "by_hardness": by_hardness(reliability),
        "by_type": by_type(reliability),
        "by_label": {
            name: {**_plain(one), "rs": _rs(one, reliability)}
            for name, one in {reliability.source: reliability.table, **reliability.beside}.items()
        },
        "sweeps": sweeps(reliability),
        "selective": None
        if reliability.selective is None
        else _selective_json(reliability.selective),
    }


def _names(reliability: Reliability) -> list[str]:
    return list(reliability.views[0].scores)


def _rs(one: OutcomeTable, reliability: Reliability) -> dict[str, float | None]:
    return {name: rs(one, parse_penalty(name)) for name in _names(reliability)}


def _plain(one: OutcomeTable) -> dict[str, Any]:
    return {**one.cells(), "unscored": one.unscored}


def _rounded(score: float | None) -> float | None:
    return None if score is None else round(score * 100, 1)


def _break_even(view: ViewScores) -> dict[str, Any]:
    ends = view.break_even_interval or (None, None)
    return {
        "penalty": _finite(view.break_even),
        "low": _finite(ends[0]),
        "high": _finite(ends[1]),
        "says": break_even_sentence(view),
    }


def _finite(value: float | None) -> float | None:
    return value if value is not None and math.isfinite(value) else None


def _selective_json(selective: Selective) -> dict[str, Any]:
    plain = {
        name: getattr(selective, name)
        for name in ("answers", "without", "accuracy", "best_aurc", "auroc")
    }
    keys = {"value", "answered", "wrong", "items", "score", "penalty"}
    return {
        **plain,
        "figures": {name: asdict(one) for name, one in selective.figures.items()},
        "points": {name: asdict(point) for name, point in selective.points.items()},
        "calibration": None if selective.calibration is None else asdict(selective.calibration),
        "heuristic": {
            name: {key: getattr(one, key) for key in sorted(keys)}
            for name, one in selective.heuristic.items()
        },
        "certified": [asdict(one) for one in selective.certified],
    }


def ends_text(ends: Interval | None) -> str:
    """An interval of scores, times 100."""
    return _DASH if ends is None else " to ".join(points_text(end) for end in ends)


def _ends_of(ends: Interval) -> str:
    return f"{ends[0]:.4f} to {ends[1]:.4f}"


def _number(value: float | None) -> str:
    return _DASH if value is None else f"{value:.4f}"


def _numbers(one: CurveEstimate) -> str:
    return _DASH if one.low is None or one.high is None else f"{one.low:.4f} to {one.high:.4f}"
