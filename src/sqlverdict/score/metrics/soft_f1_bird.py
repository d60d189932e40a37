"""Soft-F1 as BIRD computes it: rows paired by position, cells by membership.

Definition:
    Duplicate rows are dropped from both answers, then row i of the prediction is held against
    row i of the gold. With C gold columns such a pair adds m / C to tp, p / C to fp and
    t / C to fn, where m of the predicted cells occur in the gold row, p do not, and t of the
    gold cells do not occur in the predicted row. A gold row without a partner adds 1 to fn,
    a predicted row without one adds 1 to fp.

    value = 2 P R / (P + R) with P = tp / (tp + fp) and R = tp / (tp + fn); 0 where tp = 0;
    1 where both answers are empty. With several golds, the best.

    Hand calculation: the right three rows in reverse order keep only the middle pair: tp = 1,
    fp = 2, fn = 2, P = R = 1/3, value 1/3. That is the metric's defect; ``soft_f1`` has 1 here.

    >>> rows = [("a", 1), ("b", 2), ("c", 3)]
    >>> round(by_position(rows, rows[::-1]), 4)
    0.3333

    BIRD's script drops duplicates through a ``set`` in most of its versions, so that its pairs,
    and its score, change with Python's hash seed whenever texts are involved. Here the first
    occurrence of each row keeps its place, which is one of the outcomes the script can have.

    ``soft_f1_bird[bird_mini_dev]`` compares the values as the driver gives them, as mini-dev's
    script does: on PostgreSQL and MySQL a decimal is not its float. It also drops duplicates in
    their order there, so that the two are the same to the digit. An answer with arrays or JSON
    objects is worth 0 there.

Range:
    [0, 1]

Direction:
    Higher is better.

Unscored cases:
    Every gold fails or the database is missing. A prediction that fails is scored: 0.

Source:
    BIRD Mini-Dev, the Soft F1 of its evaluation script.
"""

from __future__ import annotations

from operator import attrgetter

from sqlverdict.records import Reason, Row, Score
from sqlverdict.score.metric import METRICS, Item
from sqlverdict.score.metric_kinds import SimilarityMetric, best_over_golds

BIRD, MINI_DEV = "bird", "bird_mini_dev"


def by_position(gold: list[Row], prediction: list[Row]) -> float:
    """BIRD's F1 of two lists of rows."""
    if not gold and not prediction:
        return 1.0
    truth, answer = list(dict.fromkeys(gold)), list(dict.fromkeys(prediction))
    true_positive = 0.0
    false_positive = float(max(0, len(answer) - len(truth)))
    false_negative = float(max(0, len(truth) - len(answer)))
    for right, guess in zip(truth, answer, strict=False):
        matches = sum(cell in right for cell in guess)
        true_positive += matches / len(right)
        false_positive += (len(guess) - matches) / len(right)
        false_negative += sum(cell not in guess for cell in right) / len(right)
    if not true_positive:
        return 0.0
    precision = true_positive / (true_positive + false_positive)
    recall = true_positive / (true_positive + false_negative)
    return 2 * precision * recall / (precision + recall)


@METRICS.member
class SoftF1Bird(SimilarityMetric):
    """BIRD's Soft-F1."""

    name = "soft_f1_bird"
    version = 1
    parameters: tuple[str, ...] = (BIRD, MINI_DEV)

    def score(self, item: Item, parameter: str) -> Score:
        """The best F1 over the golds, on our cells or on the driver's values."""
        if parameter == BIRD:
            return best_over_golds(item, self.similarity)
        try:
            return best_over_golds(item, self.similarity, attrgetter("values"))
        except TypeError:
            # A list or an object in a row: such rows cannot be told apart, and the script fails.
            return Score(0.0, (Reason.UNSUPPORTED_FEATURE,))

    def similarity(self, gold: list[Row], prediction: list[Row]) -> float:
        """The F1 by position."""
        return by_position(gold, prediction)
