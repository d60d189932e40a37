"""One row of n columns on one side, n rows of one column on the other.

Says: the same n cells, n at least 2, once side by side and once below each other.
Proof: ``row``, which side is the single row; ``cells``, how many; ``order``, whether they
stand in the same order.
Misleads: cells of a row usually mean different things, which a column hides.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from sqlverdict.compare.preset import QueryPair
from sqlverdict.compare.related.table import AnswerTable, weak
from sqlverdict.records import Cell, Relation

KIND = "transposed"


def find(gold: AnswerTable, prediction: AnswerTable) -> Relation | None:
    """The relation, where it holds."""
    if gold.height == prediction.width == 1 and 1 < gold.width == prediction.height:
        side, row, column = "gold", gold.rows[0], prediction.columns[0].cells
    elif prediction.height == gold.width == 1 and 1 < prediction.width == gold.height:
        side, row, column = "prediction", prediction.rows[0], gold.columns[0].cells
    else:
        return None
    if Counter(row) != Counter(column):
        return None
    return Relation(KIND, _detail(side, row, column))


def _detail(side: str, row: Sequence[Cell], column: Sequence[Cell]) -> dict[str, Any]:
    order = "same" if tuple(row) == tuple(column) else "other"
    detail: dict[str, Any] = {"row": side, "cells": len(row), "order": order}
    if weak([column]):
        detail["weak"] = True
    return detail


def holds(
    detail: Mapping[str, Any], gold: AnswerTable, prediction: AnswerTable, pair: QueryPair
) -> bool:
    """Whether the proof is one."""
    del pair
    if detail["row"] not in ("gold", "prediction"):
        return False
    lying, standing = (gold, prediction) if detail["row"] == "gold" else (prediction, gold)
    if lying.height != 1 or standing.width != 1 or standing.height < 2:
        return False
    row, column = lying.rows[0], [cells[0] for cells in standing.rows]
    return Counter(row) == Counter(column) and detail == _detail(detail["row"], row, column)
