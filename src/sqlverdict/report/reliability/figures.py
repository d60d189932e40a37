"""What a run says about reliability: RS(c) by view, outcomes, break-even, selective prediction."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

from sqlverdict.errors import UsageError
from sqlverdict.runlog.missing_metric import missing_metric
from sqlverdict.runlog.run import Run
from sqlverdict.score.deciding import VERDICT
from sqlverdict.score.reliability.calibration import ConfidenceCalibration, calibration, scale_of
from sqlverdict.score.reliability.curve import (
    RISKS,
    Curve,
    Point,
    auroc,
    best_aurc,
    coverage_at,
)
from sqlverdict.score.reliability.curve_intervals import (
    CurveEstimate,
    curve_figures,
    curve_intervals,
)
from sqlverdict.score.reliability.intervals import Interval, interval_of, resampled_tables
from sqlverdict.score.reliability.items import ReliabilityCounts, SliceTable
from sqlverdict.score.reliability.outcomes import PROVED, FailurePolicy, OutcomeTable
from sqlverdict.score.reliability.reliability_score import (
    ANS,
    EVERYTHING,
    PENALTIES,
    SHARE,
    Penalty,
    ShareEstimate,
    View,
    abstain_all,
    break_even,
    partly,
    penalty_text,
    rates,
    rs,
    sweep_penalty,
    sweep_share,
    views,
)
from sqlverdict.score.reliability.thresholds import (
    CertifiedThreshold,
    Threshold,
    best_prefix,
    certify,
)

DELTA = 0.1
_SHARES = tuple(step / 20 for step in range(21))


@dataclass(frozen=True)
class ReliabilityRequest:
    """What is asked for.

    Attributes:
        penalties: The penalties of RS(c).
        source: Where "correct" comes from; ``None``: the metric that decides.
        share: The share of unanswerable items in the middle view.
        policy: How failures count.
        seed: For the subset and the bootstrap.
        risks: Risks for coverage and certified thresholds.
        delta: The chance that a certified threshold breaks its promise.
        intervals: Whether several systems get intervals too; they take most of the time.
    """

    penalties: tuple[Penalty, ...] = PENALTIES
    source: str | None = None
    share: float = SHARE
    policy: FailurePolicy = field(default_factory=FailurePolicy)
    seed: int = 0
    risks: tuple[float, ...] = RISKS
    delta: float = DELTA
    intervals: bool = True


@dataclass(frozen=True)
class ViewScores:
    """One view: its size, RS for each penalty with intervals, and where it breaks even.

    ``subset`` marks a view evaluated on a seeded subset rather than by weight.
    """

    name: str
    items: float
    abstain_all: float | None
    scores: dict[str, float | None]
    intervals: dict[str, Interval | None]
    break_even: float | None
    break_even_interval: Interval | None
    subset: bool = False


@dataclass(frozen=True)
class Selective:
    """What the confidences of the answers are good for.

    Attributes:
        curve: Answers grouped by confidence.
        answers: Answers with a confidence.
        without: Answers that came without one; they are not on the curve.
        accuracy: The share of right ones among the answers with a confidence.
        figures: AURC, AUGRC and the coverage at given risks, with intervals.
        best_aurc: The AURC of the best order of the same answers.
        auroc: How often a right answer is surer than a wrong one.
        points: The thresholds that reach each risk on these items.
        calibration: ECE, Brier score, diagram; ``None`` where confidences are no probabilities.
        heuristic: TrustSQL's threshold for each penalty, by the penalty's name.
        certified: A threshold with a promise for each risk.
    """

    curve: Curve
    answers: int
    without: int
    accuracy: float
    figures: dict[str, CurveEstimate]
    best_aurc: float | None
    auroc: float | None
    points: dict[str, Point]
    calibration: ConfidenceCalibration | None
    heuristic: dict[str, Threshold]
    certified: tuple[CertifiedThreshold, ...]


@dataclass(frozen=True)
class Reliability:
    """Everything the command prints."""

    system: str
    benchmark: str
    source: str
    request: ReliabilityRequest
    table: OutcomeTable
    views: tuple[ViewScores, ...]
    rates: dict[str, ShareEstimate]
    slices: tuple[SliceTable, ...]
    beside: dict[str, OutcomeTable]
    selective: Selective | None

    @property
    def views_that_differ(self) -> tuple[ViewScores, ...]:
        """The views for readers: without unanswerable items all of them are one."""
        return self.views if self.table.unanswerable else self.views[:1]

    def view(self, name: str) -> ViewScores:
        """The view of that name."""
        return next(view for view in self.views if view.name == name)


def reliability_of(run: Run, request: ReliabilityRequest | None = None) -> Reliability:
    """Read a run once and work out its reliability.

    Raises:
        UsageError: the run has no such metric, or no case could be scored.
    """
    settings = request or ReliabilityRequest()
    source = choose_source(run, settings.source)
    beside = [name for name in (*run.manifest.metrics, VERDICT, PROVED) if name != source]
    ledger = ReliabilityCounts(source, settings.policy, beside=beside, seed=settings.seed).add_all(
        run.results()
    )
    table = ledger.table
    if not table.total:
        raise UsageError(
            f"no case of {run.manifest.system} could be scored by {source} "
            f"({table.unscored:,} unscored); there is nothing to report"
        )
    others = {name: other for name in beside if (other := ledger.table_by(name)).correct}
    return Reliability(
        system=run.manifest.system,
        benchmark=run.manifest.benchmark,
        source=source,
        request=settings,
        table=table,
        views=_views(table, ledger.subset(settings.share), settings),
        rates=rates(table),
        slices=ledger.slices(),
        beside=others,
        selective=_selective(ledger, settings),
    )


def choose_source(run: Run, label: str | None) -> str:
    """Where "correct" comes from: what was asked for, else the metric that decides.

    Raises:
        UsageError: the run has no such metric.
    """
    known = dict.fromkeys((*run.manifest.metrics, VERDICT, PROVED))
    if label is None:
        return run.deciding or VERDICT
    if label not in known:
        raise UsageError(missing_metric(label, [(run.folder, run.manifest)], known))
    return label


def subset_name(share: float) -> str:
    """How the view on a seeded subset is called."""
    return f"{partly(share).name} subset"


def _views(
    table: OutcomeTable, subset: OutcomeTable, request: ReliabilityRequest
) -> tuple[ViewScores, ...]:
    samples = resampled_tables(table, request.seed)
    scores = [score_view(table, samples, view, request.penalties) for view in views(request.share)]
    again = resampled_tables(subset, request.seed)
    name = View(subset_name(request.share), EVERYTHING.weight)
    scores.insert(2, score_view(subset, again, name, request.penalties, subset=True))
    return tuple(scores)


def score_view(
    table: OutcomeTable,
    samples: list[OutcomeTable],
    view: View,
    penalties: Sequence[Penalty],
    *,
    subset: bool = False,
) -> ViewScores:
    """RS of one view for each penalty, with intervals from resampled tables."""
    scores, intervals = {}, {}
    for penalty in penalties:
        name = penalty_text(penalty)
        scores[name] = rs(table, penalty, view)
        intervals[name] = interval_of(lambda one, c=penalty: rs(one, c, view), samples)  # type: ignore[misc]
    return ViewScores(
        name=view.name,
        items=view.size(table),
        abstain_all=abstain_all(table, view),
        scores=scores,
        intervals=intervals,
        break_even=break_even(table, view),
        break_even_interval=interval_of(lambda one: break_even(one, view), samples),
        subset=subset,
    )


def _selective(ledger: ReliabilityCounts, request: ReliabilityRequest) -> Selective | None:
    curve = ledger.curve()
    if not curve.items:
        return None
    numbers = [penalty for penalty in request.penalties if penalty == "N" or penalty > 0]
    return Selective(
        curve=curve,
        answers=curve.items,
        without=ledger.without_confidence,
        accuracy=1 - curve.errors / curve.items,
        figures=curve_intervals(curve, curve_figures(request.risks), seed=request.seed),
        best_aurc=best_aurc(curve),
        auroc=auroc(curve),
        points={f"{risk:g}": coverage_at(curve, risk) for risk in request.risks},
        calibration=calibration(curve, seed=request.seed) if scale_of(curve) else None,
        heuristic={penalty_text(c): best_prefix(curve, c) for c in [1.0, *numbers]},
        certified=tuple(certify(curve, risk=risk, delta=request.delta) for risk in request.risks),
    )


def sweeps(report: Reliability) -> dict[str, dict[str, list[tuple[float, float]]]]:
    """RS as a function of c by view, and of the unanswerable share by penalty."""
    table = report.table
    by_penalty = {
        view.name: sweep_penalty(table, penalty_grid(report), view)
        for view in (ANS, partly(report.request.share), EVERYTHING)
    }
    by_share = {}
    if table.answerable and table.unanswerable:
        numbers: list[Penalty] = [c for c in report.request.penalties if c != "N"]
        by_share = {penalty_text(c): sweep_share(table, c, _SHARES) for c in numbers}
    return {"penalty": by_penalty, "share": by_share}


def penalty_grid(report: Reliability) -> list[Penalty]:
    """Penalties from 0 to somewhat beyond the last point where a view breaks even."""
    ends = [view.break_even for view in report.views if view.break_even is not None]
    last = max((end for end in ends if math.isfinite(end)), default=10.0)
    high = max(1.5 * last, 10.0)
    return [high * step / 40 for step in range(41)]
