"""The same rows in another order, where gold orders them.

Statement
    The bags are equal, and the rows do not stand in gold's order.

Holds when
    The outermost SELECT of the gold query has an ORDER BY, or the case's contract asks for order.

Proof
    ``first``, the first position (from 0) at which the rows differ, and both ``rows``.

Why
    Many gold queries order rows that the question does not want ordered. It matters where the
    question asks for an order, or where there is no question to read.

Limits
    Rows that tie under gold's ORDER BY may stand in any order; this relation looks at rows only
    and cannot tell a tie.
"""

from __future__ import annotations

from collections import Counter

from sqlverdict.compare.related.clauses import orders
from sqlverdict.compare.related.proofs import RelationProof
from sqlverdict.compare.related.table import plain_row
from sqlverdict.compare.related.table_pair import TablePair
from sqlverdict.compare.relation import (
    RELATIONS,
    AnswerPair,
    RelationContext,
    RelationKind,
)
from sqlverdict.evidence_parts import ExcerptCell
from sqlverdict.records import Relation

KIND = "order_only"


class OrderProof(RelationProof, total=False):
    """The proof; the section *Proof* above explains its fields."""

    first: int
    rows: list[list[ExcerptCell]]


@RELATIONS.member
class OrderOnly(RelationKind[OrderProof]):
    """Another order of rows."""

    kind = KIND
    rank = 20
    tag = "row_order"
    needs = ("first",)
    same_values = True
    trivial = True
    any_order = True
    harmless_when = "the rows stand in an order nobody asked for"
    joins = (
        AnswerPair(
            ((1,), (2,), (3,)),
            ((1,), (3,), (2,)),
            gold_sql="SELECT a FROM t ORDER BY a",
            question="What are their numbers?",
            harmless=True,
        ),
        AnswerPair(
            ((1,), (2,)),
            ((2,), (1,)),
            gold_sql="SELECT a FROM t ORDER BY a",
            question="List the numbers in ascending order.",
            harmless=False,
        ),
    )
    keeps_apart = (
        AnswerPair(
            ((1,), (2,)), ((2,), (1,)), gold_sql="SELECT a FROM t", because="gold does not order"
        ),
        AnswerPair(
            ((1,), (2,)),
            ((2,), (3,)),
            gold_sql="SELECT a FROM t ORDER BY a",
            because="the rows differ",
        ),
    )

    def find(self, tables: TablePair) -> Relation | None:
        """The relation, where the bags are equal and gold orders."""
        if not tables.same_bag or not orders(tables.queries):
            return None
        rows = zip(tables.gold.rows, tables.prediction.rows, strict=True)
        for index, (row, other) in enumerate(rows):
            if row != other:
                return Relation(KIND, {"first": index, "rows": [plain_row(row), plain_row(other)]})
        return None

    def holds(self, detail: OrderProof, tables: TablePair) -> bool:
        """Whether the bags are equal and the rows differ first where the proof says."""
        gold, prediction = tables.gold.rows, tables.prediction.rows
        if set(detail) != {"first", "rows"}:
            return False
        first = detail["first"]
        row, other = gold[first], prediction[first]
        return (
            orders(tables.queries)
            and row != other
            and list(gold[:first]) == list(prediction[:first])
            and [plain_row(row), plain_row(other)] == [list(each) for each in detail["rows"]]
            and Counter(gold) == Counter(prediction)
        )

    def words(self, detail: OrderProof) -> str:
        """From which row on the order differs."""
        return f"the same rows in another order, from row {detail['first'] + 1} on"

    def harmless(self, detail: OrderProof, context: RelationContext) -> bool:
        """Whether nobody asked for an order."""
        del detail
        return not context.order_matters
