"""The accuracy of a run as people would call it, from labels of a part of its cases.

How the labelled cases were drawn decides what they say:

================  ==============================================================================
drawn             what is done
================  ==============================================================================
by strata         the queue ``estimate`` of ``label``: each stratum's labels count for its size
for another run   a panel: the draw was made on an earlier run of the same cases. Its strata and
                  sizes hold; a case whose prediction has no label of its own waits for one
at random         the queue ``random``, or a sheet that names no queue: the strata of the evidence
                  are formed after the draw, neighbours with few labels as one
otherwise         refused: the raw share of such votes says nothing about the run
================  ==============================================================================

A case without two queries needs no label: an abstention is right where the question has no answer,
and anything else is wrong. Cases that cannot be scored, as they have no gold, are left out.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import fmean
from types import MappingProxyType

from sqlverdict.errors import DataError, UsageError
from sqlverdict.estimate.label_error import half_risk, interval_with_label_error
from sqlverdict.estimate.plan import LabelPlan, cautious, plan_labels
from sqlverdict.estimate.share import AccuracyShare, DrawnStratum, estimate_share
from sqlverdict.estimate.strata import JUDGE_STRATA, STRATA, stratum_of
from sqlverdict.files.text import count
from sqlverdict.load.people.labels import UNDECIDED, Label, LabelIndex, Labels
from sqlverdict.load.people.votes import vote_digest
from sqlverdict.reasons import WITHOUT_SQL
from sqlverdict.records import Result, Verdict
from sqlverdict.score.statistics.intervals import CONFIDENCE

ALL = "all"
"""The one stratum of a queue that draws from all pairs at random."""

LEAST_LABELS = 3
"""Strata that are formed after the draw have at least as many labels, or join a neighbour."""


@dataclass(frozen=True)
class Accuracy:
    """What labels say of a run's accuracy.

    Attributes:
        share: The share of right cases, with its interval: the error of drawing alone.
        twice: How many cases two people or more labelled.
        differ: On how many of them they differ.
        with_label_error: The interval that also holds under label errors, by the assumptions of
            ``label_error.py``; ``None``: too few cases have two labels, or they differ too often.
        needed: The cases that were drawn and have no label, by id.
        without_gold: Cases that are left out, as nobody can label them.
        notes: What weakens it.
    """

    share: AccuracyShare
    twice: int
    differ: int
    with_label_error: tuple[float, float] | None
    needed: tuple[str, ...]
    without_gold: int
    notes: tuple[str, ...]


@dataclass
class _StratumCount:
    """What is known of one stratum so far."""

    size: int = 0
    sample: int = 0
    labels: int = 0
    right: int = 0
    undecided: int = 0

    def add(self, value: float) -> None:
        self.labels += 1
        self.right += value == 1
        self.undecided += value == UNDECIDED

    def stratum(self, name: str) -> DrawnStratum:
        sample = max(self.sample, self.labels)
        return DrawnStratum(name, self.size, sample, self.labels, self.right, self.undecided)


@dataclass
class Population:
    """The cases of a run, by what is known of them without a label.

    Attributes:
        pairs: The cases with a gold and a prediction.
        known: Cases without a query to label, each with whether it is right.
        without_gold: Cases that nobody can label.
    """

    pairs: list[Result] = field(default_factory=list)
    known: dict[str, bool] = field(default_factory=dict)
    without_gold: int = 0


def population_of(results: Iterable[Result]) -> Population:
    """Sort the cases of a run."""
    population = Population()
    for result in results:
        if is_labelled_by_pair(result):
            population.pairs.append(result)
        elif result.verdict is Verdict.UNSCORED:
            population.without_gold += 1
        else:
            population.known[result.id] = result.verdict is Verdict.ABSTAINED_RIGHT
    return population


def is_labelled_by_pair(result: Result) -> bool:
    """Whether there are two queries to compare; a reply in words is none."""
    has_query = bool((result.prediction or "").strip()) and WITHOUT_SQL.isdisjoint(result.reasons)
    return not result.abstained and has_query and bool(result.gold)


def estimate_accuracy(
    results: Iterable[Result],
    labels: Labels,
    *,
    carried: Mapping[str, Label] | None = None,
    confidence: float = CONFIDENCE,
) -> Accuracy:
    """Estimate a run's accuracy from labels.

    Args:
        results: The results of the run.
        labels: What people said; labels of 0.5 must have been kept as such.
        carried: Labels that were given for another prediction of a case and hold for the run's, by
            the case's id.
        confidence: The share of such intervals that shall hold the truth.

    Raises:
        UsageError: no case of the run has a label, or it is not known how they were drawn.
        DataError: the labels come from several draws.
    """
    population = population_of(results)
    values = label_values(population, labels, carried or {})
    names = {item.stratum for item in labels.items if item.stratum}
    if not values:
        raise UsageError(
            f"{labels.path}: no label is about a prediction of this run. Label its pairs: "
            "sqlverdict label RUN --queue estimate"
        )
    check_sampling(labels)
    if names and names != {ALL}:
        return _by_strata(population, labels, values, confidence)
    return _at_random(population, labels, values, confidence, known=bool(names))


def check_sampling(labels: Labels) -> None:
    """Refuse labels of cases that were chosen by their kind, and not by chance.

    Raises:
        UsageError: they were, or the votes do not say how.
    """
    names = {item.stratum for item in labels.items if item.stratum}
    by_strata = names and names <= {*STRATA, *JUDGE_STRATA}
    is_sheet = not names and not any(item.pair for item in labels.items)
    if not (by_strata or names == {ALL} or is_sheet):
        raise UsageError(
            f"{labels.path}: these votes were not drawn for an estimate, and their raw share says "
            "nothing about the run. Draw pairs with: sqlverdict label RUN --queue estimate"
        )


def label_values(
    population: Population, labels: Labels, carried: Mapping[str, Label] = MappingProxyType({})
) -> dict[str, tuple[float, Label]]:
    """The label of each pair that has one, by case: 1 right, 0 wrong, 0.5 cannot tell."""
    index = LabelIndex(labels)
    unsettled = {(item.id, item.pair): item for item in labels.items if item.original == UNDECIDED}
    values = {}
    for result in population.pairs:
        pair = vote_digest(result.id, result.gold, result.prediction)
        label = index.of(result) or carried.get(result.id)
        label = label or unsettled.get((result.id, pair)) or unsettled.get((result.id, ""))
        if label is not None and label.original is not None:
            values[result.id] = (label.original, label)
    return values


def _by_strata(
    population: Population,
    labels: Labels,
    values: Mapping[str, tuple[float, Label]],
    confidence: float,
) -> Accuracy:
    """Labels that were drawn stratum by stratum, on this run or on an earlier one."""
    strata: dict[str, _StratumCount] = {}
    needed = []
    drawn_ids: dict[str, str] = {}
    for item in labels.items:
        tally = strata.setdefault(item.stratum, _StratumCount(item.stratum_size))
        if tally.size != item.stratum_size:
            raise DataError(
                f"{labels.path}: the stratum {item.stratum!r} has {tally.size} cases for some "
                f"votes and {item.stratum_size} for others: they come from several draws. Expected "
                f"those of one."
            )
        if item.sampling_probability is not None:
            tally.sample = round(item.sampling_probability * tally.size)
        drawn_ids.setdefault(item.id, item.stratum)
    own = Counter(stratum_of(result) for result in population.pairs)
    pairs = {result.id: result for result in population.pairs}
    sizes_fit = sum(tally.size for tally in strata.values()) <= len(pairs) + len(population.known)
    if not sizes_fit:
        # The draw was made over several runs: the pairs of this one are drawn as all are.
        strata = {name: _StratumCount(own[name]) for name in strata if own[name]}
    for case, stratum in drawn_ids.items():
        if stratum not in strata:
            continue
        if case in values:
            strata[stratum].add(values[case][0])
        elif case in population.known:
            strata[stratum].add(float(population.known[case]))
        elif case in pairs and sizes_fit:
            needed.append(case)
    rest = len(pairs) + len(population.known) - sum(tally.size for tally in strata.values())
    outside = {case: right for case, right in population.known.items() if case not in drawn_ids}
    on_this_run = all(tally.size == own[name] for name, tally in strata.items() if name in STRATA)
    known = len(outside) if on_this_run else 0
    return _accuracy(
        population,
        labels,
        values,
        [tally.stratum(name) for name, tally in _ordered(strata)],
        tuple(needed),
        (),
        confidence,
        known=min(known, rest),
        known_right=sum(outside.values()) if known else 0,
        uncovered=rest - min(known, rest),
    )


def _at_random(
    population: Population,
    labels: Labels,
    values: Mapping[str, tuple[float, Label]],
    confidence: float,
    *,
    known: bool,
) -> Accuracy:
    """Labels of cases that were drawn from all at random: the strata are formed now."""
    strata: dict[str, _StratumCount] = {}
    for result in population.pairs:
        tally = strata.setdefault(stratum_of(result), _StratumCount())
        tally.size += 1
        if result.id in values:
            tally.add(values[result.id][0])
    notes = ("the file does not say how the cases were drawn: they are taken as drawn at random",)
    whole = len(values) == len(population.pairs)
    return _accuracy(
        population,
        labels,
        values,
        join_neighbours([tally.stratum(name) for name, tally in _ordered(strata)]),
        (),
        () if known or whole else notes,
        confidence,
        known=len(population.known),
        known_right=sum(population.known.values()),
        uncovered=0,
    )


def join_neighbours(
    strata: Sequence[DrawnStratum], least: int = LEAST_LABELS
) -> list[DrawnStratum]:
    """The strata in their order, those with few labels joined with the neighbour that has fewer."""
    joined = list(strata)
    while len(joined) > 1:
        fewest = min(range(len(joined)), key=lambda index: joined[index].labels)
        if joined[fewest].labels >= min(least, joined[fewest].size):
            break
        beside = [index for index in (fewest - 1, fewest + 1) if 0 <= index < len(joined)]
        other = min(beside, key=lambda index: joined[index].labels)
        first, second = joined[min(fewest, other)], joined[max(fewest, other)]
        joined[min(fewest, other) : max(fewest, other) + 1] = [
            DrawnStratum(
                f"{first.name}, {second.name}",
                first.size + second.size,
                first.sample + second.sample,
                first.labels + second.labels,
                first.right + second.right,
                first.undecided + second.undecided,
            )
        ]
    return joined


def _ordered(strata: Mapping[str, _StratumCount]) -> list[tuple[str, _StratumCount]]:
    order = [*STRATA, *JUDGE_STRATA]
    return sorted(strata.items(), key=lambda item: order.index(item[0]))


def _accuracy(
    population: Population,
    labels: Labels,
    values: Mapping[str, tuple[float, Label]],
    strata: Sequence[DrawnStratum],
    needed: tuple[str, ...],
    notes: tuple[str, ...],
    confidence: float,
    **rest: int,
) -> Accuracy:
    share = estimate_share(strata, confidence=confidence, **rest)
    cautious = estimate_share(strata, confidence=half_risk(confidence), **rest)
    votes = [[vote for vote in label.votes if vote is not None] for _, label in values.values()]
    several = [each for each in votes if len(each) > 1]
    differ = sum(len(set(each)) > 1 for each in several)
    if share.undecided:
        notes += (f"{count(share.undecided, 'label')} cannot tell and count as not right",)
    if population.without_gold:
        notes += (f"{count(population.without_gold, 'case')} without a gold are left out",)
    return Accuracy(
        share,
        len(several),
        differ,
        interval_with_label_error(cautious.low, cautious.high, len(several), differ, confidence),
        needed,
        population.without_gold,
        (*labels.notes, *notes),
    )


def plan_accuracy(
    results: Iterable[Result], width: float, confidence: float = CONFIDENCE
) -> LabelPlan:
    """How many labels an interval of a width needs, from what the verdicts say of each stratum.

    Raises:
        UsageError: the width is none, or there is nothing to label.
    """
    population = population_of(results)
    probabilities: dict[str, list[float]] = {}
    for result in population.pairs:
        probabilities.setdefault(stratum_of(result), []).append(cautious(result.p_right))
    order = [name for name in STRATA if name in probabilities]
    return plan_labels(
        {name: len(probabilities[name]) for name in order},
        {name: fmean(probabilities[name]) for name in order},
        width,
        known=len(population.known),
        known_right=sum(population.known.values()),
        confidence=confidence,
    )
