"""How a pair came into its queue: its stratum, the size of that, and how probable it was.

Each vote keeps these three, so that votes can be weighted: the raw share of votes on a queue that
takes as many of a rare kind as of a frequent one says nothing about the run.

``estimate`` draws from the strata of :mod:`sqlverdict.estimate.population`, in proportion to their
sizes, at least one pair of each. The draw is made once: the label folder keeps it, and no later
call, seed or result changes it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence

import msgspec

from sqlverdict.errors import OptionName, UsageError
from sqlverdict.estimate.population import allocate
from sqlverdict.files.text import count
from sqlverdict.load.people.sampling import Sampling


class Draw(msgspec.Struct, frozen=True):
    """The pairs of a queue for an estimate, as the label folder keeps them.

    Attributes:
        seed: Decides which pairs are drawn.
        size: How many were asked for.
        sizes: How many pairs each stratum has.
        pairs: The pairs drawn, each with its stratum.
    """

    seed: int
    size: int
    sizes: Mapping[str, int]
    pairs: Mapping[str, str]

    @property
    def sampling(self) -> dict[str, Sampling]:
        """How each pair came into the queue."""
        numbers = Counter(self.pairs.values())
        return {
            pair: Sampling(name, self.sizes[name], numbers[name] / self.sizes[name])
            for pair, name in self.pairs.items()
        }


def draw_pairs(order: Sequence[str], strata: Mapping[str, str], size: int, seed: int) -> Draw:
    """Draw pairs for an estimate: the first ones of each stratum.

    Args:
        order: All pairs, in an order by chance.
        strata: The stratum of each.
        size: How many are drawn, unless there are fewer.
        seed: What the order follows from.

    Raises:
        UsageError: there are fewer to draw than strata.
    """
    sizes = Counter(strata[pair] for pair in order)
    left = allocate(sizes, size)
    pairs: dict[str, str] = {}
    for pair in order:
        if left[strata[pair]]:
            left[strata[pair]] -= 1
            pairs[pair] = strata[pair]
    return Draw(seed, size, dict(sizes), pairs)


def check_draw(draw: Draw, known: Collection[str], size: int, seed: int) -> None:
    """Refuse to change what was drawn before the first vote.

    Raises:
        UsageError: the call asks for another draw, or the runs have other pairs.
    """
    again: tuple[str | OptionName, ...] = (
        ". A new draw needs a label folder of its own: ",
        OptionName("out", "DIR"),
    )
    if (draw.seed, draw.size) != (seed, size):
        raise UsageError(
            f"the pairs of this label folder were drawn with the seed {draw.seed}, "
            f"{count(draw.size, 'pair')} at most; the call says seed {seed}, {size}. An estimate "
            "holds for a draw that was fixed before the first vote",
            *again,
        )
    absent = sum(pair not in known for pair in draw.pairs)
    if absent:
        raise UsageError(
            f"{absent} of the {count(len(draw.pairs), 'pair')} that were drawn for an estimate are "
            "not in the runs: these have other predictions or golds",
            *again,
        )


def sampling_of(
    strata: Mapping[str, str], pairs: Collection[str], *, by_chance: bool
) -> dict[str, Sampling]:
    """How each pair of a queue came into it.

    Args:
        strata: The stratum of every pair that the queue could choose from.
        pairs: The pairs that it chose, of each stratum by chance.
        by_chance: Whether that holds; else a stratum has a probability only where all of it is in
            the queue.
    """
    sizes = Counter(strata.values())
    number = Counter(strata[pair] for pair in pairs)
    sampling = {}
    for pair in pairs:
        name = strata[pair]
        known = by_chance or number[name] == sizes[name]
        probability = number[name] / sizes[name] if known else None
        sampling[pair] = Sampling(name, sizes[name], probability)
    return sampling
