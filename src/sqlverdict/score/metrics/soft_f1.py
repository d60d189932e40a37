"""Soft-F1: how many cells of the answer are right, whatever the order of rows and columns.

Definition:
    Every predicted row is paired with at most one gold row. value = 2 tp / (g + p), where tp is
    the number of cells the pairs share (each row read as a bag of cells), g the number of gold
    cells and p of predicted cells; 1 where both answers are empty. That is the harmonic mean of
    the precision tp / p and the recall tp / g. With several golds, the best.

    Pairs are made in this order: equal rows (which is never worse than another pairing), then
    the rest by most cells shared, ties by the rows' own values. Rows are sorted by value first,
    so their order in either answer cannot matter. 4 and 4.0 are one number; fractions count as
    equal when they agree in 12 digits.

    Hand calculation: gold (1, a), (2, b); prediction (2, b), (1, c). The equal row shares 2
    cells and the other pair 1: tp = 3, value 2 * 3 / (4 + 4) = 0.75.

    >>> overlap_f1([(1, "a"), (2, "b")], [(2, "b"), (1, "c")])
    0.75

    Bounded cost: after the equal rows, at most 100,000 meetings of a gold row and a predicted
    row in a cell are looked at (as many as gold rows, if more), the rarest cells first. Above
    that the rows not yet paired are paired in the order of their values. Pairing by most cells
    shared is greedy; both can only make the value smaller than the best pairing's, never larger.

Range:
    [0, 1] with 1 only where both answers hold the same rows, up to the order of cells in a row.

Direction:
    Higher is better.

Unscored cases:
    Every gold fails or the database is missing. A prediction that fails is scored: 0.

Source:
    Our own; BIRD's Soft F1 (``soft_f1_bird``) without its dependence on the order of rows.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable
from itertools import chain

from sqlverdict.records import Cell, Row
from sqlverdict.score.metric import METRICS
from sqlverdict.score.metric_kinds import SimilarityMetric


def overlap_f1(gold: list[Row], prediction: list[Row]) -> float:
    """The F1 of the cells that two bags of rows share."""
    cells = sum(map(len, gold)) + sum(map(len, prediction))
    if not cells or (len(gold) == len(prediction) and Counter(gold) == Counter(prediction)):
        return 1.0
    truth, answer = as_bags(gold, prediction)
    equal = truth & answer
    same = sum(len(row) * count for row, count in equal.items())
    rest = sorted((truth - equal).elements()), sorted((answer - equal).elements())
    return 2 * (same + shared_cells(*rest)) / cells


@METRICS.member
class SoftF1(SimilarityMetric):
    """Order-safe Soft-F1."""

    name = "soft_f1"
    version = 1

    def similarity(self, gold: list[Row], prediction: list[Row]) -> float:
        """The F1 of shared cells."""
        return overlap_f1(gold, prediction)


MEETINGS = 100_000
"""Meetings of two rows in a cell that are looked at (as many as gold rows, if more)."""

Bag = tuple[int, ...]
"""A row as sorted numbers, one for each (cell, how often it came before in the row): a bag of
cells becomes a set, and the numbers follow the order of the cells' values."""


def as_bags(gold: list[Row], prediction: list[Row]) -> tuple[Counter[Bag], Counter[Bag]]:
    """Both answers as bags of rows, the same cell having the same number in both."""
    cells = dict.fromkeys(chain(chain.from_iterable(gold), chain.from_iterable(prediction)))
    keys = {cell: _key(cell) for cell in cells}
    ranks = {key: rank for rank, key in enumerate(sorted(set(keys.values())))}
    # Room for every repetition of a cell, so that numbers of different cells never meet.
    room = max(map(len, chain(gold, prediction)), default=1)
    number = {cell: ranks[key] * room for cell, key in keys.items()}
    return (
        Counter(_bag(number[cell] for cell in row) for row in gold),
        Counter(_bag(number[cell] for cell in row) for row in prediction),
    )


def shared_cells(gold: list[Bag], prediction: list[Bag]) -> int:
    """Cells shared when rows are paired by most cells shared first; both lists are sorted."""
    if not gold or not prediction:
        return 0
    width = len(prediction)
    meetings, complete = _meetings(gold, prediction)
    ranked: dict[int, list[int]] = defaultdict(list)
    for pair, met in meetings.items():
        i, j = divmod(pair, width)
        ranked[met if complete else _shared(gold[i], prediction[j])].append(pair)
    free_gold, free_prediction = [True] * len(gold), [True] * width
    shared = 0
    for count in sorted(ranked, reverse=True):
        for pair in sorted(ranked[count]):
            i, j = divmod(pair, width)
            if free_gold[i] and free_prediction[j]:
                free_gold[i] = free_prediction[j] = False
                shared += count
    if complete:  # rows that never met share nothing
        return shared
    left = (row for row, free in zip(gold, free_gold, strict=True) if free)
    right = (row for row, free in zip(prediction, free_prediction, strict=True) if free)
    return shared + sum(_shared(a, b) for a, b in zip(left, right, strict=False))


def _meetings(gold: list[Bag], prediction: list[Bag]) -> tuple[dict[int, int], bool]:
    """How many cells the pair i * len(prediction) + j shares, rarest cells first.

    The second value is false where the budget ended before the cells did.
    """
    with_gold: dict[int, list[int]] = defaultdict(list)
    for i, row in enumerate(gold):
        for cell in row:
            with_gold[cell].append(i)
    # Cells that the gold does not have meet nothing; a hostile answer has millions of them.
    with_both: dict[int, list[int]] = defaultdict(list)
    for j, row in enumerate(prediction):
        for cell in with_gold.keys() & row:
            with_both[cell].append(j)
    meetings: dict[int, int] = {}
    budget = max(MEETINGS, len(gold))
    for cost, cell in sorted(
        (len(with_gold[cell]) * len(rows), cell) for cell, rows in with_both.items()
    ):
        budget -= cost
        if budget < 0:
            return meetings, False
        for i in with_gold[cell]:
            for j in with_both[cell]:
                pair = i * len(prediction) + j
                meetings[pair] = meetings.get(pair, 0) + 1
    return meetings, True


def _shared(first: Bag, second: Bag) -> int:
    return len(set(first).intersection(second))


def _bag(numbers: Iterable[int]) -> Bag:
    marks = sorted(numbers)
    for i in range(1, len(marks)):
        # A repeated cell takes the next number; its predecessors are already numbered.
        if marks[i] <= marks[i - 1]:
            marks[i] = marks[i - 1] + 1
    return tuple(marks)


def _key(cell: Cell) -> tuple[int, int | float | str | bytes]:
    """A cell such that equal ones are equal keys and any two can be put in order."""
    if cell is None:
        return (0, 0)
    if isinstance(cell, str):
        return (2, cell)
    if isinstance(cell, bytes):
        return (3, cell)
    if cell != cell:  # a NaN equals nothing, itself included; here it is one value
        return (4, 0)
    if isinstance(cell, float) and not cell.is_integer():
        cell = float(f"{cell:.12g}")
    return (1, cell)
