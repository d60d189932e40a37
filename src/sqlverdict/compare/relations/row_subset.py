"""The prediction lacks some of gold's rows and has no others.

Statement
    As a bag, the prediction lies within gold under a map of columns.

Holds when
    Neither answer is empty, and leaving out repetitions does not make them equal (that is
    ``duplicates_only``).

Proof
    ``columns``, the prediction's column for each gold column; ``missing``, how many rows lack;
    ``examples``, up to three of them in gold's order of columns.

Why
    It always matters: part of the answer is not there. Rows that tie are the exception, and
    ``tie_superset`` finds them.

Limits
    A few rows of common values lie within many answers: ``weak``.
"""

from __future__ import annotations

from sqlverdict.compare.related.contain import containment, containment_holds, inverse
from sqlverdict.compare.related.proofs import RowsProof, example
from sqlverdict.compare.related.table_pair import TablePair
from sqlverdict.compare.relation import RELATIONS, AnswerPair, RelationKind
from sqlverdict.files.text import count
from sqlverdict.records import Relation

KIND = "row_subset"


@RELATIONS.member
class RowSubset(RelationKind[RowsProof]):
    """Fewer rows than gold has."""

    kind = KIND
    rank = 80
    tag = "rows_missing"
    needs = ("missing",)
    final = False
    joins = (
        AnswerPair(
            (("Ann", 31, 1.5), ("Bob", 44, 2.5), ("Cyd", 31, 4.0)),
            ((44, "Bob", 2.5),),
            harmless=False,
        ),
    )
    keeps_apart = (
        AnswerPair((("Ann", 31), ("Bob", 44)), (("Ann", 44),), because="its row is not gold's"),
        AnswerPair(
            (("a",), ("b",), ("c",)), (("a",), ("a",)), because="gold has the row only once"
        ),
        AnswerPair((("a",), ("b",), ("b",)), (("a",), ("b",)), because="only repetitions lack"),
    )

    def find(self, tables: TablePair) -> Relation | None:
        """The relation, where it holds."""
        columns = tables.contained_columns
        if columns is None or tables.prediction.height >= tables.gold.height:
            return None
        proof = containment(tables.prediction, tables.gold, inverse(columns), "missing")
        return Relation(KIND, {"columns": columns, **_in_order(proof, columns)})

    def holds(self, detail: RowsProof, tables: TablePair) -> bool:
        """Whether the prediction lies within gold as the proof says."""
        columns = list(detail["columns"])
        if sorted(columns) != list(range(tables.gold.width)):
            return False
        others = inverse(columns)
        claim = _in_order(detail, others)
        return containment_holds(claim, tables.prediction, tables.gold, others, "missing")

    def words(self, detail: RowsProof) -> str:
        """How many rows are missing, and one of them."""
        missing = count(detail["missing"], "of the gold's rows is", "of the gold's rows are")
        return f"{missing} missing{example(detail)}"


def _in_order(detail: RowsProof, columns: list[int]) -> RowsProof:
    """The detail with the columns of its examples in another order."""
    examples = [[row[index] for index in columns] for row in detail["examples"]]
    return {**detail, "examples": examples}
