"""Row overlap: the share of rows that both answers have, among the rows that either has.

Definition:
    value = |gold ∩ prediction| / |gold ∪ prediction| over bags of rows, the best over all golds.
    Two answers without rows have the value 1.

    Hand calculation: the gold's rows are a, a, b, the prediction's are a, b, c. They share a and b;
    together they have a, a, b, c. The value is 2 / 4 = 0.5.

Range:
    [0, 1]

Direction:
    Higher is better.

Unscored cases:
    All golds fail, or there is no database.

Source:
    The Jaccard index.
"""

from collections import Counter

from sqlverdict.records import Answer, Failure, Reason, Score
from sqlverdict.score.metric import METRICS, Item, Need


@METRICS.member
class RowOverlap:
    """The Jaccard index of two bags of rows."""

    name = "row_overlap"
    version = 1
    needs: frozenset[Need] = frozenset({"answers"})
    parameters: tuple[str, ...] = ()
    binary = False

    def score(self, item: Item, parameter: str) -> Score:
        """The overlap with the gold that fits best."""
        compared = item.compare("strict")
        if compared.equal is None:
            return Score(None, compared.reasons)
        answer = item.answer()
        if isinstance(answer, Failure):
            return Score(0.0, (answer.reason,))
        values = [_overlap(gold, answer) for gold in item.golds() if isinstance(gold, Answer)]
        best = max(values)
        return Score(best, () if best == 1.0 else (Reason.VALUE_MISMATCH,))


def _overlap(gold: Answer, answer: Answer) -> float:
    left, right = Counter(gold.rows), Counter(answer.rows)
    together = (left | right).total()
    return (left & right).total() / together if together else 1.0
