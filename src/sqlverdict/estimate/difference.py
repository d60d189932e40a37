"""The difference of two runs' accuracies, from labels of their predictions.

Questions where both runs gave the same query, or queries that are proved equal to each other in
both directions, cannot make a difference: they need no label. Of the others each label speaks for
one prediction. The difference is the share of right answers among those that the first run alone
gave, less that among those of the second, each weighed by its part of the questions.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from math import fsum
from statistics import fmean

from sqlverdict.errors import UsageError
from sqlverdict.estimate.accuracy import join_neighbours
from sqlverdict.estimate.draw import LabelDraw, read_draw
from sqlverdict.estimate.matching import AskProof, label_values, labels_without_case
from sqlverdict.estimate.plan import FEWEST, LabelPlan, cautious, plan_two_runs
from sqlverdict.estimate.population import Population, stratum_of
from sqlverdict.estimate.share import DrawnStratum
from sqlverdict.estimate.two_runs import TwoRuns, tell_apart
from sqlverdict.files.text import count
from sqlverdict.load.people.labels import Labels
from sqlverdict.load.people.sampling import SIDES, STRATA, TWO_RUNS, side_stratum
from sqlverdict.load.people.votes import vote_digest
from sqlverdict.records import Result
from sqlverdict.score.statistics.intervals import CONFIDENCE
from sqlverdict.score.statistics.strata import Stratum, SumPart, sum_interval


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
        pending: Drawn pairs without a label.
        certified: Whether the coverage of such intervals was shown: with few labels, or before
            the last one, it was not.
        notes: What weakens it.
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
    pending: int
    certified: bool
    notes: tuple[str, ...] = ()


def estimate_difference(
    first: Iterable[Result],
    second: Iterable[Result],
    labels: Labels,
    ask_proof: AskProof = lambda _case, _one, _other: False,
) -> AccuracyDifference:
    """Estimate how much more often the first run is right.

    Args:
        first: The results of the first run.
        second: Those of the second.
        labels: What people said of predictions of either; labels of 0.5 are kept as such.
        ask_proof: Asks for a proof; it is asked in both directions.

    Raises:
        UsageError: the runs share no question, the answers of one run have no labels, or the
            labels were drawn from other runs.
    """
    draw = read_draw(labels)
    runs = tell_apart(first, second, ask_proof)
    cases = runs.cases
    pairs = [{result.id: result for result in each.pairs} for each in runs.populations]
    sample = None
    if draw is not None:
        _check_runs(labels, draw, pairs)
        _check_population(labels, draw, runs)
        sample = {item.pair for item in draw.items}
    sides = [
        _side(population, own, labels, runs.apart, sample)
        for population, own in zip(runs.populations, pairs, strict=True)
    ]
    for (strata, *_), which in zip(sides, ("first", "second"), strict=True):
        if any(not each.labels for each in strata):
            raise UsageError(
                f"no label is about the answers that the {which} run alone gave. Label pairs of "
                "both runs: sqlverdict label RUN_A RUN_B --queue estimate"
            )

    low, high = difference_interval(sides, len(cases))
    numbers = [sum(each.labels for each in strata) for strata, *_ in sides]
    open_pairs = sum(each.pending for strata, *_ in sides for each in strata)
    if draw is not None:
        open_pairs += draw.without_vote
    return AccuracyDifference(
        len(cases),
        len(runs.same),
        len(runs.proved),
        fsum(sign * _right(*side) / len(cases) for sign, side in zip((1, -1), sides, strict=True)),
        low,
        high,
        CONFIDENCE,
        sum(numbers),
        tuple(sides[0][0]),
        tuple(sides[1][0]),
        open_pairs,
        all(
            number >= FEWEST or not strata
            for number, (strata, *_) in zip(numbers, sides, strict=True)
        )
        and not open_pairs,
        (
            *labels.notes,
            *labels_without_case(labels, {*chain(*(each.ids for each in runs.populations))}),
        ),
    )


Side = tuple[list[DrawnStratum], int, int]
"""The strata of one run, the cases without a query, and how many of these are right."""


def difference_interval(sides: Sequence[Side], cases: int) -> tuple[float, float]:
    """The interval of the difference.

    Args:
        sides: The answers that either run alone gave.
        cases: The questions that both runs have.
    """
    if not any(strata or known for strata, known, _ in sides):
        return 0.0, 0.0

    def parts(*, ours_right: bool, theirs_right: bool) -> list[SumPart]:
        """Both sides, their drawn pairs without a label taken as right or wrong."""
        every = []
        signs = ((1, ours_right), (-1, theirs_right))
        for (strata, known, known_right), (sign, is_right) in zip(sides, signs, strict=True):
            own = [
                Stratum(each.size, each.sample, each.right + each.pending * is_right)
                for each in strata
            ]
            own += [Stratum(known, known, known_right)] if known else []
            every += [SumPart(sign * each.size / cases, each) for each in own]
        return every

    low, _ = sum_interval(parts(ours_right=False, theirs_right=True), CONFIDENCE, step=1 / cases)
    _, high = sum_interval(parts(ours_right=True, theirs_right=False), CONFIDENCE, step=1 / cases)
    return low, high


def _right(strata: list[DrawnStratum], _known: int, known_right: int) -> float:
    """How many answers of one run are right, by the labels."""
    return known_right + fsum(each.size * each.right / each.labels for each in strata)


def _check_runs(labels: Labels, draw: LabelDraw, runs: Sequence[Mapping[str, Result]]) -> None:
    """Refuse a draw from other runs: what they share with these is no sample of these.

    Raises:
        UsageError: a drawn pair is of neither run.
    """
    known = {
        vote_digest(each.id, each.gold, each.prediction) for own in runs for each in own.values()
    }
    others = sum(item.pair not in known for item in draw.items)
    if others:
        raise UsageError(
            f"{labels.path}: {count(others, 'drawn pair')} of {len(draw.items)} are of neither "
            "run. Expected a draw from these two: sqlverdict label RUN_A RUN_B --queue estimate"
        )


def _check_population(labels: Labels, draw: LabelDraw, runs: TwoRuns) -> None:
    """Refuse a draw that left out questions which make a difference now.

    Raises:
        UsageError: queries that were proved equal at the draw are not proved equal now.
    """
    if not draw.is_of_two_runs:
        return
    by_pair = runs.stratum_by_pair()
    sizes = Counter(by_pair.values())
    item = next((item for item in draw.items if item.pair in by_pair), None)
    # The runs may be named in the other order.
    swapped = item is not None and by_pair[item.pair] != item.stratum
    for name in sorted(TWO_RUNS):
        side, _, stratum = name.partition(" ")
        now = sizes[side_stratum(SIDES[(SIDES.index(side) + swapped) % len(SIDES)], stratum)]
        if now > draw.sizes.get(name, 0):
            raise UsageError(
                f"{labels.path}: there are {now} pairs of {name!r}, and the votes know of "
                f"{draw.sizes.get(name, 0)}. Either no drawn pair of it has a vote yet: label all "
                "of them first. Or queries that were proved equal at the draw are not proved equal "
                "now: start in the folder of the evaluate commands, with their databases at hand"
            )


def _side(
    population: Population,
    pairs: Mapping[str, Result],
    labels: Labels,
    cases: Collection[str],
    pairs_in_draw: Collection[str] | None,
) -> Side:
    """The answers that one run alone gave: their strata, and the cases without a query.

    Where pairs were drawn, labels of others are no sample and are left out.
    """
    values = label_values(population, labels)
    digests = {
        case: vote_digest(case, pairs[case].gold, pairs[case].prediction)
        for case in cases
        if case in pairs
    }
    if pairs_in_draw is not None:
        values = {case: values[case] for case in values if digests.get(case) in pairs_in_draw}
    skipped = {item.pair for item in labels.items if item.pair and item.original is None}
    strata = []
    for name in STRATA:
        own = [case for case in cases if case in pairs and stratum_of(pairs[case]) == name]
        opinions = [values[case][0] for case in own if case in values]
        if own:
            right = sum(value == 1 for value in opinions)
            undecided = len(opinions) - right - sum(value == 0 for value in opinions)
            sample = sum(case in values or digests[case] in skipped for case in own)
            strata.append(DrawnStratum(name, len(own), sample, len(opinions), right, undecided))
    known = [right for case, right in population.known.items() if case in cases]
    return join_neighbours(strata), len(known), sum(known)


def plan_difference(
    first: Iterable[Result],
    second: Iterable[Result],
    width: float,
    ask_proof: AskProof = lambda _case, _one, _other: False,
) -> tuple[LabelPlan, TwoRuns]:
    """How many labels an interval of the difference needs, and which questions need none.

    Args:
        first: The results of the first run.
        second: Those of the second.
        width: The width from end to end.
        ask_proof: Asks for a proof; it is asked in both directions.

    Raises:
        UsageError: the runs share no question, the width is none, or nothing tells the runs apart.
    """
    runs = tell_apart(first, second, ask_proof)
    strata = runs.strata()
    own = [{name: each for name, each in strata.items() if name.startswith(s)} for s in SIDES]
    plan = plan_two_runs(
        [{name: len(each) for name, each in side.items()} for side in own],
        [
            {
                name: fmean(cautious(result.p_right) for result in each)
                for name, each in side.items()
            }
            for side in own
        ],
        runs.known(),
        len(runs.cases),
        width,
    )
    return plan, runs
