"""The same numbers in another unit: a constant factor on some columns.

Says: as bags, the rows are equal under a map of columns once gold's numbers in the changed
columns are multiplied by ``factor`` (100: a percentage for a share; 1000; 60; and their
inverses).
Proof: ``columns``, ``extra`` or ``missing``, ``order``; ``changed``, for each changed
column ``factor``, and where one side is rounded as well ``rounded`` (which side) and
``digits``.
Misleads: a single round number (1 and 100) may be a coincidence: ``weak``.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sqlverdict.compare.preset import QueryPair
from sqlverdict.compare.related.check import map_holds
from sqlverdict.compare.related.numbers import digits, extent, near_keys, rounded_keys
from sqlverdict.compare.related.search import ColumnLink, find_map, map_detail
from sqlverdict.compare.related.table import NUMBERS, AnswerColumn, AnswerTable, Keys, same_bag
from sqlverdict.compare.relations.rounding import check_rounding
from sqlverdict.records import Relation

KIND = "scale"
FACTORS = (100, 1 / 100, 1000, 1 / 1000, 60, 1 / 60)
TELLING = 100
"""A rounded number needs three significant digits to show a factor."""


def find(gold: AnswerTable, prediction: AnswerTable, pair: QueryPair) -> Relation | None:
    """The relation, where it holds and the answers are not equal as they are."""
    if gold.kinds.isdisjoint(NUMBERS) or prediction.kinds.isdisjoint(NUMBERS):
        return None
    joints = find_map(gold, prediction, link)
    if joints is None:
        return None
    return Relation(KIND, map_detail(gold, prediction, joints, pair))


def link(gold: AnswerColumn, prediction: AnswerColumn) -> ColumnLink | None:
    """Keys under which two number columns agree after multiplying gold's by a factor."""
    if not gold.numeric or not prediction.numeric:
        return None
    bounds, other_bounds = extent(gold), extent(prediction)
    if bounds is None or other_bounds is None or bounds[2] != other_bounds[2]:
        return None
    top = max(bounds[0], bounds[1], key=abs)
    other_top = max(other_bounds[0], other_bounds[1], key=abs)
    if not top or not other_top:
        return None
    ratio = other_top / top
    for factor in FACTORS:
        # Rounding to three digits moves a number by half a percent at most.
        if 0.99 < ratio / factor < 1.01:
            return _link(gold.cells, prediction.cells, factor)
    return None


def _link(cells: Keys, others: Keys, factor: float) -> ColumnLink | None:
    scaled = times(cells, factor)
    left, right = near_keys(scaled, others)
    if same_bag(left, right):
        return ColumnLink(left, right, {"factor": factor})
    for side, coarse, fine in (
        ("prediction", others, scaled),
        ("gold", cells, times(others, 1 / factor)),
    ):
        places = digits(coarse)
        if places is None:
            continue
        targets, keys = rounded_keys(coarse, fine, places)
        if same_bag(targets, keys) and any(abs(t) >= TELLING for t in targets if t):
            note = {"factor": factor, "rounded": side, "digits": places}
            return (
                ColumnLink(targets, keys, note)
                if side == "gold"
                else ColumnLink(keys, targets, note)
            )
    return None


def times(cells: Keys, factor: float) -> list[float | None]:
    """The column multiplied by a factor."""
    return [None if number is None else number * factor for number in cells]


def holds(
    detail: Mapping[str, Any], gold: AnswerTable, prediction: AnswerTable, pair: QueryPair
) -> bool:
    """Whether the proof is one."""
    return map_holds(detail, gold, prediction, pair, _keys)


def _keys(entry: Mapping[str, Any], left: Keys, right: Keys) -> tuple[Keys, Keys] | None:
    factor = entry["factor"]
    if factor not in FACTORS:
        return None
    if "rounded" not in entry:
        return near_keys(times(left, factor), right)
    if entry["rounded"] == "gold":
        return check_rounding("gold", entry["digits"], left, times(right, 1 / factor))
    return check_rounding("prediction", entry["digits"], times(left, factor), right)
