"""The same numbers in another unit: a constant factor on some columns.

Statement
    As bags, the rows are equal under a map of columns once gold's numbers in the changed columns
    are multiplied by ``factor`` (100: a percentage for a share; 1000; 60; and their inverses).

Holds when
    Both columns hold numbers alone. A side that is rounded as well needs three significant digits
    to show a factor.

Proof
    ``columns``, ``extra`` or ``missing``, ``order``; ``changed``, for each changed column
    ``factor``, and where one side is rounded as well ``rounded`` (which side) and ``digits``.

Why
    A share and a percentage say the same. A gold that multiplies by 100 has percentages; one that
    divides, without any 100, has shares; of another, such as a stored rate, only the question
    says that it is one of the two. The wrong way gives neither.

Limits
    A single round number (1 and 100) may be a coincidence: ``weak``.
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
from sqlverdict.compare.related.table import NUMBERS, AnswerColumn, Keys, same_bag
from sqlverdict.compare.related.table_pair import TablePair, map_relation
from sqlverdict.compare.relation import (
    RELATIONS,
    AnswerPair,
    RelationContext,
    RelationKind,
)
from sqlverdict.parse.tokens import solid
from sqlverdict.records import Relation

KIND = "scale"
FACTORS = (100, 1 / 100, 1000, 1 / 1000, 60, 1 / 60)
THREE_DIGITS = 100
"""A rounded number needs three significant digits to show a factor."""
_PERCENT = re.compile(
    r"%|\b(per ?cent|percents|percentages?|proportions?|ratios?|rates?|shares?|fractions?)\b",
    re.IGNORECASE,
)
_WHOLE = re.compile(r"100|0?\.01")
"""What a gold may have a percentage by without multiplying by 100: ``x / 0.01``, ``THEN 100``."""
_HUNDRED = re.compile(r"100(?:\.0*)?\Z")


@RELATIONS.member
class ScaleRelation(RelationKind[ColumnsProof]):
    """A constant factor."""

    kind = KIND
    rank = 110
    tag = "representation"
    needs = ("factor",)
    same_values = True
    cheap = False
    harmless_when = (
        "a percentage for a share, or the reverse, where the question or the gold has one"
    )
    joins = (
        AnswerPair(
            (("Ann", 0.315), ("Bob", 0.44)),
            ((31.5, "Ann"), (44, "Bob")),
            question="What percentage of them is old?",
            harmless=True,
        ),
        AnswerPair(((0.315,),), ((31.5,),), question="How many are there?", harmless=False),
        AnswerPair(
            ((31.5,),),
            ((3150,),),
            gold_sql="SELECT a * 100.0 / b FROM t",
            question="What percentage of them is old?",
            harmless=False,
        ),
        AnswerPair(((2.5,),), ((150,),), question="How many minutes?", harmless=False),
    )
    keeps_apart = (
        AnswerPair(((0.315,),), ((3.15,),), because="ten is no usual factor"),
        AnswerPair(((12,), (34,)), ((1200,), (34,)), because="one number is not multiplied"),
        AnswerPair((("12",),), ((1200,),), because="a text is no number"),
    )

    def find(self, tables: TablePair) -> Relation | None:
        """The relation, where it holds and the answers are not equal as they are."""
        if tables.gold.kinds.isdisjoint(NUMBERS) or tables.prediction.kinds.isdisjoint(NUMBERS):
            return None
        return map_relation(KIND, tables, _link)

    def holds(self, detail: ColumnsProof, tables: TablePair) -> bool:
        """Whether the rows agree once the changed columns are multiplied."""
        return map_holds(detail, tables, _keys)

    def words(self, detail: ColumnsProof) -> str:
        """The factor."""
        return f"the same numbers, the gold's times {detail['changed'][0]['factor']:g}"

    def harmless(self, detail: ColumnsProof, context: RelationContext) -> bool:
        """Whether a share stands for a percentage, or the reverse."""
        changed = detail.get("changed") or ()
        factors = {change.get("factor") for change in changed} - {None}
        if not factors or not factors <= {100, 1 / 100} or not context.allows_order(detail):
            return False
        return any(factors <= _harmless_factors(gold, context) for gold in context.case.golds)


def _link(gold: AnswerColumn, prediction: AnswerColumn) -> ColumnLink | None:
    """Keys under which two number columns agree after multiplying gold's by a factor."""
    if not gold.numeric or not prediction.numeric:
        return None
    bounds, other_bounds = number_extent(gold), number_extent(prediction)
    if bounds is None or other_bounds is None or bounds[2] != other_bounds[2]:
        return None
    top = max(bounds[0], bounds[1], key=abs)
    other_top = max(other_bounds[0], other_bounds[1], key=abs)
    if not top or not other_top:
        return None
    ratio = other_top / top
    for factor in FACTORS:
        # Rounding to three digits moves a number by half a percent at most.
        if 0.99 < ratio / factor < 1.01:
            return _scaled_link(gold.cells, prediction.cells, factor)
    return None


def _scaled_link(cells: Keys, others: Keys, factor: float) -> ColumnLink | None:
    scaled = _times(cells, factor)
    left, right = near_keys(scaled, others)
    if same_bag(left, right):
        return ColumnLink(left, right, {"factor": factor})
    for side, coarse, fine in (
        ("prediction", others, scaled),
        ("gold", cells, _times(others, 1 / factor)),
    ):
        link = rounded_link(side, coarse, fine)
        if link is not None and any(abs(t) >= THREE_DIGITS for t in link.gold if t):
            return link._replace(note={"factor": factor, **link.note})
    return None


def _times(cells: Keys, factor: float) -> list[float | None]:
    """The column multiplied by a factor."""
    return [None if number is None else number * factor for number in cells]


def _keys(entry: ChangedColumn, left: Keys, right: Keys) -> tuple[Keys, Keys] | None:
    factor = entry["factor"]
    if factor not in FACTORS:
        return None
    if "rounded" not in entry:
        return near_keys(_times(left, factor), right)
    if entry["rounded"] == "gold":
        return check_rounding("gold", entry["digits"], left, _times(right, 1 / factor))
    return check_rounding("prediction", entry["digits"], _times(left, factor), right)


def _harmless_factors(gold: str, context: RelationContext) -> set[float]:
    """What a gold's numbers may be multiplied by."""
    if multiplies_by_100(gold):
        return {1 / 100}
    if not context.mentions(_PERCENT):
        return set()
    return {100} if "/" in solid(gold) and not _WHOLE.search(gold) else {100, 1 / 100}


def multiplies_by_100(sql: str) -> bool:
    """Whether a query multiplies by 100."""
    if "100" not in sql:
        return False
    pieces = solid(sql)
    return any(
        "*" in (before, after) and _HUNDRED.match(piece)
        for before, piece, after in zip(["", *pieces], pieces, [*pieces[1:], ""], strict=False)
    )
