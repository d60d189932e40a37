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

from collections import Counter

from sqlverdict.records import Row
from sqlverdict.score.metric import METRICS
from sqlverdict.score.metric_kinds import SimilarityMetric
from sqlverdict.score.overlap import as_bags, shared_cells


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
