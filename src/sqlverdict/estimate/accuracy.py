"""The accuracy of a run as people would call it, from labels of a part of its cases.

How the labelled cases were drawn decides what they say:

================  ==============================================================================
drawn             what is done
================  ==============================================================================
by strata         the queue ``estimate`` of ``label``: each stratum's labels count for its size
for another run   a panel: the draw was made on an earlier run of the same cases. Its strata and
                  sizes hold; a case whose prediction has no label of its own waits for one
for several runs  refused for one of them: which of their pairs were drawn is not known
at random         the queue ``random``, or a sheet that names no queue: the strata of the evidence
                  are formed after the draw, neighbours with few labels as one, and all as
                  one where every label says the same
otherwise         refused: the raw share of such votes says nothing about the run
================  ==============================================================================

A case without two queries needs no label: an abstention is right where the question has no answer,
and anything else is wrong. Cases that cannot be scored, as they have no gold, are left out.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import fmean

from sqlverdict.errors import UsageError
from sqlverdict.estimate.draw import LabelDraw, read_draw
from sqlverdict.estimate.label_error import share_with_label_error
from sqlverdict.estimate.matching import (
    is_about,
    is_blank,
    label_values,
    labels_of_known,
    labels_without_case,
    no_label_fits,
)
from sqlverdict.estimate.plan import LabelPlan, cautious, plan_labels
from sqlverdict.estimate.population import Population, population_of, stratum_of
from sqlverdict.estimate.share import AccuracyShare, DrawnStratum, estimate_share
from sqlverdict.files.text import count, few_of
from sqlverdict.load.people.combine import UNDECIDED
from sqlverdict.load.people.labels import Label, Labels
from sqlverdict.load.people.sampling import ALL, JUDGE_STRATA, STRATA
from sqlverdict.records import Result
from sqlverdict.score.statistics.intervals import CONFIDENCE

BLANK_WORDS = "without a label, or with one that is no vote: a drawn case without a vote"
"""What is said of such rows of a sheet: they stay in the sample."""

LEAST_LABELS = 5
"""Strata that are formed after the draw have at least as many labels, or join a neighbour."""

HALF_WAY = "the estimate is given when every drawn case has a vote"

RANDOM_NOTE = "the file does not say how the cases were drawn: they are taken as drawn at random"


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


def _stratum(
    name: str, size: int, sample: int, values: Sequence[float], known: Sequence[bool] = ()
) -> DrawnStratum:
    """A stratum with its labels, and the drawn cases that need nobody's label."""
    labels = len(values) + len(known)
    return DrawnStratum(
        name,
        size,
        max(sample, labels),
        labels,
        values.count(1) + sum(known),
        values.count(UNDECIDED),
        len(known),
        sum(known),
    )


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
    draw = read_draw(labels)
    values = label_values(population, labels, carried or {})
    # A panel names its predictions: where none of them is this run's, all wait for a label.
    cases = {result.id for result in population.pairs}
    is_panel = any(
        item.prediction is not None and (draw is not None or item.id in cases)
        for item in (labels.items if draw is None else draw.items)
    )
    if not values and not is_panel:
        raise no_label_fits(population, labels)
    if draw is None:
        return _by_sheet(population, labels, values, confidence)
    return _by_draw(population, labels, draw, values, confidence)


