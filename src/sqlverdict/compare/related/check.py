"""Re-checks a column map claimed by a relation, without searching.

A checker turns both answers into rows of keys as the proof says, and the two bags have to
be equal. Nothing of the search is used.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

from sqlverdict.compare.related.proofs import ChangedColumn, ColumnsProof
from sqlverdict.compare.related.search import is_weak, order_word
from sqlverdict.compare.related.table import Keys, is_map
from sqlverdict.compare.related.table_pair import TablePair

Keyer = Callable[[ChangedColumn, Keys, Keys], tuple[Keys, Keys] | None]


def map_holds(detail: ColumnsProof, tables: TablePair, keyer: Keyer | None = None) -> bool:
    """Whether the map in ``detail`` makes the rows of both answers agree as bags.

    Args:
        detail: The proof.
        tables: The two answers.
        keyer: Turns a changed column pair into keys as its note says; ``None`` where the
            note does not describe what the columns hold.
    """
    gold, prediction = tables.gold, tables.prediction
    columns = detail["columns"]
    if gold.height != prediction.height or not is_map(columns, gold.width, prediction.width):
        return False
    used = {index for index in columns if index is not None}
    if list(detail.get("extra", [])) != [p for p in range(prediction.width) if p not in used]:
        return False
    if list(detail.get("missing", [])) != [g for g, p in enumerate(columns) if p is None]:
        return False
    changed = {entry["gold"]: entry for entry in detail.get("changed", [])}
    if bool(changed) != (keyer is not None):
        return False
    if any(columns[index] != entry["prediction"] for index, entry in changed.items()):
        return False
    lefts: list[Keys] = []
    rights: list[Keys] = []
    changed_keys: list[Keys] = []
    for index, other in enumerate(columns):
        if other is None:
            continue
        left: Keys = gold.columns[index].cells
        right: Keys = prediction.columns[other].cells
        if index in changed and keyer is not None:
            keys = keyer(changed[index], left, right)
            if keys is None:
                return False
            left, right = keys
            changed_keys.append(left)
        lefts.append(left)
        rights.append(right)
    if Counter(zip(*lefts, strict=True)) != Counter(zip(*rights, strict=True)):
        return False
    if detail["order"] != order_word(lefts, rights, tables.queries):
        return False
    weak = is_weak(gold, prediction, columns, list(changed.values()), changed_keys)
    return bool(detail.get("weak", False)) == weak
