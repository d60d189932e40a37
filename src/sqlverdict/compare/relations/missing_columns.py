"""The prediction has only some of gold's columns.

Statement
    As bags, the rows are equal once some of gold's columns are dropped.

Holds when
    Both answers have equally many rows, and every column of the prediction has a gold column of
    its own.

Proof
    ``columns``, the prediction's column for each gold column or null; ``missing``, the gold
    columns that nothing stands for; ``order``.

Why
    An answer with less in it is rarely a formality. But golds return columns that nobody asked
    for, such as the count by which they sort: without these the answer is whole.

Limits
    The prediction's rows may be so plain that they match by chance (``weak``). Whether a question
    names a column is read off names alone: "who" asks for a name and does not say so.
"""

from __future__ import annotations

from sqlverdict.compare.related.check import map_holds
from sqlverdict.compare.related.proofs import ColumnsProof, positions
from sqlverdict.compare.related.question_columns import names_columns
from sqlverdict.compare.related.table_pair import TablePair, map_relation
from sqlverdict.compare.relation import (
    RELATIONS,
    AnswerPair,
    RelationContext,
    RelationKind,
)
from sqlverdict.files.text import count
from sqlverdict.records import Relation

KIND = "missing_columns"


@RELATIONS.member
class MissingColumns(RelationKind[ColumnsProof]):
    """Fewer columns than gold has."""

    kind = KIND
    rank = 70
    tag = "missing_columns"
    needs = ("missing",)
    same_values = True
    fewer_columns = True
    harmless_when = "the question names none of the columns that are missing"
    joins = (
        AnswerPair(
            (("Ann", 31, 1.5), ("Bob", 44, 2.5)), ((31, "Ann"), (44, "Bob")), harmless=False
        ),
        AnswerPair(
            (("Ann", 31), ("Bob", 44)),
            (("Ann",), ("Bob",)),
            gold_sql="SELECT name, age FROM t",
            question="Who lives in Rome?",
            harmless=True,
        ),
        AnswerPair(
            (("Ann", 31), ("Bob", 44)),
            (("Ann",), ("Bob",)),
            gold_sql="SELECT name, age FROM t",
            question="List names and ages.",
            harmless=False,
        ),
    )
    keeps_apart = (
        AnswerPair(
            (("Ann", 31), ("Bob", 44)), ((31,), (45,)), because="a value of the prediction differs"
        ),
    )

    def find(self, tables: TablePair) -> Relation | None:
        """The relation, where it holds."""
        narrower = tables.prediction.width < tables.gold.width
        return map_relation(KIND, tables) if narrower else None

    def holds(self, detail: ColumnsProof, tables: TablePair) -> bool:
        """Whether the map makes the rows agree."""
        return tables.prediction.width < tables.gold.width and map_holds(detail, tables)

    def words(self, detail: ColumnsProof) -> str:
        """How many columns are missing, and which."""
        lacks = count(len(detail["missing"]), "column")
        return (
            f"the same rows; the prediction lacks {lacks} of the gold: number "
            f"{positions(detail['missing'])}"
        )

    def harmless(self, detail: ColumnsProof, context: RelationContext) -> bool:
        """Whether nobody asked for what is missing, and the rows are in order."""
        missing = detail.get("missing")
        if not missing or not context.allows_order(detail):
            return False
        return not names_columns(context.case, missing)
