"""Which prediction column stands for which gold column: the search that relations share.

Two columns are linked where they hold the same values, or where a relation can turn the
one into the other. A link gives both columns *keys*, and the two rows of a pair belong
together where all their keys are equal. The search picks one link for each column of the
narrower answer so that the bags of rows agree; it refines classes of rows column by
column, so a row's values are never torn apart.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from typing import NamedTuple

from sqlverdict.compare.preset import QueryPair
from sqlverdict.compare.related.clauses import orders
from sqlverdict.compare.related.proofs import ChangedColumn, ColumnsProof
from sqlverdict.compare.related.table import AnswerColumn, AnswerTable, Key, Keys, is_within, weak

BUDGET = 4_000_000
"""Cells one search may look at; beyond it, it gives up and nothing is claimed."""


class ColumnLink(NamedTuple):
    """Keys under which a gold and a prediction column agree, and what had to be done.

    An empty note: nothing, the columns hold the same values.
    """

    gold: Keys
    prediction: Keys
    note: ChangedColumn


class ColumnPairLink(NamedTuple):
    """A link between two columns, by their indexes."""

    gold: int
    prediction: int
    link: ColumnLink


Linker = Callable[[AnswerColumn, AnswerColumn], ColumnLink | None]
_Option = tuple[int, Keys, Keys, ColumnLink]
_SAME: ChangedColumn = {}


def find_map(
    gold: AnswerTable, prediction: AnswerTable, linker: Linker | None = None
) -> list[ColumnPairLink] | None:
    """A link for every column of the narrower answer that makes the rows agree as bags.

    Args:
        gold: The gold answer.
        prediction: The prediction, of the same height.
        linker: Makes links beyond plain equality.

    Returns:
        The links in the order of gold's columns, or ``None``.
    """
    flipped = gold.width > prediction.width
    narrow, wide = (prediction, gold) if flipped else (gold, prediction)
    options: list[list[_Option]] = []
    for column in narrow.columns:
        same = wide.by_signature.get(column.signature, ())
        candidates: list[_Option] = []
        for index in same:
            cells = wide.columns[index].cells
            pair = (cells, column.cells) if flipped else (column.cells, cells)
            candidates.append((index, column.cells, cells, ColumnLink(*pair, _SAME)))
        if linker is not None:
            for index, other in enumerate(wide.columns):
                if index in same:
                    continue
                link = linker(other, column) if flipped else linker(column, other)
                if link is not None:
                    keys = (link.prediction, link.gold) if flipped else link[:2]
                    candidates.append((index, *keys, link))
        if not candidates:
            return None
        options.append(candidates)
    choice = choose_options(options, narrow.height, wide.height)
    if choice is None:
        return None
    links = [
        ColumnPairLink(option[0], index, option[3])
        if flipped
        else ColumnPairLink(index, option[0], option[3])
        for index, option in enumerate(choice)
    ]
    return sorted(links)


def find_submap(small: AnswerTable, big: AnswerTable) -> list[int] | None:
    """The column of ``big`` for each of ``small`` that makes ``small`` a sub-bag of it."""
    options: list[list[_Option]] = []
    bags = [Counter(column.cells) for column in big.columns]
    for column in small.columns:
        bag = Counter(column.cells)
        candidates: list[_Option] = [
            (index, column.cells, big.columns[index].cells, ColumnLink((), (), _SAME))
            for index, other in enumerate(bags)
            if is_within(bag, other)
        ]
        if not candidates:
            return None
        options.append(candidates)
    choice = choose_options(options, small.height, big.height)
    return None if choice is None else [option[0] for option in choice]


def choose_options(
    options: Sequence[Sequence[_Option]], rows: int, others: int
) -> list[_Option] | None:
    """One option for each column, no index twice, so that the bags of rows agree.

    With ``rows < others`` the first bag has to lie within the second.
    """
    if rows == others == 1:
        return _choose_distinct(options)
    if rows == others and all(len(candidates) == 1 for candidates in options):
        # Nothing to choose: one look at whole rows is quicker than column by column.
        only = [candidates[0] for candidates in options]
        keys = zip(*(option[1] for option in only), strict=True)
        other_keys = zip(*(option[2] for option in only), strict=True)
        apart = len({option[0] for option in only}) == len(only)
        return only if apart and Counter(keys) == Counter(other_keys) else None
    order = sorted(range(len(options)), key=lambda column: len(options[column]))
    choice: list[_Option | None] = [None] * len(options)
    budget = BUDGET

    def descend(depth: int, left: Keys, right: Keys) -> bool:
        nonlocal budget
        if depth == len(order):
            return True
        column = order[depth]
        used = {option[0] for option in choice if option is not None}
        rejected: list[tuple[Keys, Keys]] = []
        for option in options[column]:
            index, keys, other_keys, _ = option
            if index in used or (keys, other_keys) in rejected:
                continue
            rejected.append((keys, other_keys))
            budget -= rows + others
            if budget < 0:
                return False
            names: dict[tuple[Key, Key], int] = {}
            ids = [names.setdefault(key, len(names)) for key in zip(left, keys, strict=True)]
            other_ids = [names.get(key, -1) for key in zip(right, other_keys, strict=True)]
            fits = (
                Counter(ids) == Counter(other_ids)
                if rows == others
                else is_within(Counter(ids), Counter(other_ids))
            )
            if not fits:
                continue
            choice[column] = option
            if descend(depth + 1, ids, other_ids):
                return True
            choice[column] = None
        return False

    if not descend(0, [0] * rows, [0] * others):
        return None
    return [option for option in choice if option is not None]


def _choose_distinct(options: Sequence[Sequence[_Option]]) -> list[_Option] | None:
    """The same for one row: every choice of different columns fits (augmenting paths)."""
    holder: dict[int, tuple[int, _Option]] = {}

    def seat(column: int, seen: set[int]) -> bool:
        for option in options[column]:
            index = option[0]
            if index in seen:
                continue
            seen.add(index)
            if index not in holder or seat(holder[index][0], seen):
                holder[index] = (column, option)
                return True
        return False

    if not all(seat(column, set()) for column in range(len(options))):
        return None
    return [option for _, (_, option) in sorted(holder.items(), key=lambda item: item[1][0])]


def map_detail(
    gold: AnswerTable, prediction: AnswerTable, links: Sequence[ColumnPairLink], pair: QueryPair
) -> ColumnsProof:
    """A column map as a proof: see :mod:`sqlverdict.compare.relation` for its fields."""
    columns: list[int | None] = [None] * gold.width
    for link_ in links:
        columns[link_.gold] = link_.prediction
    detail: ColumnsProof = {"columns": columns}
    if prediction.width > gold.width:
        detail["extra"] = sorted(set(range(prediction.width)) - set(columns))
    if gold.width > prediction.width:
        detail["missing"] = [g for g, index in enumerate(columns) if index is None]
    changed: list[ChangedColumn] = [
        {"gold": link_.gold, "prediction": link_.prediction, **link_.link.note}
        for link_ in links
        if link_.link.note
    ]
    if changed:
        detail["changed"] = changed
    detail["order"] = order_word(
        [link_.link.gold for link_ in links], [link_.link.prediction for link_ in links], pair
    )
    if is_weak(gold, prediction, columns, changed, [j.link.gold for j in links if j.link.note]):
        detail["weak"] = True
    return detail


def order_word(gold: Sequence[Keys], prediction: Sequence[Keys], pair: QueryPair) -> str:
    """``free`` where gold does not order its rows, else ``same`` or ``other``."""
    if not orders(pair):
        return "free"
    same = all(list(a) == list(b) for a, b in zip(gold, prediction, strict=True))
    return "same" if same else "other"


def is_weak(
    gold: AnswerTable,
    prediction: AnswerTable,
    columns: Sequence[int | None],
    changed: Sequence[ChangedColumn],
    keys: Sequence[Keys],
) -> bool:
    """Whether a column map may be chance.

    A factor or a rounding rests on its own columns; another spelling is the same value.
    """
    if not changed or "steps" in changed[0]:
        return weak(gold.columns[g].cells for g, index in enumerate(columns) if index is not None)
    return (
        weak(gold.columns[entry["gold"]].cells for entry in changed)
        or weak(prediction.columns[entry["prediction"]].cells for entry in changed)
        or weak(keys)
    )
