"""What labels say of how their cases were drawn.

Votes on a queue keep the stratum of each pair, its size and the probability of the pair. A file of
votes holds one draw; votes on other queues in it serve as labels of drawn cases and draw nothing. A
sheet that names no queue says nothing of a draw.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from sqlverdict.errors import DataError, UsageError
from sqlverdict.files.text import few_of
from sqlverdict.load.people.labels import Label, Labels
from sqlverdict.load.people.sampling import ALL, DRAWS, STRATA, TWO_RUNS, is_for_estimate

_FIXED = "estimate,"
_DRAWING = (_FIXED, "random,")
"""How the names of the queues start that draw for an estimate."""


@dataclass(frozen=True)
class LabelDraw:
    """The draw that a file of votes holds.

    Attributes:
        sizes: How many pairs each stratum has.
        samples: How many of them were drawn.
        items: What people said of the drawn pairs, as far as somebody voted.
    """

    sizes: Mapping[str, int]
    samples: Mapping[str, int]
    items: tuple[Label, ...]

    @property
    def size(self) -> int:
        """How many pairs were drawn from."""
        return sum(self.sizes.values())

    @property
    def without_vote(self) -> int:
        """How many drawn pairs nobody voted on, not even to skip them."""
        return sum(self.samples.values()) - len(self.items)

    @property
    def is_by_evidence(self) -> bool:
        """Whether the strata are those of the evidence."""
        return {*self.sizes} <= {*STRATA}

    @property
    def is_of_two_runs(self) -> bool:
        """Whether the draw is for the difference of two runs."""
        return {*self.sizes} <= TWO_RUNS

    @property
    def repeats_a_case(self) -> bool:
        """Whether a case was drawn with two predictions: several runs were drawn from."""
        return len({item.id for item in self.items}) < len(self.items)


def read_draw(labels: Labels) -> LabelDraw | None:
    """The draw of a file of votes; ``None``: a sheet that does not say how its cases were drawn.

    Raises:
        UsageError: the cases were chosen by their kind, or the votes do not say how.
        DataError: the votes come from several draws.
    """
    items = tuple(item for item in labels.items if is_for_estimate(item.stratum))
    if not items:
        if any(item.stratum or item.pair for item in labels.items):
            raise UsageError(
                f"{labels.path}: these votes were not drawn for an estimate, and their raw share "
                "says nothing about the run. Draw pairs with: sqlverdict label RUN --queue estimate"
            )
        return None
    names = Counter(item.stratum for item in items)
    if not any({*names} <= own for own in DRAWS):
        raise _several(labels, f"the strata {', '.join(names)} are not those of one queue")
    _check_queues(labels, items)
    if not all(item.stratum_size for item in items):
        raise DataError(
            f"{labels.path}: votes name a stratum without its size. Expected the field "
            "stratum_size in each, as an export of the votes has it.",
            reason="missing_field",
        )
    sizes: dict[str, int] = {}
    samples: dict[str, int] = {}
    for item in items:
        name, size = item.stratum, item.stratum_size
        if sizes.setdefault(name, size) != size:
            raise _several(
                labels, f"the stratum {name!r} has {sizes[name]} and {size} cases by its votes"
            )
        probability = item.sampling_probability
        sample = names[name] if probability is None else round(probability * size)
        if samples.setdefault(name, sample) != sample and name != ALL:
            raise _several(
                labels, f"{samples[name]} and {sample} pairs of {name!r} were drawn by its votes"
            )
        # The queue of all pairs may grow: a longer one starts with the shorter one.
        samples[name] = max(samples[name], sample)
    for name, number in names.items():
        if not number <= samples[name] <= sizes[name]:
            raise _several(
                labels,
                f"{number} pairs of the stratum {name!r} have votes, {samples[name]} of "
                f"{sizes[name]} were drawn",
            )
    return LabelDraw(sizes, samples, items)


def _check_queues(labels: Labels, items: Iterable[Label]) -> None:
    """Refuse draws with several seeds or sizes; a vote on another queue may name that."""
    draws = [item.queue for item in items if item.queue.startswith(_DRAWING)]
    # The queue of all pairs may grow: its size does not count.
    texts = {text if text.startswith(_FIXED) else text.rpartition(",")[0] for text in draws}
    if len(texts) > 1:
        raise _several(labels, f"they name the queues {few_of(sorted(texts))}")


def _several(labels: Labels, what: str) -> DataError:
    return DataError(
        f"{labels.path}: {what}: the votes come from several draws. Expected those of one.",
        reason="conflict",
    )
