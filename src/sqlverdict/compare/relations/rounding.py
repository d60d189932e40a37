"""The same numbers, but some are rounded on one side.

Statement
    As bags, the rows are equal under a map of columns once the numbers of the changed columns are
    rounded to ``digits`` decimals; one side is the rounded form of the other.

Holds when
    Both columns hold numbers alone, one of them floats, none beyond what floats hold exactly.

Proof
    ``columns``, ``extra`` or ``missing``, ``order``; ``changed``, for each changed column
    ``rounded`` (which side is the rounded one) and ``digits``. With ``rounded`` = ``both`` the
    two sides differ in the last digits of floats only (1e-9, relative), and ``digits`` is null.

Why
    Few questions say how many decimals they want. It matters where the question does.

Limits
    A whole number is near to many others; 3 and 2.7 are a ``weak`` case. Cutting digits off
    (integer division) is not rounding and is not found.
"""

from __future__ import annotations

import re

from sqlverdict.compare.related.check import map_holds
from sqlverdict.compare.related.numbers import (
    check_rounding,
    near_keys,
    number_extent,
    rounded_link,
)
from sqlverdict.compare.related.proofs import ChangedColumn, ColumnsProof
from sqlverdict.compare.related.search import ColumnLink
from sqlverdict.compare.related.table import AnswerColumn, Keys, same_bag
from sqlverdict.compare.related.table_pair import TablePair, map_relation
from sqlverdict.compare.relation import (
    RELATIONS,
    AnswerPair,
    RelationContext,
    RelationKind,
)
from sqlverdict.records import Relation

KIND = "rounding"
_DECIMALS = re.compile(r"\b(decimals?|decimal places?|rounded|round)\b", re.IGNORECASE)
_HALF_UNIT = 0.51
"""How far rounding to whole numbers moves the least and the greatest number, with a margin."""


@RELATIONS.member
class Rounding(RelationKind[ColumnsProof]):
    """Rounded numbers."""

    kind = KIND
    rank = 100
    tag = "representation"
    needs = ("rounded", "digits")
    same_values = True
    cheap = False
    harmless_when = (
        "numbers are rounded, or differ in their last digits, and no decimals are asked for"
    )
    joins = (
        AnswerPair(((12.3456, "Ann"),), ((12.35, "Ann"),), harmless=True),
        AnswerPair(
            ((12.3456,),),
            ((12.3,),),
            question="What is the average, rounded to two decimals?",
            harmless=False,
        ),
        AnswerPair(((0.1 + 0.2,), (None,)), ((None,), (0.3,)), harmless=True),
    )
    keeps_apart = (
        AnswerPair(((12.3456,),), ((12.34,),), because="digits are cut off, not rounded"),
        AnswerPair(((12.3456,),), ((12.4,),), because="the number is rounded wrongly"),
        AnswerPair(((12,),), ((13,),), because="whole numbers are not rounded"),
    )

    def find(self, tables: TablePair) -> Relation | None:
        """The relation, where it holds and the answers are not equal as they are."""
        if float not in tables.gold.kinds and float not in tables.prediction.kinds:
            return None
        return map_relation(KIND, tables, _link)

    def holds(self, detail: ColumnsProof, tables: TablePair) -> bool:
        """Whether the rows agree once the changed columns are rounded."""
        return map_holds(detail, tables, _keys)

    def words(self, detail: ColumnsProof) -> str:
        """To how many decimals, and on which side."""
        change = detail["changed"][0]
        if change["rounded"] == "both":
            return "the same numbers up to noise in their last digits"
        side = change["rounded"]
        return f"the same numbers, rounded to {change['digits']} decimals in the {side}"

    def harmless(self, detail: ColumnsProof, context: RelationContext) -> bool:
        """Whether the rows are in order and no decimals are asked for."""
        return context.allows_order(detail) and not context.mentions(_DECIMALS)


def _link(gold: AnswerColumn, prediction: AnswerColumn) -> ColumnLink | None:
    """Keys under which two number columns agree after rounding one of them."""
    if not gold.numeric or not prediction.numeric:
        return None
    if float not in gold.kinds and float not in prediction.kinds:
        return None
    bounds, other_bounds = number_extent(gold), number_extent(prediction)
    if bounds is None or other_bounds is None or bounds[2] != other_bounds[2]:
        return None
    least, greatest = abs(bounds[0] - other_bounds[0]), abs(bounds[1] - other_bounds[1])
    if least > _HALF_UNIT or greatest > _HALF_UNIT:
        return None
    for side, coarse, fine in (
        ("gold", gold.cells, prediction.cells),
        ("prediction", prediction.cells, gold.cells),
    ):
        link = rounded_link(side, coarse, fine)
        if link is not None:
            return link
    left, right = near_keys(gold.cells, prediction.cells)
    if same_bag(left, right):
        return ColumnLink(left, right, {"rounded": "both", "digits": None})
    return None


def _keys(entry: ChangedColumn, left: Keys, right: Keys) -> tuple[Keys, Keys] | None:
    return check_rounding(entry["rounded"], entry["digits"], left, right)
