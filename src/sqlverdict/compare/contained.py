"""Finds the column order under which the rows of one answer are among those of another."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from sqlverdict.compare.columns import SearchExhausted
from sqlverdict.records import Row

_TRIES = 2_000


def contained_columns(
    gold: Sequence[Row], prediction: Sequence[Row], *, reorder: bool = True
) -> tuple[int, ...] | None:
    """The prediction's column for each gold column that puts its rows among the gold's.

    A row may occur as often as in the gold. Both answers have the same number of columns.

    Args:
        gold: The rows that are right.
        prediction: The rows that should be some of them.
        reorder: Columns may come in another order.

    Returns:
        The columns, ``()`` where the prediction has no row, ``None`` where there is no such order.

    Raises:
        SearchExhausted: the search was given up.
    """
    if not prediction:
        return ()
    width = len(prediction[0])
    right = Counter(gold)
    identity = tuple(range(width))
    if not Counter(prediction) - right:
        return identity
    if not reorder or not gold:
        return None
    theirs = [set(column) for column in zip(*prediction, strict=True)]
    ours = [set(column) for column in zip(*gold, strict=True)]
    choices = [[j for j in identity if theirs[j] <= ours[i]] for i in identity]
    tries = 0

    def extend(start: tuple[int, ...]) -> tuple[int, ...] | None:
        nonlocal tries
        if len(start) == width:
            tries += 1
            if tries > _TRIES:
                raise SearchExhausted("the columns are too alike to be told apart")
            reordered = Counter(tuple(row[j] for j in start) for row in prediction)
            return None if reordered - right else start
        for j in choices[len(start)]:
            if j not in start:
                columns = extend((*start, j))
                if columns is not None:
                    return columns
        return None

    return extend(())
