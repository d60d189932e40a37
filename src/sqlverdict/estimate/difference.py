"""The difference of two runs' accuracies, from labels of their predictions.

Questions where both runs gave the same query, or queries that are proved equal to each other,
cannot make a difference: they need no label. Of the others each label speaks for one prediction.
The difference is the share of right answers among those that the first run alone gave, less that
among those of the second, each weighed by its part of the questions.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from sqlverdict.errors import UsageError
from sqlverdict.estimate.accuracy import (
    Population,
    check_sampling,
    join_neighbours,
    label_values,
    population_of,
)
from sqlverdict.estimate.carry import AreEqual
from sqlverdict.estimate.plan import FEWEST
from sqlverdict.estimate.share import DrawnStratum
from sqlverdict.estimate.strata import STRATA, stratum_of
from sqlverdict.load.people.labels import Labels
from sqlverdict.records import Result
from sqlverdict.score.statistics.intervals import CONFIDENCE
from sqlverdict.score.statistics.strata import Stratum, SumPart, sum_interval, weighed_sum


@dataclass(frozen=True)
class AccuracyDifference:
    """How much more often the first run is right.

    Attributes:
        cases: The questions that both runs have.
        same: Questions with one query in both runs.
        proved: Questions with two queries that are proved equal.
        value: The difference of the accuracies.
        low: The lower end of its interval.
        high: The upper end.
        confidence: The share of such intervals that hold the truth.
        labels: How many labels it rests on.
        first: What is known of the answers that the first run alone gave.
        second: The same of the second run.
        certified: Whether the coverage of such intervals was shown: with few labels it was not.
    """

    cases: int
    same: int
    proved: int
    value: float
    low: float
    high: float
    confidence: float
    labels: int
    first: tuple[DrawnStratum, ...]
    second: tuple[DrawnStratum, ...]
    certified: bool


def estimate_difference(
    first: Iterable[Result],
    second: Iterable[Result],
    labels: Labels,
    are_equal: AreEqual = lambda _case, _one, _other: False,
    *,
    confidence: float = CONFIDENCE,
) -> AccuracyDifference:
    """Estimate how much more often the first run is right.

    Args:
        first: The results of the first run.
        second: Those of the second.
        labels: What people said of predictions of either; labels of 0.5 are kept as such.
        are_equal: Asks for a proof.
        confidence: The share of such intervals that shall hold the truth.

    Raises:
        UsageError: the runs share no question, or the answers of one run have no labels.
    """
    check_sampling(labels)
    ours, theirs = population_of(first), population_of(second)
    pairs = _by_id(ours), _by_id(theirs)
    cases = {*pairs[0], *ours.known} & {*pairs[1], *theirs.known}
    if not cases:
        raise UsageError("the runs share no question that can be labelled")
    both = [case for case in pairs[0] if case in pairs[1]]
    queries = {case: [own[case].prediction or "" for own in pairs] for case in both}
    same = {case for case in both if len({*queries[case]}) == 1}
    proved = {case for case in both if case not in same and are_equal(case, *queries[case])}
    alike = same | proved
    sides = [
        _side(population, own, labels, cases - alike)
        for population, own in zip((ours, theirs), pairs, strict=True)
    ]
    parts: list[SumPart] = []
    for (strata, known, known_right), sign in zip(sides, (1, -1), strict=True):
        if any(not each.labels for each in strata):
            raise UsageError(
                "the answers of one run alone have no label. Label pairs of both runs: "
                "sqlverdict label RUN_A RUN_B --queue estimate"
            )
        parts += [
            SumPart(sign * each.size / len(cases), Stratum(each.size, each.labels, each.right))
            for each in strata
        ]
        if known:
            parts.append(SumPart(sign * known / len(cases), Stratum(known, known, known_right)))
    low, high = sum_interval(parts, confidence) if parts else (0.0, 0.0)
    numbers = [sum(each.labels for each in strata) for strata, *_ in sides]
    return AccuracyDifference(
        len(cases),
        len(same),
        len(proved),
        weighed_sum(parts) if parts else 0.0,
        low,
        high,
        confidence,
        sum(numbers),
        tuple(sides[0][0]),
        tuple(sides[1][0]),
        not parts or min(numbers) >= FEWEST,
    )


def _by_id(population: Population) -> dict[str, Result]:
    return {result.id: result for result in population.pairs}


def _side(
    population: Population, pairs: Mapping[str, Result], labels: Labels, cases: set[str]
) -> tuple[list[DrawnStratum], int, int]:
    """The answers that one run alone gave: their strata, and the cases without a query."""
    values = label_values(population, labels)
    strata = []
    for name in STRATA:
        own = [case for case in cases if case in pairs and stratum_of(pairs[case]) == name]
        opinions = [values[case][0] for case in own if case in values]
        if own:
            right = sum(value == 1 for value in opinions)
            undecided = len(opinions) - right - sum(value == 0 for value in opinions)
            strata.append(
                DrawnStratum(name, len(own), len(opinions), len(opinions), right, undecided)
            )
    known = [right for case, right in population.known.items() if case in cases]
    return join_neighbours(strata), len(known), sum(known)
