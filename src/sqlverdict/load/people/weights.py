"""Weights of labels whose pairs were drawn with different probabilities.

A queue that takes as many pairs of a rare kind as of a frequent one has votes whose raw share says
nothing of the run. Each label then counts for as many pairs as it stands for, the reciprocal of the
probability that its pair was drawn; the mean weight is 1. A longer queue starts with the shorter
one, so that the highest probability of a stratum is that of all its pairs.
"""

from __future__ import annotations

from dataclasses import replace
from statistics import fmean

from sqlverdict.errors import UsageError
from sqlverdict.files.text import count
from sqlverdict.load.people.labels import Label, Labels
from sqlverdict.load.people.sampling import queue_of

WEIGHTED = (
    "the pairs were drawn with different probabilities: shares, kappas and their intervals weigh "
    "each by how many it stands for; counts, such as n, FP and FN, are of pairs"
)
BY_RANK = (
    "the pairs were not drawn by chance: the figures are of these pairs, and their shares are not "
    "those of the run"
)


def weighted_labels(labels: Labels) -> Labels:
    """The labels with their weights, and a note; as they are where all were drawn alike.

    Raises:
        UsageError: they were drawn differently, and it is not known how.
    """
    sample = [item for item in labels.items if item.stratum]
    chances = {item.sampling_probability for item in sample}
    if len(chances) < 2:
        notes = (BY_RANK,) if None in chances else ()
        return replace(labels, notes=(*labels.notes, *notes))
    probabilities = _by_stratum(labels, sample)
    others = sum(not item.stratum and item.original is not None for item in labels.items)
    if others:
        raise _cannot_weigh(labels, f"{count(others, 'label')} without a queue are among them")
    if len({*probabilities.values()}) == 1:
        return labels
    mean = fmean(1 / probabilities[item.stratum] for item in sample)
    items = tuple(
        replace(item, weight=1 / probabilities[item.stratum] / mean) if item.stratum else item
        for item in labels.items
    )
    return replace(labels, items=items, notes=(*labels.notes, WEIGHTED))


def _by_stratum(labels: Labels, sample: list[Label]) -> dict[str, float]:
    """How probable it was that a pair of each stratum was drawn.

    Raises:
        UsageError: strata are of several queues or runs, or one has no probability.
    """
    queues = {queue_of(item.stratum) for item in sample}
    # A queue may grow: its size, the last part of its name, does not count.
    seeds = {item.queue.rpartition(",")[0] for item in sample if item.queue}
    if len(queues) > 1 or len(seeds) > 1:
        raise _cannot_weigh(labels, "the votes come from several queues")
    sizes: dict[str, int] = {}
    probabilities: dict[str, float] = {}
    for item in sample:
        name, chance = item.stratum, item.sampling_probability
        if not chance:
            raise _cannot_weigh(labels, f"pairs of {name!r} have no probability")
        if sizes.setdefault(name, item.stratum_size) != item.stratum_size:
            raise _cannot_weigh(labels, f"{name!r} has several sizes, so there are several draws")
        probabilities[name] = max(chance, probabilities.get(name, 0.0))
    return probabilities


def _cannot_weigh(labels: Labels, problem: str) -> UsageError:
    return UsageError(
        f"{labels.path}: the pairs were drawn with different probabilities, and no weights can be "
        f"told: {problem}. Keep the votes of one queue: sqlverdict label RUN --export-votes FILE "
        "writes the stratum of each. Without its column sampling_probability the figures are of "
        "these pairs alone, and say nothing of the run"
    )
