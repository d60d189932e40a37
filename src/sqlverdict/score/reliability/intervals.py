"""How sure a reliability score is, and whether one system's is better than another's.

Answerable and unanswerable items are resampled apart: a benchmark fixes how many there are of
each. Comparisons are paired, item by item.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from sqlverdict.errors import UsageError
from sqlverdict.score.reliability.outcomes import Cell, OutcomeTable
from sqlverdict.score.reliability.reliability_score import (
    EVERYTHING,
    Penalty,
    View,
    penalty_value,
)
from sqlverdict.score.statistics.intervals import CONFIDENCE, RESAMPLES
from sqlverdict.score.statistics.resample import generator, multinomial, percentiles
from sqlverdict.score.statistics.significance import PairedTest, paired_bootstrap

Interval = tuple[float, float]
Figure = Callable[[OutcomeTable], float | None]

_WORTH = {
    Cell.CORRECT: 1.0,
    Cell.ABSTAINED_ANSWERABLE: 0.0,
    Cell.NEEDS_REVIEW: 0.0,
    Cell.ABSTAINED_UNANSWERABLE: 1.0,
}
"""What a cell is worth; the others cost the penalty."""

_ANSWERABLE = frozenset({Cell.CORRECT, Cell.ABSTAINED_ANSWERABLE, Cell.WRONG, Cell.NEEDS_REVIEW})


def worth(cell: Cell, cost: float) -> float:
    """What an item in a cell adds to RS where harm costs so much."""
    return _WORTH.get(cell, -cost)


@dataclass(frozen=True)
class PairedScores:
    """Two systems on the items that both have scored.

    Attributes:
        a: RS of the first on these items.
        b: RS of the second.
        items: How many these are: the N of RS(N).
        test: The mean of b - a, its interval and p-value.
    """

    a: float
    b: float
    items: int
    test: PairedTest


def resampled_tables(
    table: OutcomeTable, seed: int = 0, resamples: int = RESAMPLES
) -> list[OutcomeTable]:
    """Tables of samples of the same size; answerable and unanswerable items drawn apart.

    Samples of few items come out alike again and again: tables with the same counts are one object.
    """
    rng = generator(seed)
    answerable = (table.correct, table.abstained_answerable, table.wrong, table.needs_review)
    unanswerable = (table.abstained_unanswerable, table.answered_unanswerable)
    tables: dict[tuple[int, ...], OutcomeTable] = {}
    samples = []
    for _ in range(resamples):
        counts = (*multinomial(rng, answerable), *multinomial(rng, unanswerable))
        if counts not in tables:
            correct, abstentions, wrong, review, right, harm = counts
            tables[counts] = replace(
                table,
                correct=correct,
                abstained_answerable=abstentions,
                wrong=wrong,
                needs_review=review,
                abstained_unanswerable=right,
                answered_unanswerable=harm,
            )
        samples.append(tables[counts])
    return samples


def interval_of(figure: Figure, tables: list[OutcomeTable]) -> Interval | None:
    """The interval of a figure over resampled tables; ``None`` where it is not always there."""
    # By identity: the list keeps every table, and a table has no hash.
    figures = {key: figure(table) for key, table in {id(each): each for each in tables}.items()}
    values = [figures[id(table)] for table in tables]
    known = [value for value in values if value is not None]
    return percentiles(known, CONFIDENCE) if known and len(known) == len(values) else None


def compare_scores(
    a: Mapping[str, Cell | None],
    b: Mapping[str, Cell | None],
    penalty: Penalty,
    view: View = EVERYTHING,
    *,
    seed: int = 0,
) -> PairedScores:
    """Compare two systems' RS(c) on the items that both have scored.

    Args:
        a: The first system's cell of each item by id; ``None``: unscored.
        b: The second's.
        penalty: c, or N: the number of common items.
        view: ANS or ANS+UnANS; a weighted view has no items to pair.
        seed: For the bootstrap.

    Raises:
        UsageError: the view is weighted, or there is no common item.
    """
    if view.weight not in (0.0, 1.0):
        raise UsageError(f"{view.name} weighs items; compare systems on ANS or on ANS+UnANS")
    pairs = [
        (first, second)
        for case_id, first in a.items()
        if first is not None
        and (second := b.get(case_id)) is not None
        and (view.weight or first in _ANSWERABLE)
    ]
    if not pairs:
        raise UsageError("the two systems have no scored item in common; compare runs of one set")
    cost = penalty_value(penalty, len(pairs))
    differences: Counter[float] = Counter()
    totals = [0.0, 0.0]
    for cells, times in Counter(pairs).items():
        before, after = (worth(cell, cost) for cell in cells)
        differences[after - before] += times
        totals[0] += before * times
        totals[1] += after * times
    means = [total / len(pairs) for total in totals]
    return PairedScores(means[0], means[1], len(pairs), paired_bootstrap(differences, seed=seed))
