"""The prediction has all of gold's columns, and more.

Statement
    As bags, the rows are equal once some of the prediction's columns are dropped.

Holds when
    Both answers have equally many rows, and every gold column has a column of its own in the
    prediction.

Proof
    ``columns``, the prediction's column for each gold column; ``extra``, the columns that are
    dropped; ``order``.

Why
    A few columns beyond those asked for do not hide the answer. Many do, and so does a second
    number beside a number; the conditions that all relations share see to both.

Limits
    A prediction that returns whole rows contains many answers. Gold's rows may be so plain that
    some column matches by chance (``weak``).
"""

from __future__ import annotations

from sqlverdict.compare.related.check import map_holds
from sqlverdict.compare.related.proofs import ColumnsProof, positions
from sqlverdict.compare.related.table_pair import TablePair, map_relation
from sqlverdict.compare.relation import (
    RELATIONS,
    AnswerPair,
    RelationContext,
    RelationKind,
)
from sqlverdict.files.text import count
from sqlverdict.records import Relation

KIND = "extra_columns"


@RELATIONS.member
class ExtraColumns(RelationKind[ColumnsProof]):
    """More columns than gold has."""

    kind = KIND
    rank = 60
    tag = "extra_columns"
    needs = ("extra",)
    same_values = True
    harmless_when = "there are a few columns beyond those of the gold"
    joins = (
        AnswerPair((("Ann", 31), ("Bob", 44)), ((9, 31, "Ann"), (9, 44, "Bob")), harmless=True),
        AnswerPair(
            (("Ann",), ("Bob",)),
            (("Bob", 44), ("Ann", 31)),
            gold_sql="SELECT name FROM t ORDER BY age",
            question="List the names in ascending order of age.",
            harmless=False,
        ),
        AnswerPair((("Ann",),), (("Ann", 1, 2),), harmless=False),
    )
    keeps_apart = (
        AnswerPair(
            (("Ann", 31), ("Bob", 44)),
            (("Ann", 44, 0), ("Bob", 31, 0)),
            because="the cells of a row are torn apart",
        ),
        AnswerPair((("Ann", 31),), (("Ann", 32, 0),), because="a value differs"),
    )

    def find(self, tables: TablePair) -> Relation | None:
        """The relation, where it holds."""
        wider = tables.prediction.width > tables.gold.width
        return map_relation(KIND, tables) if wider else None

    def holds(self, detail: ColumnsProof, tables: TablePair) -> bool:
        """Whether the map makes the rows agree."""
        return tables.prediction.width > tables.gold.width and map_holds(detail, tables)

    def words(self, detail: ColumnsProof) -> str:
        """How many further columns, and which."""
        more = count(len(detail["extra"]), "more column")
        return f"the same rows; the prediction has {more}: number {positions(detail['extra'])}"

    def harmless(self, detail: ColumnsProof, context: RelationContext) -> bool:
        """Whether the rows are in order."""
        return context.allows_order(detail)
