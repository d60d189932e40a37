"""One number on one side, and on the other the list it is computed from.

Says: one answer is a single number, the other a single column of at least two rows, and
the number is the list's sum, average, count, greatest or least value.
Proof: ``list``, which side is the list; ``function``, the first of sum, avg, count, max
and min that fits; ``value``, the number; ``rows``, the length of the list. NULLs are left
out as SQL does; a count may also count them.
Misleads: a small count or a greatest value can be chance: ``weak`` for a number of one
digit or a list of one value.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import fsum, isclose
from typing import Any

from sqlverdict.compare.preset import QueryPair
from sqlverdict.compare.related.numbers import LARGEST
from sqlverdict.compare.related.table import NUMBERS, AnswerTable, plain, tiny, weak
from sqlverdict.records import Cell, Relation

KIND = "sum_of_list"
FUNCTIONS = ("sum", "avg", "count", "max", "min")


def find(gold: AnswerTable, prediction: AnswerTable) -> Relation | None:
    """The relation, where it holds."""
    if gold.width != 1 or prediction.width != 1:
        return None
    side, rows, single = (
        ("gold", gold, prediction) if prediction.height == 1 else ("prediction", prediction, gold)
    )
    value = single.rows[0][0]
    if single.height != 1 or rows.height < 2 or type(value) not in NUMBERS:
        return None
    function = _function(rows.columns[0].cells, value)
    if function is None:
        return None
    detail: dict[str, Any] = {
        "list": side,
        "function": function,
        "value": plain(value),
        "rows": rows.height,
    }
    if tiny(value) or weak([rows.columns[0].cells]):
        detail["weak"] = True
    return Relation(KIND, detail)


def _function(cells: Sequence[Cell], value: Any) -> str | None:
    # Only numbers can be added; a count goes with everything.
    numbers: list[Any] = [cell for cell in cells if type(cell) in NUMBERS]
    filled = sum(cell is not None for cell in cells)
    if len(numbers) == filled > 0 and all(-LARGEST < n < LARGEST for n in numbers):
        total = fsum(numbers)
        if isclose(total, value, rel_tol=1e-9, abs_tol=1e-12):
            return "sum"
        if isclose(total / len(numbers), value, rel_tol=1e-9, abs_tol=1e-12):
            return "avg"
    if value in (len(cells), filled):
        return "count"
    if len(numbers) == filled > 0:
        if value == max(numbers):
            return "max"
        if value == min(numbers):
            return "min"
    return None


def holds(
    detail: Mapping[str, Any], gold: AnswerTable, prediction: AnswerTable, pair: QueryPair
) -> bool:
    """Whether the proof is one."""
    del pair
    if detail["list"] not in ("gold", "prediction") or detail["function"] not in FUNCTIONS:
        return False
    rows, single = (gold, prediction) if detail["list"] == "gold" else (prediction, gold)
    if (single.height, single.width, rows.width) != (1, 1, 1) or rows.height < 2:
        return False
    value: Any = single.rows[0][0]
    cells: list[Any] = [row[0] for row in rows.rows if row[0] is not None]
    if detail["value"] != plain(value) or detail["rows"] != rows.height:
        return False
    expected_weak = tiny(value) or len({row[0] for row in rows.rows}) < 2
    if bool(detail.get("weak", False)) != expected_weak:
        return False
    if detail["function"] == "count":
        return value in (len(cells), rows.height)
    results = {
        "sum": lambda: sum(cells),
        "avg": lambda: sum(cells) / len(cells),
        "max": lambda: max(cells),
        "min": lambda: min(cells),
    }
    spread = sum(abs(cell) for cell in cells)
    return isclose(
        results[detail["function"]](), value, rel_tol=1e-9, abs_tol=1e-12 + 1e-12 * spread
    )