def _by_draw(
    population: Population,
    labels: Labels,
    draw: LabelDraw,
    values: Mapping[str, tuple[float, Label]],
    confidence: float,
) -> Accuracy:
    """Labels of cases that were drawn by a queue, on this run or on an earlier one."""
    pairs = {result.id: result for result in population.pairs}
    total = len(pairs) + len(population.known)
    cases = pairs.keys() | population.known
    absent = [item.id for item in draw.items if item.id not in cases]
    if draw.is_of_two_runs or draw.size > total or absent or draw.repeats_a_case:
        which = f" ({few_of(absent, 5)})" if absent else ""
        raise UsageError(
            f"{labels.path}: the labels were drawn from {count(draw.size, 'pair')}, and this run "
            f"has {count(total, 'case')}; {count(len(absent), 'drawn case')} not among them"
            f"{which}. They were drawn from several runs, or from other cases. Expected a draw "
            "from this run, or from an earlier one on the same cases; two runs that were drawn "
            "from together are named together: sqlverdict estimate RUN_A RUN_B"
        )
    votes_of: dict[str, list[float]] = {name: [] for name in draw.sizes}
    known_of: dict[str, list[bool]] = {name: [] for name in draw.sizes}
    needed = []
    for item in draw.items:
        if item.id in values:
            votes_of[item.stratum].append(values[item.id][0])
        elif item.id in population.known:
            known_of[item.stratum].append(population.known[item.id])
        else:
            needed.append(item.id)
    strata = [
        _stratum(name, size, draw.samples[name], votes_of[name], known_of[name])
        for name, size in draw.sizes.items()
    ]
    is_own = draw.size <= len(pairs) and all(
        item.id in pairs and is_about(item, pairs[item.id]) for item in draw.items
    )
    if is_own and draw.is_by_evidence:
        strata += _open_strata(strata, population)
    is_labelled = not any(each.pending for each in strata)
    if is_own and is_labelled and {each.name for each in strata} == {ALL}:
        return _by_evidence(population, labels, values, confidence)
    rest = total - sum(each.size for each in strata)
    # Which other cases an earlier draw left out is not known.
    outside = {*population.known} if is_own else population.never_drawn
    is_out = len(outside) <= rest and outside.isdisjoint(item.id for item in draw.items)
    known = [population.known[case] for case in outside] if is_out else []
    outcome = _accuracy(
        population,
        labels,
        values,
        _ordered(strata),
        tuple(needed),
        (),
        confidence,
        known=len(known),
        known_right=sum(known),
        uncovered=rest - len(known),
    )
    if is_own and draw.without_vote:
        return _without_value(replace(outcome, notes=(HALF_WAY, *outcome.notes)))
    return outcome if is_own or not needed else _without_value(outcome)


def _without_value(outcome: Accuracy) -> Accuracy:
    """An estimate without its middle: only predictions that did not change have a label."""
    return replace(outcome, share=replace(outcome.share, value=None, worth=0))


def _open_strata(strata: Sequence[DrawnStratum], population: Population) -> list[DrawnStratum]:
    """The strata of which no drawn pair has a vote yet: at least one was drawn."""
    own = Counter(stratum_of(result) for result in population.pairs)
    if any(own[each.name] != each.size for each in strata):
        return []
    return [_stratum(name, own[name], 1, ()) for name in own.keys() - {s.name for s in strata}]


def _by_sheet(
    population: Population,
    labels: Labels,
    values: Mapping[str, tuple[float, Label]],
    confidence: float,
) -> Accuracy:
    """Labels of a sheet: its cases are taken as drawn from all at random."""
    pairs = {result.id for result in population.pairs}
    others = [item for item in labels.items if item.id in pairs and item.id not in values]
    blank = [item.id for item in others if is_blank(item)]
    notes = () if len(values) == len(pairs) else (RANDOM_NOTE,)
    if blank:
        notes = (*notes, f"{labels.path.name}: {count(len(blank), 'row')} {BLANK_WORDS}")
    outcome = _by_evidence(
        population,
        labels,
        values,
        confidence,
        needed=tuple(dict.fromkeys(item.id for item in others)),
        notes=(*notes, *labels_of_known(population, labels)),
    )
    return _without_value(outcome) if len(blank) < len(others) else outcome


def _by_evidence(
    population: Population,
    labels: Labels,
    values: Mapping[str, tuple[float, Label]],
    confidence: float,
    *,
    needed: tuple[str, ...] = (),
    notes: tuple[str, ...] = (),
) -> Accuracy:
    """Labels of cases that were drawn from all at random: the strata are formed now."""
    sizes: Counter[str] = Counter()
    samples: Counter[str] = Counter()
    votes_of: dict[str, list[float]] = defaultdict(list)
    for result in population.pairs:
        name = stratum_of(result)
        sizes[name] += 1
        samples[name] += result.id in values or result.id in needed
        if result.id in values:
            votes_of[name].append(values[result.id][0])
    strata = [_stratum(name, size, samples[name], votes_of[name]) for name, size in sizes.items()]
    return _accuracy(
        population,
        labels,
        values,
        strata_after_draw(_ordered(strata)),
        needed,
        notes,
        confidence,
        known=len(population.known),
        known_right=sum(population.known.values()),
        uncovered=0,
    )


