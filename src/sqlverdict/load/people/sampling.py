"""How a pair came into its queue, and from which queue that is.

The name of a stratum tells its queue: an estimate draws from the strata of the evidence, or of the
evidence with a judge, and for the difference of two runs from those of either (``first proved``);
the queue ``random`` from all pairs, the usual queue from kinds of evidence after a word on the
results (``match, proved``). Other queues have one stratum with their own name.
"""

from __future__ import annotations

from typing import Any, NamedTuple

STRATA = ("proved", "accepted", "review", "rejected", "failed")
"""The strata by evidence, the one with the highest share of right answers first."""

JUDGE_STRATA = ("both_right", "differ", "both_wrong")
"""The strata by evidence and a judge, in the same order."""

ALL = "all"
"""The one stratum of a queue that draws from all pairs at random."""

SIDES = ("first", "second")
"""The runs of a draw for the difference of two."""


def side_stratum(side: str, stratum: str) -> str:
    """The stratum of one of two runs."""
    return f"{side} {stratum}"


TWO_RUNS = frozenset(side_stratum(side, name) for side in SIDES for name in STRATA)
"""The strata of a draw for the difference of two runs."""

DRAWS = (frozenset(STRATA), frozenset(JUDGE_STRATA), frozenset({ALL}), TWO_RUNS)
"""The strata of each way to draw pairs for an estimate."""


class Sampling(NamedTuple):
    """How a pair came into a queue.

    Attributes:
        stratum: The part of the queue's population that it was drawn from.
        size: How many pairs that part has.
        probability: How probable it was that the pair is drawn; ``None``: it was not by chance.
        queue: The queue's name, seed and size, as votes keep them; empty: not known.
    """

    stratum: str
    size: int
    probability: float | None
    queue: str = ""


def label_fields(known: Sampling | None) -> dict[str, Any]:
    """The fields of a label about its pair's sampling."""
    names = ("stratum", "stratum_size", "sampling_probability", "queue")
    return {} if known is None else dict(zip(names, known, strict=True))


def is_for_estimate(stratum: str) -> bool:
    """Whether an accuracy can be estimated from pairs of this stratum and those beside it."""
    return any(stratum in own for own in DRAWS)


def queue_of(stratum: str) -> str:
    """What strata of one queue have in common."""
    for number, own in enumerate(DRAWS):
        if stratum in own:
            return f"estimate {number}"
    return "stratified" if ", " in stratum else stratum
