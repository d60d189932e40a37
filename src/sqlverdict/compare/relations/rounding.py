"""The same numbers, but some are rounded on one side.

Says: as bags, the rows are equal under a map of columns once the numbers of the changed
columns are rounded to ``digits`` decimals; one side is the rounded form of the other.
Proof: ``columns``, ``extra`` or ``missing``, ``order``; ``changed``, for each changed
column ``rounded`` (which side is the rounded one) and ``digits``. With ``rounded`` =
``both`` the two sides differ in the last digits of floats only (1e-9, relative), and
``digits`` is null.
Misleads: a whole number is near to many others; 3 and 2.7 are a ``weak`` case. Cutting
digits off (integer division) is not rounding and is not found.
"""

from __future__ import annotations

from collections.abc import Mapping
from decimal import ROUND_HALF_UP, Decimal
from typing import Any

from sqlverdict.compare.preset import QueryPair
from sqlverdict.compare.related.check import map_holds
from sqlverdict.compare.related.numbers import HALF, digits, extent, near_keys, rounded_keys
from sqlverdict.compare.related.search import ColumnLink, find_map, map_detail
from sqlverdict.compare.related.table import AnswerColumn, AnswerTable, Keys, same_bag
from sqlverdict.records import Relation

KIND = "rounding"


def find(gold: AnswerTable, prediction: AnswerTable, pair: QueryPair) -> Relation | None:
    """The relation, where it holds and the answers are not equal as they are."""
    if float not in gold.kinds and float not in prediction.kinds:
        return None
    joints = find_map(gold, prediction, link)
    if joints is None:
        return None
    return Relation(KIND, map_detail(gold, prediction, joints, pair))


def link(gold: AnswerColumn, prediction: AnswerColumn) -> ColumnLink | None:
    """Keys under which two number columns agree after rounding one of them."""
    if not gold.numeric or not prediction.numeric:
        return None
    if float not in gold.kinds and float not in prediction.kinds:
        return None
    bounds, other_bounds = extent(gold), extent(prediction)
    if bounds is None or other_bounds is None or bounds[2] != other_bounds[2]:
        return None
    if abs(bounds[0] - other_bounds[0]) > 0.51 or abs(bounds[1] - other_bounds[1]) > 0.51:
        return None
    for side, coarse, fine in (
        ("gold", gold.cells, prediction.cells),
        ("prediction", prediction.cells, gold.cells),
    ):
        places = digits(coarse)
        if places is None:
            continue
        targets, keys = rounded_keys(coarse, fine, places)
        if same_bag(targets, keys):
            note = {"rounded": side, "digits": places}
            return (
                ColumnLink(targets, keys, note)
                if side == "gold"
                else ColumnLink(keys, targets, note)
            )
    left, right = near_keys(gold.cells, prediction.cells)
    if same_bag(left, right):
        return ColumnLink(left, right, {"rounded": "both", "digits": None})
    return None


def holds(
    detail: Mapping[str, Any], gold: AnswerTable, prediction: AnswerTable, pair: QueryPair
) -> bool:
    """Whether the proof is one."""
    return map_holds(detail, gold, prediction, pair, _keys)


def _keys(entry: Mapping[str, Any], left: Keys, right: Keys) -> tuple[Keys, Keys] | None:
    return check_rounding(entry["rounded"], entry["digits"], left, right)


def check_rounding(
    side: str, places: int | None, left: Keys, right: Keys
) -> tuple[Keys, Keys] | None:
    """The keys that a rounding note describes, in decimal arithmetic."""
    if side == "both":
        return near_keys(left, right)
    if side not in ("gold", "prediction") or places is None or places < 0:
        return None
    coarse, fine = (left, right) if side == "gold" else (right, left)
    unit = Decimal(10) ** places
    targets: list[int | None] = []
    for number in coarse:
        scaled = None if number is None else Decimal(repr(number)) * unit
        if scaled is not None and scaled != scaled.to_integral_value():
            return None
        targets.append(None if scaled is None else int(scaled))
    known = set(targets)
    keys: list[int | None] = []
    for number in fine:
        if number is None:
            keys.append(None)
            continue
        scaled = Decimal(repr(number)) * unit
        nearest = int(scaled.to_integral_value(ROUND_HALF_UP))
        edge = abs(abs(scaled % 1) - Decimal("0.5"))
        if edge < Decimal(repr(HALF)):
            toward = int(scaled)
            away = toward + (1 if number >= 0 else -1)
            nearest = away if away in known else toward
        keys.append(nearest)
    return (targets, keys) if side == "gold" else (keys, targets)
