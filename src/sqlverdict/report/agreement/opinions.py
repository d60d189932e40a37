"""What a metric, a judge or a record says of one case, by its name."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from sqlverdict.records import RECORD, Evidence, Result, Rung, Verdict
from sqlverdict.score.statistics.pairing import RIGHT

VERDICT = "verdict"
"""The run's own verdicts as a metric, where the run has no metric of that name."""

JUDGE = "judge:"
"""Before a judge's name: its opinions wherever it was heard, whatever became of them."""

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
        wanted = name.removeprefix(JUDGE)
        for found in result.evidence:
            if found.rung is Rung.JUDGED and found.by == wanted:
                return found.agrees
        return None
    if name.startswith(RECORDED):
        said = recorded_verdicts(result).get(name.removeprefix(RECORDED))
        return bool(said) if said in (0.0, 1.0) else None
    if name == VERDICT:
        return True if result.verdict in _RIGHT else False if result.verdict in _WRONG else None
    return None


def calls_of(result: Result, name: str) -> int:
    """Calls of a language model that a metric or judge took for a case.

    A judge's evidence may name the metrics that asked for it; where it does not, every metric
    that hears judges shares it.
    """
    total = 0
    for found in result.evidence:
        if found.rung is not Rung.JUDGED:
            continue
        asked_by = found.detail.get("metrics")
        if name.startswith(JUDGE):
            counts = found.by == name.removeprefix(JUDGE)
        elif isinstance(asked_by, list | tuple):
            counts = name in asked_by
        else:
            counts = hears_judges(name)
        total += int(found.detail.get("calls") or 0) if counts else 0
    return total


def hears_judges(name: str) -> bool:
    """Whether a metric may ask a language model."""
    from sqlverdict.errors import UnknownMember
    from sqlverdict.score.metric import METRICS, listens_to_judge

    base = name.partition("[")[0]
    if base == VERDICT:
        return True
    try:
        return listens_to_judge(METRICS.get(base))
    except UnknownMember:
        return False


def recorded_verdicts(result: Result) -> dict[str, float]:
    """What judges said elsewhere, by name, as it came with the case."""
    for found in result.evidence:
        if found.by == RECORD:
            return dict(found.detail.get("verdicts") or {})
    return {}


def names_of(metrics: Iterable[str], results: Iterable[Result]) -> list[str]:
    """Everything that says something of these results: metrics, judges, records, the verdict."""
    labels = list(metrics)
    judges: dict[str, None] = {}
    records: dict[str, None] = {}
    for result in results:
        for found in result.evidence:
            if found.rung is Rung.JUDGED and not _is_metric(found, labels):
                judges[f"{JUDGE}{found.by}"] = None
        records |= dict.fromkeys(f"{RECORDED}{name}" for name in recorded_verdicts(result))
    every = [*labels, *judges, *records]
    return every if VERDICT in every else [*every, VERDICT]


def is_judge(name: str) -> bool:
    """Whether a language model or a record speaks, and not a comparison."""
    return name.startswith((JUDGE, RECORDED)) or _is_opinion(name)


def _is_metric(found: Evidence, labels: Sequence[str]) -> bool:
    """Whether an opinion is a metric's value as it stands: FLEX asks about every pair."""
    metrics = found.detail.get("metrics", ())
    return found.by in labels or any(_is_opinion(name) and name in metrics for name in labels)


def _is_opinion(name: str) -> bool:
    """Whether a metric's value is a judge's opinion on every pair."""
    from sqlverdict.score.metric import METRICS

    base = name.partition("[")[0]
    return METRICS.has(base) and "opinion_on_all" in METRICS.get(base).needs


def results_match(result: Result) -> bool | None:
    """Whether the two results are the same by the run's ``ex``, else by its evidence."""
    labels = [name for name in result.scores if name == "ex" or name.startswith("ex[")]
    for name in sorted(labels, key=lambda name: name != "ex"):
        value = result.scores[name]
        if value is not None:
            return value >= RIGHT
    for found in result.evidence:
        if found.by in ("compare", "execute") and found.agrees is not None:
            return found.agrees
    return None
