"""What another set of golds changes: values, and the order of systems, tested in pairs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

from sqlverdict.score.statistics.significance import PairedTest, binary_pairs, paired_bootstrap

CaseValues = dict[str, tuple[float | None, ...]]
"""The values of a run's cases, by id, in the order of the measures."""


@dataclass(frozen=True)
class GoldsChange:
    """How another set of golds changes a system's value, on the cases scored under both."""

    measure: str
    golds: str
    system: str
    test: PairedTest
    gained: int
    lost: int
    scored_now: int
    unscored_now: int


@dataclass(frozen=True)
class RankSwap:
    """Two systems that change places: the difference between them under both sets.

    Attributes:
        measure: What ranks them.
        golds: The other set.
        first: The system that is better under the first set.
        second: The one that is better under the other.
        before: The first less the second, under the first set.
        after: The same under the other set.
    """

    measure: str
    golds: str
    first: str
    second: str
    before: PairedTest
    after: PairedTest


def value_changes(
    golds: str,
    names: Sequence[str],
    measures: Sequence[tuple[str, bool]],
    values: tuple[Sequence[CaseValues], Sequence[CaseValues]],
    ids: Sequence[str],
) -> Iterator[GoldsChange]:
    """How another set changes each system's value.

    Args:
        golds: The other set.
        names: The systems.
        measures: Each measure, and whether its values are 0 or 1.
        values: Those of the systems under the first set, and under the other.
        ids: The cases that both sets have.
    """
    for at, (measure, binary) in enumerate(measures):
        for name, old, new in zip(names, *values, strict=True):
            pairs = [(old[case_id][at], new[case_id][at]) for case_id in ids]
            kinds = Counter(kind for one, two in pairs if (kind := change_kind(one, two)))
            test = _test(pairs, binary=binary)
            yield GoldsChange(
                measure,
                golds,
                name,
                test,
                *(kinds[kind] for kind in ("gained", "lost", "scored_now", "unscored_now")),
            )


def change_kind(before: float | None, after: float | None) -> str:
    """How the value of a case changes; empty: it does not."""
    if before == after:
        return ""
    if before is None or after is None:
        return "scored_now" if before is None else "unscored_now"
    return "gained" if after > before else "lost"


def case_moves(
    labels: Sequence[str], before: Sequence[CaseValues], after: Sequence[CaseValues], case_id: str
) -> dict[int, dict[str, str]]:
    """How a case changes: by the system's number, the kind of change by measure."""
    every = {
        number: {
            label: kind
            for label, one, two in zip(labels, old[case_id], new[case_id], strict=True)
            if (kind := change_kind(one, two))
        }
        for number, (old, new) in enumerate(zip(before, after, strict=True))
    }
    return {number: kinds for number, kinds in every.items() if kinds}


def _test(pairs: Iterable[tuple[float | None, float | None]], *, binary: bool) -> PairedTest:
    """The mean of the second less the first, over the pairs with both values."""
    differences = Counter(two - one for one, two in pairs if one is not None and two is not None)
    if binary:
        return binary_pairs(differences[-1.0], differences[1.0], differences.total())
    return paired_bootstrap(differences)


def rank_swaps(
    golds: str,
    names: Sequence[str],
    measures: Sequence[tuple[str, bool]],
    means: Sequence[Sequence[Sequence[float | None]]],
    sides: Sequence[tuple[Sequence[CaseValues], set[str]]],
) -> Iterator[RankSwap]:
    """The pairs of systems whose order turns round.

    Args:
        golds: The other set.
        names: The systems.
        measures: Each measure, and whether its values are 0 or 1.
        means: Under the first set and under the other: by measure, the values of the systems.
        sides: Under both: the values of the systems' cases, and the cases that count.
    """
    for number, (measure, binary) in enumerate(measures):
        before, after = (each[number] for each in means)
        for one, two in combinations(range(len(names)), 2):
            was, now = (_order(each[one], each[two]) for each in (before, after))
            if was * now >= 0:
                continue
            first, second = (one, two) if was > 0 else (two, one)
            tests = [
                _test(
                    (
                        (values[second][case_id][number], values[first][case_id][number])
                        for case_id in ids
                    ),
                    binary=binary,
                )
                for values, ids in sides
            ]
            yield RankSwap(measure, golds, names[first], names[second], *tests)


def _order(one: float | None, other: float | None) -> int:
    """1 where the first is more, -1 where it is less, 0 where they are the same or unknown."""
    if one is None or other is None or one == other:
        return 0
    return 1 if one > other else -1