def strata_after_draw(strata: Sequence[DrawnStratum]) -> list[DrawnStratum]:
    """The strata of labels that were drawn from all cases at random, in their order.

    They are one stratum where every drawn case has a label and all labels say the same. Strata that
    do not differ tell nothing, and a draw that met them unevenly would only widen the interval.
    """
    labels, right = sum(each.labels for each in strata), sum(each.right for each in strata)
    if strata and right in (0, labels) and not any(each.pending for each in strata):
        return [_one_stratum(strata)]
    return join_neighbours(strata)


def join_neighbours(strata: Sequence[DrawnStratum]) -> list[DrawnStratum]:
    """The strata in their order, those with few labels joined with the neighbour that has fewer."""
    joined = list(strata)
    while len(joined) > 1:
        fewest = min(range(len(joined)), key=lambda index: joined[index].labels)
        if joined[fewest].labels >= min(LEAST_LABELS, joined[fewest].size):
            break
        beside = [index for index in (fewest - 1, fewest + 1) if 0 <= index < len(joined)]
        other = min(beside, key=lambda index: joined[index].labels)
        pair = slice(min(fewest, other), max(fewest, other) + 1)
        joined[pair] = [_one_stratum(joined[pair])]
    return joined


def _one_stratum(strata: Sequence[DrawnStratum]) -> DrawnStratum:
    """Several strata as one."""
    return DrawnStratum(
        ", ".join(each.name for each in strata),
        sum(each.size for each in strata),
        sum(each.sample for each in strata),
        sum(each.labels for each in strata),
        sum(each.right for each in strata),
        sum(each.undecided for each in strata),
        sum(each.known for each in strata),
        sum(each.known_right for each in strata),
    )


def _ordered(strata: Iterable[DrawnStratum]) -> list[DrawnStratum]:
    order = [*STRATA, *JUDGE_STRATA, ALL]
    return sorted(strata, key=lambda each: order.index(each.name))


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
    votes = [[vote for vote in label.votes if vote is not None] for _, label in values.values()]
    several = [each for each in votes if len(each) > 1]
    differ = sum(len(set(each)) > 1 for each in several)
    if share.undecided:
        notes += (
            f"{count(share.undecided, 'label')} cannot tell, or two people differ: not right until "
            "an adjudicator decides",
        )
    if population.without_gold:
        notes += (f"{count(len(population.without_gold), 'case')} without a gold are left out",)
    notes += labels_without_case(labels, population.ids)
    return Accuracy(
        share,
        len(several),
        differ,
        share_with_label_error(strata, len(several), differ, confidence, **rest),
        needed,
        len(population.without_gold),
        (*labels.notes, *notes),
    )


def plan_accuracy(
    results: Iterable[Result],
    width: float,
    stratum: Callable[[Result], str] = stratum_of,
) -> LabelPlan:
    """How many labels an interval of a width needs, from what the verdicts say of each stratum.

    Args:
        results: The results of the run.
        width: The width from end to end.
        stratum: The stratum of a pair, as the queue draws it.

    Raises:
        UsageError: the width is none, or there is nothing to label.
    """
    population = population_of(results)
    probabilities: dict[str, list[float]] = {}
    for result in population.pairs:
        probabilities.setdefault(stratum(result), []).append(cautious(result.p_right))
    order = [name for name in (*STRATA, *JUDGE_STRATA) if name in probabilities]
    return plan_labels(
        {name: len(probabilities[name]) for name in order},
        {name: fmean(probabilities[name]) for name in order},
        width,
        known=len(population.known),
        known_right=sum(population.known.values()),
    )
