"""Finds the column order under which two answers are the same.

Trying all n! orders is what other scripts do. Here columns are told apart by what they
hold: a column's signature is the bag of (row class, value) pairs in it; columns matched by
their signatures split the rows into finer classes, which tells more columns apart, until
nothing changes. Columns that still look alike (symmetric data) are tried in turn. A result
is always checked against the rows themselves, so a row's values are never torn apart.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import permutations
from operator import itemgetter
from typing import TypeVar

from sqlverdict.records import Row

T = TypeVar("T")

_TRIES = 2_000


class SearchExhausted(Exception):
    """The columns are too alike to be told apart within the budget."""


def match_columns(
    gold: Sequence[Row],
    prediction: Sequence[Row],
    groups: Sequence[int] | None = None,
    *,
    reorder_only: bool = False,
) -> tuple[int, ...] | None:
    """The prediction's column for each gold column that makes the answers the same bag.

    Args:
        gold: The gold rows.
        prediction: The predicted rows.
        groups: The rank of each position where order counts: rows may change places only
            within a rank. ``None``: rows are a bag.
        reorder_only: The columns as they stand are known not to fit.

    Returns:
        The columns, ``()`` for two empty answers, ``None`` where there is no such order.

    Raises:
        SearchExhausted: the search was given up.
    """
    if len(gold) != len(prediction):
        return None
    if not gold:
        return ()
    width = len(gold[0])
    if width != len(prediction[0]):
        return None
    identity = tuple(range(width))
    if not reorder_only and _same_bags(gold, prediction, identity, groups):
        return identity
    if width == 1:
        return None
    if width == 2:
        swapped = (1, 0)
        return swapped if _same_bags(gold, prediction, swapped, groups) else None
    return _Search(gold, prediction, groups).run()


def column_orders(width: int) -> list[tuple[int, ...]]:
    """Column orders worth trying where only part of the rows can be compared.

    All orders up to four columns; beyond, only the identity.
    """
    return list(permutations(range(width))) if width <= 4 else [tuple(range(width))]


def bag(rows: Iterable[T]) -> dict[T, int]:
    """How often each row occurs, as a plain dict: it compares at once, a Counter in Python."""
    return dict(Counter(rows))


def permuted(rows: Sequence[Row], columns: Sequence[int]) -> list[Row]:
    """The rows with their columns in the given order."""
    if len(columns) == 1:
        only = columns[0]
        return [(row[only],) for row in rows]
    pick = itemgetter(*columns)
    return [pick(row) for row in rows]


def _same_bags(
    gold: Sequence[Row],
    prediction: Sequence[Row],
    columns: tuple[int, ...],
    groups: Sequence[int] | None,
) -> bool:
    identity = columns == tuple(range(len(columns)))
    rows = prediction if identity else permuted(prediction, columns)
    if groups is None:
        return bag(gold) == bag(rows)
    return bag(zip(groups, gold, strict=True)) == bag(zip(groups, rows, strict=True))


@dataclass
class _SearchState:
    """Where the search stands: the class of each column and of each row, both sides."""

    gold_columns: list[int]
    prediction_columns: list[int]
    gold_rows: list[int]
    prediction_rows: list[int]

    def copy(self) -> _SearchState:
        return _SearchState(
            list(self.gold_columns),
            list(self.prediction_columns),
            list(self.gold_rows),
            list(self.prediction_rows),
        )


class _Search:
    """Colour refinement with individualisation; see the module's docstring."""

    def __init__(
        self, gold: Sequence[Row], prediction: Sequence[Row], groups: Sequence[int] | None
    ) -> None:
        self.gold = gold
        self.prediction = prediction
        self.groups = groups
        self.gold_cells = list(zip(*gold, strict=True))
        self.prediction_cells = list(zip(*prediction, strict=True))
        self.width = len(self.gold_cells)
        self.tries = _TRIES

    def run(self) -> tuple[int, ...] | None:
        ranks = list(self.groups) if self.groups is not None else [0] * len(self.gold)
        zeros = [0] * self.width
        return self._solve(_SearchState(zeros, list(zeros), ranks, list(ranks)))

    def _solve(self, state: _SearchState) -> tuple[int, ...] | None:
        self.tries -= 1
        if self.tries < 0:
            raise SearchExhausted(f"{self.width} columns are too alike to be told apart")
        if not self._refine(state):
            return None
        sizes = Counter(state.gold_columns)
        alike = [c for c, size in sizes.items() if size > 1]
        if not alike:
            index = {c: i for i, c in enumerate(state.prediction_columns)}
            columns = tuple(index[c] for c in state.gold_columns)
            fits = _same_bags(self.gold, self.prediction, columns, self.groups)
            return columns if fits else None
        # Of classes of one size the first in the gold: their numbers depend on the hash seed.
        smallest = min(alike, key=sizes.__getitem__)
        first = state.gold_columns.index(smallest)
        rejected: set[tuple[object, ...]] = set()
        for candidate, kind in enumerate(state.prediction_columns):
            cells = self.prediction_cells[candidate]
            if kind != smallest or cells in rejected:
                continue
            rejected.add(cells)
            guess = state.copy()
            guess.gold_columns[first] = guess.prediction_columns[candidate] = -1
            solution = self._solve(guess)
            if solution is not None:
                return solution
        return None

    def _refine(self, state: _SearchState) -> bool:
        """Split classes until nothing changes; ``False``: the two sides cannot match."""
        known = -1
        while True:
            if not self._split_columns(state):
                return False
            singles = len(set(state.gold_columns))
            if singles == known or singles == self.width:
                return True
            known = singles
            if not self._split_rows(state):
                return False

    def _split_columns(self, state: _SearchState) -> bool:
        for cells, columns, rows in self._sides(state):
            for index, column in enumerate(cells):
                # A sum of hashes does not depend on row order. Where two hashes collide, two
                # classes merge; the final check on the rows decides.
                cells_hash = sum(map(hash, zip(rows, column, strict=True)))
                columns[index] = hash((columns[index], cells_hash))
        return Counter(state.gold_columns) == Counter(state.prediction_columns)

    def _split_rows(self, state: _SearchState) -> bool:
        """Rows are told apart by their cells in matched columns, else by bags of their cells."""
        sizes = Counter(state.gold_columns)
        single = sorted(c for c, size in sizes.items() if size == 1)
        for cells, columns, rows in self._sides(state):
            index = {c: i for i, c in enumerate(columns)}
            keys: list[Iterable[object]] = [cells[index[c]] for c in single]
            if not single:
                keys = [_bags(cells, columns, c) for c in sorted(sizes)]
            rows[:] = map(hash, zip(rows, *keys, strict=True))
        return Counter(state.gold_rows) == Counter(state.prediction_rows)

    def _sides(self, state: _SearchState) -> tuple[_Side, _Side]:
        return (
            (self.gold_cells, state.gold_columns, state.gold_rows),
            (self.prediction_cells, state.prediction_columns, state.prediction_rows),
        )


_Side = tuple[Sequence[Sequence[object]], list[int], list[int]]


def _bags(cells: Sequence[Sequence[object]], columns: Sequence[int], kind: int) -> Iterable[object]:
    """For each row, a number for the bag of its cells in the columns of one class."""
    members = [map(hash, zip(cells[i], strict=True)) for i, c in enumerate(columns) if c == kind]
    return map(sum, zip(*members, strict=True))


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
