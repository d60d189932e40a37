"""The prediction has all of gold's rows, and more.

Statement
    As a bag, gold lies within the prediction under a map of columns.

Holds when
    Neither answer is empty, and leaving out repetitions does not make them equal (that is
    ``duplicates_only``).

Proof
    ``columns``, the prediction's column for each gold column; ``extra``, how many rows there are
    beyond gold's; ``examples``, up to three of them in gold's order of columns.

Why
    It always matters: rows that are no answer stand beside those that are. Rows that tie are the
    exception, and ``tie_superset`` finds them.

Limits
    A prediction that forgets a condition returns every answer: ``weak`` where gold is a row of
    common values.
"""

from __future__ import annotations

from sqlverdict.compare.related.contain import containment, containment_holds
from sqlverdict.compare.related.proofs import RowsProof, example
from sqlverdict.compare.related.table_pair import TablePair
from sqlverdict.compare.relation import RELATIONS, AnswerPair, RelationKind
from sqlverdict.records import Relation

KIND = "row_superset"


@RELATIONS.member
class RowSuperset(RelationKind[RowsProof]):
    """More rows than gold has."""

    kind = KIND
    rank = 90
    tag = "rows_extra"
    needs = ("extra",)
    final = False
    joins = (AnswerPair((("Bob", 44),), ((31, "Ann"), (44, "Bob"), (31, "Cyd")), harmless=False),)
    keeps_apart = (
        AnswerPair((("Bob", 44),), (("Ann", 44), ("Bob", 31)), because="no row is gold's"),
        AnswerPair(((5,), (5,)), ((5,), (6,), (7,)), because="a row of gold occurs twice"),
        AnswerPair(((5,), (6,)), ((5,), (6,), (6,)), because="only repetitions are added"),
    )

    def find(self, tables: TablePair) -> Relation | None:
        """The relation, where it holds."""
        columns = tables.contained_columns
        if columns is None or tables.gold.height >= tables.prediction.height:
            return None
        proof = containment(tables.gold, tables.prediction, columns, "extra")
        return Relation(KIND, {"columns": columns, **proof})

    def holds(self, detail: RowsProof, tables: TablePair) -> bool:
        """Whether gold lies within the prediction as the proof says."""
        columns = detail["columns"]
        return containment_holds(detail, tables.gold, tables.prediction, columns, "extra")

    def words(self, detail: RowsProof) -> str:
        """How many rows there are beyond gold's, and one of them."""
        return f"the gold's rows and {detail['extra']} more{example(detail)}"
