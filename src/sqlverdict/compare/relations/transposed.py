"""One row of n columns on one side, n rows of one column on the other.

Statement
    The same n cells, n at least 2, once side by side and once below each other.

Holds when
    One answer is a single row, the other a single column of as many cells.

Proof
    ``row``, which side is the single row; ``cells``, how many; ``order``, whether they stand in
    the same order.

Why
    A list reads the same both ways. The cells of a gold row mean different things, so their order
    counts; those of a gold column may stand in any order that the question allows.

Limits
    Cells of a row usually mean different things, which a column hides.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from sqlverdict.compare.related.proofs import RelationProof
from sqlverdict.compare.related.table import weak
from sqlverdict.compare.related.table_pair import TablePair
from sqlverdict.compare.relation import (
    RELATIONS,
    AnswerPair,
    RelationContext,
    RelationKind,
)
from sqlverdict.records import Cell, Relation

KIND = "transposed"


class TransposedProof(RelationProof, total=False):
    """The proof; the section *Proof* above explains its fields."""

    row: str
    cells: int


@RELATIONS.member
class Transposed(RelationKind[TransposedProof]):
    """A row for a column, or the reverse."""

    kind = KIND
    rank = 160
    tag = "arrangement"
    needs = ("row", "cells")
    same_values = True
    final = False
    any_order = True
    harmless_when = "a row is written as a column in the same order, or the reverse"
    joins = (
        AnswerPair(((12, 34, 56),), ((12,), (34,), (56,)), harmless=True),
        AnswerPair(((12, 34, 56),), ((56,), (34,), (12,)), harmless=False),
        AnswerPair(((12,), (34,)), ((34, 12),), question="What are their numbers?", harmless=True),
    )
    keeps_apart = (
        AnswerPair(((12, 34),), ((12,), (35,)), because="a cell differs"),
        AnswerPair(((12, 34),), ((12,), (34,), (34,)), because="a cell occurs twice"),
    )

    def find(self, tables: TablePair) -> Relation | None:
        """The relation, where it holds."""
        gold, prediction = tables.gold, tables.prediction
        if gold.height == prediction.width == 1 and 1 < gold.width == prediction.height:
            side, row, column = "gold", gold.rows[0], prediction.columns[0].cells
        elif prediction.height == gold.width == 1 and 1 < prediction.width == gold.height:
            side, row, column = "prediction", prediction.rows[0], gold.columns[0].cells
        else:
            return None
        if Counter(row) != Counter(column):
            return None
        return Relation(KIND, _detail(side, row, column))

    def holds(self, detail: TransposedProof, tables: TablePair) -> bool:
        """Whether the cells are the same and their order is what the proof says."""
        if detail["row"] not in ("gold", "prediction"):
            return False
        lying, standing = tables.gold, tables.prediction
        if detail["row"] == "prediction":
            lying, standing = standing, lying
        if lying.height != 1 or standing.width != 1 or standing.height < 2:
            return False
        row, column = lying.rows[0], [cells[0] for cells in standing.rows]
        return Counter(row) == Counter(column) and detail == _detail(detail["row"], row, column)

    def words(self, detail: TransposedProof) -> str:
        """Which side is the row."""
        return (
            f"{detail['cells']} cells side by side in the {detail['row']}, below each other in "
            "the other"
        )

    def harmless(self, detail: TransposedProof, context: RelationContext) -> bool:
        """Whether the order is the same, or does not count."""
        # The cells of a gold row mean different things; those of a column are told apart by order.
        free = detail.get("row") == "prediction" and not context.order_matters
        return free or detail.get("order") == "same"


def _detail(side: str, row: Sequence[Cell], column: Sequence[Cell]) -> TransposedProof:
    order = "same" if tuple(row) == tuple(column) else "other"
    detail: TransposedProof = {"row": side, "cells": len(row), "order": order}
    if weak([column]):
        detail["weak"] = True
    return detail
