"""Which rows two answers do not share: missing, extra and changed ones.

Rows are counted as often as they occur. Columns are paired first: by a map that a comparison or a
relation found, else by their names, else in order. Rows agree where all paired columns do; numbers
that differ by float noise alone agree. Of the rest, two rows are one changed row where

- both answers have one row, or
- they share the value of the column that identifies most of these rows, or
- no column identifies rows, they stand at the same position, and only real numbers differ.

Time is linear in the rows.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from operator import itemgetter

from msgspec import Struct

from sqlverdict.compare.cells import Tolerance, unify
from sqlverdict.records import Answer, Cell, Row

_MOST_PAIRED = 1_000
"""Rows of one side beyond which changed rows are not looked for."""
_TOLERANCE = Tolerance()

Bag = Mapping[Row, int]
"""How often each row occurs."""
ColumnMap = tuple[int | None, ...]
"""The prediction's column that stands for each of the gold's; ``None``: none does."""
_LeftOver = tuple[list[int], list[int]]
"""The positions of the gold's and of the prediction's rows that have no counterpart."""


class ChangedRow(Struct, frozen=True):
    """A row of the gold, the prediction's row in its place, and the gold's columns that differ."""

    gold: Row
    prediction: Row
    cells: tuple[int, ...]


class AnswerDifference(Struct, frozen=True):
    """What two answers do not share, as many rows as were asked for; the counts are of all.

    Attributes:
        columns: The prediction's column that stands for each of the gold's; ``None``: none does.
        missing: Rows of the gold that the prediction lacks.
        extra: Rows of the prediction that the gold lacks.
        changed: Rows that differ in some cells; where only the order differs, what stands where.
        missing_count: How many rows are missing.
        extra_count: How many are extra.
        changed_count: How many are changed, or stand elsewhere.
        order_only: Both have the same rows, in another order.
    """

    columns: ColumnMap
    missing: tuple[Row, ...] = ()
    extra: tuple[Row, ...] = ()
    changed: tuple[ChangedRow, ...] = ()
    missing_count: int = 0
    extra_count: int = 0
    changed_count: int = 0
    order_only: bool = False

    @property
    def same_rows(self) -> bool:
        """Whether both hold the same rows in the paired columns, each as often."""
        return self.order_only or not (self.missing_count or self.extra_count or self.changed_count)


def answer_difference(
    gold: Answer, prediction: Answer, columns: ColumnMap | None = None, most: int = 10
) -> AnswerDifference:
    """The difference of two answers.

    Args:
        gold: The gold's answer.
        prediction: The prediction's answer.
        columns: Which columns belong together, where that is known.
        most: How many rows of each side are kept.
    """
    columns = columns if columns is not None else pair_columns(gold.columns, prediction.columns)
    cut_gold, cut_prediction = _paired(gold, prediction, columns)
    ours, theirs = cut_gold.rows, cut_prediction.rows
    left = _left_over(cut_gold, cut_prediction)
    if all(left):
        left = _without_noise(left, ours, theirs)
    pairs = _changed_pairs(left, ours, theirs)
    order_only = not any(left)
    if order_only:
        pairs = [(i, i) for i, pair in enumerate(zip(ours, theirs, strict=True)) if _differ(*pair)]
    missing, extra = left
    if pairs:
        changed_ours, changed_theirs = {i for i, _ in pairs}, {j for _, j in pairs}
        missing = [i for i in missing if i not in changed_ours]
        extra = [j for j in extra if j not in changed_theirs]
    # Some of each kind are kept: changed rows leave room for the others.
    most_changed = max(most // 2, most - max(len(missing), len(extra)))
    changed = [
        ChangedRow(gold.rows[i], prediction.rows[j], _cells(ours[i], theirs[j], columns))
        for i, j in pairs[:most_changed]
    ]
    room = most - len(changed)
    return AnswerDifference(
        columns,
        tuple(gold.rows[i] for i in missing[:room]),
        tuple(prediction.rows[j] for j in extra[:room]),
        tuple(changed),
        len(missing),
        len(extra),
        len(pairs),
        order_only and bool(pairs),
    )


def pair_columns(gold: Sequence[str], prediction: Sequence[str]) -> ColumnMap:
    """The columns of one name, then those that are left in order where the widths are the same."""
    by_name: dict[str, list[int]] = {}
    for index, name in enumerate(prediction):
        by_name.setdefault(name.casefold(), []).append(index)
    columns: list[int | None] = [None] * len(gold)
    for index, name in enumerate(gold):
        if same := by_name.get(name.casefold()):
            columns[index] = same.pop(0)
    used = set(columns)
    if len(gold) == len(prediction) or used == {None}:
        rest = iter(sorted(set(range(len(prediction))) - used))
        columns = [next(rest, None) if column is None else column for column in columns]
    return tuple(columns)


def _paired(gold: Answer, prediction: Answer, columns: ColumnMap) -> tuple[Answer, Answer]:
    """Both, cut to the paired columns, which stand in the gold's order."""
    width = len(gold.columns)
    if columns == tuple(range(width)) and width == len(prediction.columns):
        # They know their bags by now.
        return gold, prediction
    paired = [(g, p) for g, p in enumerate(columns) if p is not None]
    ours, theirs = (_cut([pair[side] for pair in paired]) for side in (0, 1))
    return Answer((), list(map(ours, gold.rows))), Answer((), list(map(theirs, prediction.rows)))


