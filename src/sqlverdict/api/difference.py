"""The rows that one answer has and the other has not."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from sqlverdict.records import Answer, Outcome, Row

MOST_ROWS = 20
"""How many rows of an answer, and of a difference, a result holds."""


@dataclass(frozen=True)
class AnswerDifference:
    """What is in one answer only, as many rows as are shown; the counts are of all.

    Rows are compared as they are: column order and types count. Where the two hold the same rows,
    only their order differs.
    """

    missing: tuple[Row, ...]
    """Rows of the gold that the prediction lacks."""
    extra: tuple[Row, ...]
    """Rows of the prediction that the gold lacks."""
    missing_count: int
    extra_count: int

    @property
    def same_rows(self) -> bool:
        """Whether both hold the same rows, each as often."""
        return not self.missing_count and not self.extra_count


def shortened(outcome: Outcome | None) -> Outcome | None:
    """An answer with its first rows alone; failures as they are."""
    if not isinstance(outcome, Answer) or len(outcome.rows) <= MOST_ROWS:
        return outcome
    return Answer(outcome.columns, outcome.rows[:MOST_ROWS], outcome.seconds)


def difference_of(gold: Outcome | None, prediction: Outcome | None) -> AnswerDifference | None:
    """The difference of two answers; ``None`` where one of them is none."""
    if not isinstance(gold, Answer) or not isinstance(prediction, Answer):
        return None
    ours, theirs = Counter(gold.rows), Counter(prediction.rows)
    missing, extra = ours - theirs, theirs - ours
    return AnswerDifference(_first(missing), _first(extra), missing.total(), extra.total())


def _first(rows: Counter[Row]) -> tuple[Row, ...]:
    return tuple(row for row, _ in zip(rows.elements(), range(MOST_ROWS), strict=False))
