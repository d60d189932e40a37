"""What a metric, a judge or a record says of one case, by its name."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from sqlverdict.errors import UnknownMember
from sqlverdict.evidence import Failed, Judged, Recorded, Related, Tested
from sqlverdict.records import Result, Verdict
from sqlverdict.score.metric import METRICS, uses_opinions
from sqlverdict.score.statistics.pairing import RIGHT

VERDICT = "verdict"
"""The run's own verdicts as a metric, where the run has no metric of that name."""

JUDGE = "judge:"
"""Before a judge's name: all its opinions, also those that did not decide the verdict."""

RECORDED = "recorded:"
"""Before a judge's name: its verdicts as they came with the cases."""

_RIGHT = (Verdict.CORRECT,)
_WRONG = (Verdict.INCORRECT, Verdict.ABSTAINED_WRONG)


def opinion(result: Result, name: str, threshold: float = RIGHT) -> bool | None:
    """What a metric or judge says of a case; ``None``: unscored, never wrong."""
    if name in result.scores:
        value = result.scores[name]
        return None if value is None else value >= threshold
    if name.startswith(JUDGE):
        judge = name.removeprefix(JUDGE)
        for piece in result.evidence:
            if isinstance(piece, Judged) and piece.by == judge:
                return piece.correct
        return None
    if name.startswith(RECORDED):
        verdict = recorded_verdicts(result).get(name.removeprefix(RECORDED))
        return bool(verdict) if verdict in (0.0, 1.0) else None
    if name == VERDICT:
        return True if result.verdict in _RIGHT else False if result.verdict in _WRONG else None
    return None


def calls_of(result: Result, name: str) -> int:
    """Calls of a language model that a metric or judge took for a case."""
    return sum(
        piece.calls
        for piece in result.evidence
        if isinstance(piece, Judged) and (name == f"{JUDGE}{piece.by}" or name in piece.metrics)
    )


def metric_uses_opinions(name: str) -> bool:
    """Whether opinions of a judge can change a metric's values, by the metric's name."""
    base = name.partition("[")[0]
    if base == VERDICT:
        return True
    try:
        return uses_opinions(METRICS.get(base))
    except UnknownMember:
        return False


def recorded_verdicts(result: Result) -> dict[str, float]:
    """What judges said elsewhere, by name, as it came with the case."""
    for piece in result.evidence:
        if isinstance(piece, Recorded):
            return dict(piece.verdicts)
    return {}


def opinion_names(metrics: Iterable[str], results: Iterable[Result]) -> list[str]:
    """Everything that says something of these results: metrics, judges, records, the verdict."""
    labels = list(metrics)
    judges: dict[str, None] = {}
    records: dict[str, None] = {}
    for result in results:
        for piece in result.evidence:
            if isinstance(piece, Judged) and not _is_metric(piece, labels):
                judges[f"{JUDGE}{piece.by}"] = None
        records |= dict.fromkeys(f"{RECORDED}{name}" for name in recorded_verdicts(result))
    every = [*labels, *judges, *records]
    return every if VERDICT in every else [*every, VERDICT]


def is_judge(name: str) -> bool:
    """Whether these are opinions of a language model or a record, and not of a comparison."""
    return name.startswith((JUDGE, RECORDED)) or _is_opinion(name)


def _is_metric(opinion: Judged, labels: Sequence[str]) -> bool:
    """Whether an opinion is a metric's value as it stands: FLEX asks about every pair."""
    metrics = opinion.metrics
    return opinion.by in labels or any(_is_opinion(name) and name in metrics for name in labels)


def _is_opinion(name: str) -> bool:
    """Whether a metric's value is a judge's opinion on every pair."""
    base = name.partition("[")[0]
    return METRICS.has(base) and "opinion_on_all" in METRICS.get(base).needs


def results_match(result: Result) -> bool | None:
    """Whether the two results are the same by the run's ``ex``, else by its evidence."""
    labels = [name for name in result.scores if name == "ex" or name.startswith("ex[")]
    for name in sorted(labels, key=lambda name: name != "ex"):
        value = result.scores[name]
        if value is not None:
            return value >= RIGHT
    for piece in result.evidence:
        match piece:
            case Tested(by="compare"):
                return True
            case Related(by="compare") | Failed(by="execute", query="prediction"):
                return False
    return None