def _cut(columns: Sequence[int]) -> Callable[[Row], Row]:
    if len(columns) > 1:
        return itemgetter(*columns)
    return lambda row: tuple(row[column] for column in columns)


def _left_over(gold: Answer, prediction: Answer) -> _LeftOver:
    ours, theirs = gold.bag, prediction.bag
    return _without(gold.rows, ours, theirs), _without(prediction.rows, theirs, ours)


def _without(rows: list[Row], own: Bag, others: Bag) -> list[int]:
    """The positions of the rows that the others do not have, each as often as they lack it."""
    if own.keys().isdisjoint(others):
        return list(range(len(rows)))
    if len(own) == len(rows):
        if own.keys() <= others.keys():
            return []
        return [position for position, row in enumerate(rows) if row not in others]
    # Of a row that the others have less often, the first ones have a counterpart.
    there = dict(others)
    left = []
    for position, row in enumerate(rows):
        if times := there.get(row):
            there[row] = times - 1
        else:
            left.append(position)
    return left


def _without_noise(left: _LeftOver, ours: list[Row], theirs: list[Row]) -> _LeftOver:
    """What is left over once numbers that differ by float noise alone are the same."""
    missing, extra = left
    rows = [[ours[i] for i in missing], [theirs[j] for j in extra]]
    unified = unify(rows, _TOLERANCE)
    if unified[0] is rows[0]:
        return left
    ours_left, theirs_left = _left_over(*(Answer((), each) for each in unified))
    return [missing[i] for i in ours_left], [extra[j] for j in theirs_left]


def _changed_pairs(left: _LeftOver, ours: list[Row], theirs: list[Row]) -> list[tuple[int, int]]:
    """The positions of rows that are one row with other cells, in the gold's order."""
    missing, extra = left
    if not missing or not extra or max(len(missing), len(extra)) > _MOST_PAIRED:
        return []
    if len(ours) == len(theirs) == 1:
        return [(0, 0)]
    width = len(ours[0])
    by_column = [
        _pairs_by(column, left, ours, theirs) for column in range(width if width > 1 else 0)
    ]
    # The first of those that identify most rows.
    best = max(by_column, key=len, default=[])
    if best or missing != extra or len(ours) != len(theirs):
        return best
    return [(i, i) for i in missing if _only_reals_differ(ours[i], theirs[i])]


def _pairs_by(
    column: int, left: _LeftOver, ours: list[Row], theirs: list[Row]
) -> list[tuple[int, int]]:
    """Rows that alone on their side have a value of the column."""
    mine = _once(column, left[0], ours)
    others = _once(column, left[1], theirs)
    return [(position, others[value]) for value, position in mine.items() if value in others]


def _once(column: int, positions: list[int], rows: list[Row]) -> dict[Cell, int]:
    values = Counter(rows[position][column] for position in positions)
    return {
        rows[position][column]: position
        for position in positions
        if rows[position][column] is not None and values[rows[position][column]] == 1
    }


def _only_reals_differ(ours: Row, theirs: Row) -> bool:
    """Whether all that differs are numbers, one of each two real: integers may be names."""
    return all(
        a == b or {type(a), type(b)} in ({float}, {float, int})
        for a, b in zip(ours, theirs, strict=True)
    )


def _differ(ours: Row, theirs: Row) -> bool:
    return ours != theirs and bool(_positions(ours, theirs))


def _cells(ours: Row, theirs: Row, columns: ColumnMap) -> tuple[int, ...]:
    """The gold's columns in which two rows differ."""
    paired = [g for g, p in enumerate(columns) if p is not None]
    return tuple(paired[position] for position in _positions(ours, theirs))


def _positions(ours: Row, theirs: Row) -> list[int]:
    return [i for i, (a, b) in enumerate(zip(ours, theirs, strict=True)) if not _same(a, b)]


def _same(a: Cell, b: Cell) -> bool:
    numbers = (int, float)
    if isinstance(a, numbers) and isinstance(b, numbers):
        return _TOLERANCE.same(a, b) or (a != a and b != b)
    return a == b
