"""Re-checks a column map claimed by a relation, without searching.

A checker turns both answers into rows of keys as the proof says, and the two bags have to
be equal. Nothing of the search is used.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from sqlverdict.compare.preset import QueryPair
from sqlverdict.compare.related.search import is_weak, order_word
from sqlverdict.compare.related.table import AnswerTable, Keys

Keyer = Callable[[Mapping[str, Any], Keys, Keys], tuple[Keys, Keys] | None]


def map_holds(
    detail: Mapping[str, Any],
    gold: AnswerTable,
    prediction: AnswerTable,
    pair: QueryPair,
    keyer: Keyer | None = None,
) -> bool:
    """Whether the map in ``detail`` makes the rows of both answers agree as bags.

    Args:
        detail: The proof.
        gold: The gold answer.
        prediction: The prediction.
        pair: The two queries.
        keyer: Turns a changed column pair into keys as its note says; ``None`` where the
            note does not describe what the columns hold.
    """
    columns: Sequence[int | None] = detail["columns"]
    if gold.height != prediction.height or not is_map(columns, gold.width, prediction.width):
        return False
    used = {place for place in columns if place is not None}
    if list(detail.get("extra", [])) != [p for p in range(prediction.width) if p not in used]:
        return False
    if list(detail.get("missing", [])) != [g for g, p in enumerate(columns) if p is None]:
        return False
    changed = {entry["gold"]: entry for entry in detail.get("changed", [])}
    if bool(changed) != (keyer is not None):
        return False
    if any(columns[place] != entry["prediction"] for place, entry in changed.items()):
        return False
    lefts: list[Keys] = []
    rights: list[Keys] = []
    changed_keys: list[Keys] = []
    for place, other in enumerate(columns):
        if other is None:
            continue
        left: Keys = gold.columns[place].cells
        right: Keys = prediction.columns[other].cells
        if place in changed and keyer is not None:
            keys = keyer(changed[place], left, right)
            if keys is None:
                return False
            left, right = keys
            changed_keys.append(left)
        lefts.append(left)
        rights.append(right)
    if Counter(zip(*lefts, strict=True)) != Counter(zip(*rights, strict=True)):
        return False
    if detail["order"] != order_word(lefts, rights, pair):
        return False
    found = is_weak(gold, prediction, columns, list(changed.values()), changed_keys)
    return bool(detail.get("weak", False)) == found


def is_map(columns: Sequence[int | None], width: int, other_width: int) -> bool:
    """Whether the list gives every column a place of its own, as many as there can be."""
    used = [place for place in columns if place is not None]
    return (
        len(columns) == width
        and len(used) == len(set(used)) == min(width, other_width)
        and all(0 <= place < other_width for place in used)
    )
