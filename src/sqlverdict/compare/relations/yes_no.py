"""Yes and no in words on one side, as 1 and 0, other words, or a count on the other.

Says: as bags, the rows are equal under a map of columns once the changed columns are read
as truth values: yes, true, y, t and 1 are true; no, false, n, f and 0 are false; of counts,
all but 0 are true.
Proof: ``columns``, ``extra`` or ``missing``, ``order``; ``changed``, for each changed
column ``gold_form`` and ``prediction_form``: ``words``, ``bits`` or ``count``.
Misleads: one truth value agrees with every second guess: ``weak``.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

from sqlverdict.compare.preset import QueryPair
from sqlverdict.compare.related.check import map_holds
from sqlverdict.compare.related.search import ColumnLink, find_map, map_detail
from sqlverdict.compare.related.table import AnswerColumn, AnswerTable, Keys, same_bag
from sqlverdict.records import Cell, Relation

KIND = "yes_no"
WORDS = {"yes": 1, "true": 1, "y": 1, "t": 1, "no": 0, "false": 0, "n": 0, "f": 0}
BITS: Mapping[Cell, int] = {1: 1, 0: 0, "1": 1, "0": 0}


def find(gold: AnswerTable, prediction: AnswerTable, pair: QueryPair) -> Relation | None:
    """The relation, where it holds and the answers are not equal as they are."""
    if str not in gold.kinds and str not in prediction.kinds:
        return None
    joints = find_map(gold, prediction, link)
    if joints is None:
        return None
    return Relation(KIND, map_detail(gold, prediction, joints, pair))


def link(gold: AnswerColumn, prediction: AnswerColumn) -> ColumnLink | None:
    """Keys under which two columns agree as truth values."""
    form, other_form = _form(gold), _form(prediction)
    if form is None or other_form is None or "words" not in (form, other_form):
        return None
    left, right = truths(form, gold.cells), truths(other_form, prediction.cells)
    if left is None or right is None or not same_bag(left, right):
        return None
    if form == other_form and _folded(gold.cells) == _folded(prediction.cells):
        # Only the letters' case differs: that is a format, and nothing was interpreted.
        return None
    return ColumnLink(left, right, {"gold_form": form, "prediction_form": other_form})


def _form(column: AnswerColumn) -> str | None:
    notes = column.notes
    if KIND not in notes:
        forms = ("words", "bits", "count")
        notes[KIND] = next((f for f in forms if truths(f, column.cells) is not None), None)
    found: str | None = notes[KIND]
    return found


def truths(form: str, cells: Keys) -> list[int | None] | None:
    """The column as 1, 0 and NULL; ``None`` where it does not have that form."""
    found: list[int | None] = []
    for cell in cells:
        if cell is None:
            found.append(None)
        elif form == "words" and isinstance(cell, str) and cell.strip().lower() in WORDS:
            found.append(WORDS[cell.strip().lower()])
        elif form == "bits" and cell in BITS:
            found.append(BITS[cell])
        elif form == "count" and type(cell) is int and cell >= 0:
            found.append(int(cell > 0))
        else:
            return None
    return found if any(truth is not None for truth in found) else None


def _folded(cells: Keys) -> Counter[str | None]:
    return Counter(cell if cell is None else cell.strip().lower() for cell in cells)


def holds(
    detail: Mapping[str, Any], gold: AnswerTable, prediction: AnswerTable, pair: QueryPair
) -> bool:
    """Whether the proof is one."""
    return map_holds(detail, gold, prediction, pair, _keys)


def _keys(entry: Mapping[str, Any], left: Keys, right: Keys) -> tuple[Keys, Keys] | None:
    forms = (entry["gold_form"], entry["prediction_form"])
    keys, other_keys = truths(forms[0], left), truths(forms[1], right)
    if "words" not in forms or keys is None or other_keys is None:
        return None
    return keys, other_keys
