"""From a stream of results to a summary: estimates with intervals, verdicts, slices.

One pass with flat memory: a counter for each metric and slice, never a list of results. An
unscored value leaves the denominator and is counted apart.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import lru_cache
from typing import Any

from sqlverdict.errors import RunLogError
from sqlverdict.evidence import Evidence, Failed, Undecided
from sqlverdict.records import Fault, Result, Verdict
from sqlverdict.score.cuts import cuts_of
from sqlverdict.score.deciding import deciding_metric, reasons_by, verdict_by
from sqlverdict.score.expected import Expectation, ExpectedScore
from sqlverdict.score.judge_counts import JudgeCounts
from sqlverdict.score.statistics.intervals import (
    BOOTSTRAP_LIMIT,
    mean_and_error,
    mean_interval,
    wilson,
)
from sqlverdict.score.usage import UsageCounts, UsageFigures

DIFFICULTIES = ("easy", "simple", "medium", "moderate", "hard", "challenging", "extra")
"""The published levels in their natural order; any other level follows by name."""

UNLABELLED = "unlabelled"
"""The slice of the cases without a difficulty, where others have one."""

SLICES = ("db_id", "difficulty", "feature", "answerable")
"""What a run is sliced by, in the order of the summary."""

SLICE_BOOTSTRAP_LIMIT = 2_000
"""As BOOTSTRAP_LIMIT, for a slice: there are many, and together they must not take long."""

REMEMBERED_GOLDS = 4096
"""Gold queries whose features are remembered."""


@dataclass(frozen=True)
class Estimate:
    """A metric over some cases: mean, interval, and how many cases could not be scored.

    Example:
        >>> cases = [{"id": 1, "gold": "SELECT 1", "prediction": "SELECT 1"}]
        >>> estimate = sv.evaluate(cases, db="shop.sqlite").estimate("ex")
        >>> estimate.value, estimate.scored, round(estimate.low, 2)
        (1.0, 1, 0.21)
    """

    metric: str
    value: float | None
    scored: int
    unscored: int
    low: float | None = None
    high: float | None = None
    interval: str = "none"
    total: float = 0.0
    """The sum of the values: for a binary metric, how many cases are right."""


@dataclass(frozen=True)
class Slice:
    """The estimates over the cases that share a property, such as a database."""

    by: str
    key: str
    cases: int
    estimates: tuple[Estimate, ...]


@dataclass(frozen=True)
class Summary:
    """Everything a report prints about a run.

    Example:
        >>> cases = [{"id": 1, "gold": "SELECT 1", "prediction": "SELECT 1", "cost": 0.5}]
        >>> summary = sv.evaluate(cases, db="shop.sqlite").summary
        >>> summary.answered, summary.verdicts, summary.usage[0].total
        (1, {'correct': 1}, 0.5)
    """

    cases: int
    answered: int
    abstained: int
    estimates: tuple[Estimate, ...]
    verdicts: dict[str, int] = field(default_factory=dict)
    faults: dict[str, int] = field(default_factory=dict)
    reasons: dict[str, int] = field(default_factory=dict)
    slices: tuple[Slice, ...] = ()
    judge: dict[str, float] = field(default_factory=dict)
    """What judges were asked, and contradictions; see ``score/judge_counts.py``."""
    beyond: dict[str, int] = field(default_factory=dict)
    """Cases in which a stage or a metric of ours could not handle a text, by its name."""
    cuts: dict[str, int] = field(default_factory=dict)
    """Searches not made, cases that a limit cut, answers without rows; see :func:`cuts_of`."""
    expected: ExpectedScore | None = None
    """The score that people would give; ``None`` where verdicts carry no probability."""
    without: dict[str, int] = field(default_factory=dict)
    """Cases that lack what one metric needs, by metric and reason: ``ts: NO_TEST_SUITE``."""
    usage: tuple[UsageFigures, ...] = ()
    """What the system spent; empty where predictions do not say."""


def sql_features(sql: str) -> Iterable[str]:
    """The features of a query; imported late because the parser is slow to load."""
    from sqlverdict.parse.features import features

    return features(sql)


def summarise(
    results: Iterable[Result],
    metrics: Sequence[str],
    *,
    binary: Collection[str],
    seed: int = 0,
    features: Callable[[str], Iterable[str]] | None = sql_features,
) -> Summary:
    """Summarise a run in one pass.

    Args:
        results: The run's results; any iterable, read once.
        metrics: The labels to report, in the order to report them. A result without a value
            for a label is unscored there.
        binary: The labels whose values are all 0 or 1: they get Wilson intervals.
        seed: For the bootstrap intervals of the others.
        features: The features of a gold query, for the slices by feature; None leaves these
            slices out. Asked once for each query while it is remembered.
    """
    known = None if features is None else lru_cache(REMEMBERED_GOLDS)(_frozen(features))
    plan = tuple((label, label in binary) for label in metrics)
    deciding = deciding_metric(metrics, binary)
    whole = _Tally(plan)
    tallies: dict[tuple[str, str], _Tally] = defaultdict(lambda: _Tally(plan))
    answered = abstained = 0
    verdicts: Counter[str] = Counter()
    faults: Counter[str] = Counter()
    reasons: Counter[str] = Counter()
    beyond: Counter[str] = Counter()
    cuts: Counter[str] = Counter()
    without: Counter[str] = Counter()
    # Sums of 0 and 1 are exact in any order: what is alike is counted, and added at once.
    exact = all(is_binary for _, is_binary in plan)
    alike: dict[tuple[Any, ...], _Alike] = {}
    judge_counts = JudgeCounts()
    expectation = Expectation()
    usage = UsageCounts()
    for result in results:
        abstained += result.abstained
        answered += not result.abstained and bool((result.prediction or "").strip())
        verdict = verdict_by(result, deciding)
        verdicts[str(verdict)] += 1
        usage.add(result.usage, _IS_RIGHT.get(verdict, False))
        if result.fault is not None:
            faults[str(result.fault)] += 1
        # Most results have none of these, and to add nothing to a Counter takes its time.
        for why in dict.fromkeys(reasons_by(result, deciding)):
            reasons[str(why)] += 1
        judge_counts.add(result)
        expectation.add(result)
        for name in cuts_of(result):
            cuts[name] += 1
        ours = [each for each in result.evidence if each.by in _OURS]
        for name in _beyond(ours) if ours else ():
            beyond[name] += 1
        for name in _without(ours) if ours else ():
            without[name] += 1
        values = tuple([result.scores.get(label) for label in metrics])
        marks = (result.db_id, result.difficulty, result.answerable, result.gold[:1], values)
        same = alike.get(marks)
        if same is None:
            if len(alike) >= REMEMBERED_GOLDS:
                _add_alike(alike)
            slice_tallies = [tallies[slice_key] for slice_key in _slice_keys(result, known)]
            same = alike[marks] = _Alike([whole, *slice_tallies], values)
        same.count += 1
        if not exact:
            _add_alike(alike)
    _add_alike(alike)
    if not any(by == "difficulty" and key != UNLABELLED for by, key in tallies):
        tallies.pop(("difficulty", UNLABELLED), None)
    return Summary(
        cases=whole.cases,
        answered=answered,
        abstained=abstained,
        estimates=whole.estimates(seed, BOOTSTRAP_LIMIT),
        verdicts={str(v): verdicts[str(v)] for v in Verdict if verdicts[str(v)]},
        faults={str(f): faults[str(f)] for f in Fault if faults[str(f)]},
        reasons=dict(sorted(reasons.items(), key=lambda item: (-item[1], item[0]))),
        slices=tuple(
            Slice(
                *slice_key,
                tallies[slice_key].cases,
                tallies[slice_key].estimates(seed, SLICE_BOOTSTRAP_LIMIT),
            )
            for slice_key in sorted(tallies, key=_slice_order)
        ),
        judge=judge_counts.totals(),
        beyond=dict(sorted(beyond.items())),
        cuts=dict(sorted(cuts.items())),
        expected=expectation.expected() if "verdict" in metrics else None,
        without=dict(sorted(without.items())),
        usage=usage.figures(),
    )


def to_json(summary: Summary) -> dict[str, Any]:
    """The summary as plain JSON values; :func:`from_json` reads it back."""
    plain = asdict(summary)
    plain["estimates"] = list(plain["estimates"])
    plain["usage"] = list(plain["usage"])
    plain["slices"] = [{**part, "estimates": list(part["estimates"])} for part in plain["slices"]]
    return plain


def from_json(plain: Mapping[str, Any]) -> Summary:
    """Read what :func:`to_json` wrote.

    Raises:
        RunLogError: a field is missing, unknown or of another shape.
    """
    try:
        slices = tuple(
            Slice(**{**part, "estimates": tuple(Estimate(**e) for e in part["estimates"])})
            for part in plain["slices"]
        )
        estimates = tuple(Estimate(**estimate) for estimate in plain["estimates"])
        people = plain.get("expected")
        expected = None if people is None else ExpectedScore(**people)
        usage = tuple(UsageFigures(**figures) for figures in plain.get("usage", ()))
        own = {"estimates": estimates, "slices": slices, "expected": expected, "usage": usage}
        return Summary(**{**plain, **own})
    except (KeyError, TypeError) as wrong:
        raise RunLogError(
            f"this is not a summary of this version: {wrong}. Expected the fields that to_json "
            "writes; run the evaluation again to write a new one."
        ) from wrong


_IS_RIGHT = {Verdict.CORRECT: True, Verdict.UNSCORED: None, Verdict.NEEDS_REVIEW: None}
_OURS = ("toolkit", "metric")
"""Who leaves evidence about our own stages and metrics."""


def _beyond(evidence: Iterable[Evidence]) -> set[str]:
    """The stages and metrics of ours that could not handle a text of this case."""
    return {
        piece.failure.stage
        for piece in evidence
        if isinstance(piece, Undecided | Failed)
        and piece.failure is not None
        and not piece.failure.storage
    }


def _without(evidence: Iterable[Evidence]) -> set[str]:
    """The metrics that lack something in this case, with the reason."""
    return {
        f"{piece.metric}: {reason}"
        for piece in evidence
        if isinstance(piece, Undecided) and piece.metric
        for reason in piece.reasons
    }


def _frozen(features: Callable[[str], Iterable[str]]) -> Callable[[str], frozenset[str]]:
    return lambda sql: frozenset(features(sql))


def _slice_keys(
    result: Result, features: Callable[[str], frozenset[str]] | None
) -> Iterator[tuple[str, str]]:
    """The slices a result belongs to."""
    yield "db_id", result.db_id
    yield "difficulty", result.difficulty or UNLABELLED
    yield "answerable", "answerable" if result.answerable else "unanswerable"
    if features is not None and result.gold:
        for feature in features(result.gold[0]):
            yield "feature", feature


def _slice_order(slice_key: tuple[str, str]) -> tuple[int, int, str]:
    by, key = slice_key
    rank = 0
    if by == "difficulty":
        rank = len(DIFFICULTIES) + (key == UNLABELLED)
        if key in DIFFICULTIES:
            rank = DIFFICULTIES.index(key)
    return SLICES.index(by), rank, key


class _Tally:
    """Running counts of some cases under every metric."""

    def __init__(self, plan: tuple[tuple[str, bool], ...]) -> None:
        self.cases = 0
        self._values = [_MetricValues(label, binary) for label, binary in plan]

    def add(self, scores: Sequence[float | None], times: int) -> None:
        self.cases += times
        for values, score in zip(self._values, scores, strict=True):
            values.add(score, times)

    def estimates(self, seed: int, limit: int) -> tuple[Estimate, ...]:
        return tuple(values.estimate(seed, limit) for values in self._values)


@dataclass
class _Alike:
    """Results with the same values in the same slices, not yet added there."""

    tallies: Sequence[_Tally]
    values: Sequence[float | None]
    count: int = 0


def _add_alike(alike: dict[tuple[Any, ...], _Alike]) -> None:
    """Add what was counted, and forget it."""
    for same in alike.values():
        for tally in same.tallies:
            tally.add(same.values, same.count)
    alike.clear()


class _MetricValues:
    """One metric's values: the sum, and for the bootstrap a histogram.

    The histogram keeps three digits of each value, so that a metric of times, whose values all
    differ, takes no more memory than any other. The sum is of the values themselves.
    """

    def __init__(self, label: str, binary: bool) -> None:
        self.label = label
        self.binary = binary
        self.scored = 0
        self.unscored = 0
        self.total = 0.0
        self.histogram: Counter[float] = Counter()

    def add(self, value: float | None, times: int = 1) -> None:
        if value is None:
            self.unscored += times
            return
        self.scored += times
        self.total += value * times
        if not self.binary:
            self.histogram[value if value in (0.0, 1.0) else float(f"{value:.3g}")] += times

    def estimate(self, seed: int, limit: int) -> Estimate:
        if not self.scored:
            return Estimate(self.label, None, 0, self.unscored)
        mean = self.total / self.scored
        if self.binary:
            low, high = wilson(round(self.total), self.scored)
            label = "wilson"
        else:
            low, high, label = mean_interval(self.histogram, seed=seed, limit=limit)
            # The interval belongs around the mean of the values, not of their three digits.
            shift = mean - mean_and_error(self.histogram)[0]
            low, high = low + shift, high + shift
        return Estimate(self.label, mean, self.scored, self.unscored, low, high, label, self.total)
