"""The same rows with the columns in another order.

Statement
    As bags, the rows are equal once the prediction's columns are put in gold's order.

Holds when
    Both answers have equally many rows and columns, and the columns as they stand do not fit.

Proof
    ``columns``, the prediction's column for each gold column; ``order``.

Why
    Public benchmarks do not compare the order of columns, and few questions ask for one. It
    matters where the question asks for an order of rows and the rows stand in another, and where
    the proof is weak: two numbers of one row may be a chance match.

Limits
    Two columns that could be taken for each other (wins and losses) matter where the question
    says which comes first.
"""

from __future__ import annotations

from sqlverdict.compare.related.check import map_holds
from sqlverdict.compare.related.proofs import ColumnsProof, positions
from sqlverdict.compare.related.search import ColumnLink, ColumnPairLink, map_detail
from sqlverdict.compare.related.table_pair import TablePair
from sqlverdict.compare.relation import (
    RELATIONS,
    AnswerPair,
    RelationContext,
    RelationKind,
)
from sqlverdict.records import Relation

KIND = "column_permutation"


@RELATIONS.member
class ColumnPermutation(RelationKind[ColumnsProof]):
    """Another order of columns."""

    kind = KIND
    rank = 10
    tag = "column_order"
    needs = ("columns",)
    same_values = True
    trivial = True
    harmless_when = "the columns stand in another order"
    joins = (
        AnswerPair(
            (("Ann", 31, 1.5), ("Bob", 44, 2.5)),
            ((1.5, "Ann", 31), (2.5, "Bob", 44)),
            harmless=True,
        ),
        AnswerPair(
            (("Ann", 31), ("Bob", 44)),
            ((44, "Bob"), (31, "Ann")),
            gold_sql="SELECT name, age FROM t ORDER BY age",
            question="List names and ages in ascending order of age.",
            harmless=False,
        ),
    )
    keeps_apart = (
        AnswerPair(((1, 2), (3, 4)), ((2, 3), (4, 1)), because="the cells of a row are torn apart"),
        AnswerPair(((1, 2),), ((1, 2),), because="the answers are equal as they stand"),
    )

    def find(self, tables: TablePair) -> Relation | None:
        """The relation, where the order that makes the bags equal is not gold's own."""
        columns = tables.column_order
        if columns is None or tables.same_bag:
            return None
        gold, prediction = tables.gold, tables.prediction
        links = [
            ColumnPairLink(g, p, ColumnLink(gold.columns[g].cells, prediction.columns[p].cells, {}))
            for g, p in enumerate(columns)
        ]
        return Relation(KIND, map_detail(gold, prediction, links, tables.queries))

    def holds(self, detail: ColumnsProof, tables: TablePair) -> bool:
        """Whether the map is another than gold's own and makes the bags equal."""
        identity = list(range(tables.gold.width))
        if not tables.same_width or list(detail["columns"]) == identity:
            return False
        return map_holds(detail, tables)

    def words(self, detail: ColumnsProof) -> str:
        """Which columns stand for gold's."""
        columns = positions(detail["columns"])
        return f"the same rows; the gold's columns are the prediction's columns {columns}"

    def harmless(self, detail: ColumnsProof, context: RelationContext) -> bool:
        """Whether the rows are in order; unlike other trivial ones, it may be chance."""
        return not detail.get("weak") and context.allows_order(detail)
