"""The prediction has all of gold's rows, and further ones with a zero.

Statement
    As bags the prediction has all of gold's rows, column by column, and further rows that hold 0 or
    NULL where all of gold's hold a number that is not 0.

Holds when
    There is such a column, and a column that says what each row is about. None of the further rows
    is about what gold already has.

Proof
    ``columns``, the prediction's column for each gold column; ``extra``, how many rows there are
    beyond gold's; ``zero``, the columns of the zeros, from 0; ``null``, whether one of them is
    NULL; ``order``, ``same`` or ``other``, of the rows that both have.

Why
    A LEFT JOIN for a JOIN also lists what has nothing. Who asks how many each one has may want to
    know of those that have none.

Limits
    Not where the question may ask for those that have some (``only``, ``with``, ``who`` ...), nor
    where a NULL stands for the number: it may be an id. Rows of one column have nothing that says
    what they are about; they are left to ``row_superset``, and a gold that has rows of zero to
    ``row_subset``.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from sqlverdict.compare.related.proofs import RelationProof
from sqlverdict.compare.related.table import NUMBERS, weak
from sqlverdict.compare.related.table_pair import TablePair
from sqlverdict.compare.relation import (
    RELATIONS,
    AnswerPair,
    RelationContext,
    RelationKind,
)
from sqlverdict.files.text import count
from sqlverdict.records import Relation, Row

KIND = "zero_rows"
_EACH = re.compile(r"\b(each|every|per)\b", re.IGNORECASE)
_SOME = re.compile(
    r"\b(only|at least|with|who|that|which|where|whose|having|existing|positive|more than|non)\b",
    re.IGNORECASE,
)
"""Words of a question that may ask for those that have some."""


class ZeroRowsProof(RelationProof, total=False):
    """The proof; the section *Proof* above explains its fields."""

    columns: list[int]
    extra: int
    zero: list[int]
    null: bool


@RELATIONS.member
class ZeroRows(RelationKind[ZeroRowsProof]):
    """Rows of zero that gold does not have."""

    kind = KIND
    rank = 75
    tag = "rows_extra"
    needs = ("extra",)
    harmless_when = "the question asks for each one, and for none of a kind"
    joins = (
        AnswerPair(
            (("Ann", 2), ("Bob", 3)),
            (("Ann", 2), ("Bob", 3), ("Cyd", 0)),
            question="How many boats does each person have?",
            harmless=True,
        ),
        AnswerPair(
            (("Ann", 2), ("Bob", 3)),
            (("Ann", 2), ("Bob", 3), ("Cyd", 0)),
            question="Who has boats, and how many?",
            harmless=False,
        ),
        AnswerPair(
            (("Ann", 2), ("Bob", 3)),
            (("Ann", 2), ("Bob", 3), ("Cyd", 0)),
            question="How many boats does each person who has some have?",
            harmless=False,
        ),
        AnswerPair(
            (("Ann", 2), ("Bob", 3)),
            (("Ann", 2), ("Bob", 3), ("Cyd", None)),
            question="Which number does each person have?",
            harmless=False,
        ),
        AnswerPair((("Ann", 2), ("Bob", 3)), (("Bob", 3), ("Cyd", None), ("Ann", 2))),
    )
    keeps_apart = (
        AnswerPair((("Ann", 2),), (("Ann", 2), ("Cyd", 1)), because="the number is not 0"),
        AnswerPair(((2,), (3,)), ((2,), (3,), (0,)), because="nothing says whose 0 it is"),
        AnswerPair(
            (("Ann", 2), ("Eve", 0)),
            (("Ann", 2), ("Eve", 0), ("Cyd", 0)),
            because="the other answer has a zero too",
        ),
        AnswerPair((("Ann", 2),), (("Ann", 2), ("Ann", 0)), because="Ann has a number already"),
        AnswerPair((("Ann", 2),), (("Bob", 2), ("Cyd", 0)), because="a row is missing"),
        AnswerPair((("Ann", 2), ("Cyd", 0)), (("Ann", 2),), because="it is gold that has the zero"),
    )

    def find(self, tables: TablePair) -> Relation | None:
        """The relation, where it holds."""
        gold, prediction = tables.gold, tables.prediction
        if gold.height >= prediction.height or not tables.same_width or gold.width < 2:
            return None
        bag = Counter(prediction.rows)
        bag.subtract(gold.rows)
        if min(bag.values()) < 0:
            return None
        further = list(bag.elements())
        zero = _zero_columns(gold.rows, further)
        about = [n for n in range(gold.width) if n not in zero]
        if not zero or not about or not _are_new(gold.rows, further, about):
            return None
        new = set(further)
        both = [row for row in prediction.rows if row not in new]
        detail: ZeroRowsProof = {
            "columns": list(range(gold.width)),
            "extra": len(further),
            "zero": zero,
            "null": any(row[n] is None for row in further for n in zero),
            "order": "same" if both == list(gold.rows) else "other",
        }
        if weak(column.cells for column in gold.columns):
            detail["weak"] = True
        return Relation(KIND, detail)

    def holds(self, detail: ZeroRowsProof, tables: TablePair) -> bool:
        """Whether the proof is one; there is nothing to search."""
        relation = self.find(tables)
        return relation is not None and dict(detail) == dict(relation.detail)

    def words(self, detail: ZeroRowsProof) -> str:
        """How many rows there are beyond gold's."""
        more = count(detail["extra"], "more row")
        return f"the gold's rows and {more} with a 0 or NULL for the number"

    def harmless(self, detail: ZeroRowsProof, context: RelationContext) -> bool:
        """Whether the question asks for each one, and not for those that have some."""
        each = context.mentions(_EACH) and not context.mentions(_SOME)
        return each and detail.get("null") is False and context.allows_order(detail)


def _zero_columns(gold: Sequence[Row], further: Sequence[Row]) -> list[int]:
    """The columns that hold nothing in the further rows, and numbers other than 0 in gold's."""
    return [
        n
        for n in range(len(gold[0]))
        if all(row[n] is None or (type(row[n]) in NUMBERS and row[n] == 0) for row in further)
        and all(type(row[n]) in NUMBERS and row[n] != 0 for row in gold)
    ]


def _are_new(gold: Sequence[Row], further: Sequence[Row], about: Sequence[int]) -> bool:
    """Whether the further rows are about other things than gold's rows."""
    known = {tuple(row[n] for n in about) for row in gold}
    subjects = [tuple(row[n] for n in about) for row in further]
    return all(
        subject not in known and any(cell is not None for cell in subject) for subject in subjects
    )
