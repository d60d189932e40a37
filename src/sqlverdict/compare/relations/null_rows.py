"""The same rows, but for rows that hold nothing but NULL.

Statement
    As bags and without rows of NULLs alone, the rows are equal, column by column; some are left.

Holds when
    One answer has rows of NULLs alone and the other has none. Where both have some, in different
    numbers, the difference is repetition: that is ``duplicates_only``.

Proof
    ``columns``, the prediction's column for each gold column; ``gold_rows`` and
    ``prediction_rows``, how many rows of NULLs either has; ``order``, ``same`` or ``other``.

Why
    Whether such a row matters depends on the question; a situation of its own leaves it to the
    policy. No condition calls it harmless.

Limits
    Such a row may be an answer of its own, as that of a group without a name.
"""

from __future__ import annotations

from collections import Counter

from sqlverdict.compare.related.proofs import RelationProof
from sqlverdict.compare.related.table import weak
from sqlverdict.compare.related.table_pair import TablePair
from sqlverdict.compare.relation import RELATIONS, AnswerPair, RelationKind
from sqlverdict.records import Relation

KIND = "null_rows"


class NullRowsProof(RelationProof, total=False):
    """The proof; the section *Proof* above explains its fields."""

    columns: list[int]
    gold_rows: int
    prediction_rows: int


@RELATIONS.member
class NullRows(RelationKind[NullRowsProof]):
    """Rows of NULLs alone."""

    kind = KIND
    rank = 30
    tag = "null_rows"
    needs = ("gold_rows", "prediction_rows")
    final = False
    joins = (
        AnswerPair(
            (("Ann", 31), ("Bob", None), (None, None)),
            (("Bob", None), ("Ann", 31)),
            harmless=False,
        ),
        AnswerPair((("Ann",), ("Bob",)), (("Ann",), (None,), ("Bob",), (None,)), harmless=False),
    )
    keeps_apart = (
        AnswerPair((("Ann", 31), ("Bob", None)), (("Ann", 31),), because="a row holds a name"),
        AnswerPair(((None,), (None,)), ((None,),), because="no row is left without them"),
        AnswerPair(
            (("Ann",), (None,)),
            (("Ann",), (None,), (None,)),
            because="both have such rows: one is repeated",
        ),
    )

    def find(self, tables: TablePair) -> Relation | None:
        """The relation, where it holds."""
        gold, prediction = tables.gold, tables.prediction
        if tables.same_height or not tables.same_width:
            return None
        blank = (None,) * gold.width
        nulls, other_nulls = gold.rows.count(blank), prediction.rows.count(blank)
        left = gold.height - nulls
        if not left or (nulls and other_nulls) or left != prediction.height - other_nulls:
            return None
        rows = [row for row in gold.rows if row != blank]
        others = [row for row in prediction.rows if row != blank]
        if Counter(rows) != Counter(others):
            return None
        detail: NullRowsProof = {
            "columns": list(range(gold.width)),
            "gold_rows": nulls,
            "prediction_rows": other_nulls,
            "order": "same" if rows == others else "other",
        }
        if weak(column.cells for column in gold.columns):
            detail["weak"] = True
        return Relation(KIND, detail)

    def holds(self, detail: NullRowsProof, tables: TablePair) -> bool:
        """Whether the proof is one; there is nothing to search."""
        relation = self.find(tables)
        return relation is not None and dict(detail) == dict(relation.detail)

    def words(self, detail: NullRowsProof) -> str:
        """How many rows of NULLs either side has."""
        return (
            f"the same rows, but for rows of NULLs alone: {detail['gold_rows']} in the gold, "
            f"{detail['prediction_rows']} in the prediction"
        )
