"""One number on one side, and on the other the list it is computed from.

Statement
    One answer is a single number, the other a single column of at least two rows, and the number
    is the list's sum, average, count, greatest or least value.

Holds when
    The list holds numbers and NULLs alone; a count goes with every list. NULLs are left out as
    SQL does; a count may also count them.

Proof
    ``list``, which side is the list; ``function``, the first of sum, avg, count, max and min
    that fits; ``value``, the number; ``rows``, the length of the list; ``nulls``, how many of its
    rows are NULL where the number counts the others alone.

Why
    Where the question asks for a total, the sum of what gold lists answers it. Another function,
    or a list for a number, answers another question.

Limits
    A small count or a greatest value can be chance: ``weak`` for a number of one digit or a list
    of one value.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from math import fsum, isclose
from typing import Any

from sqlverdict.compare.related.numbers import LARGEST
from sqlverdict.compare.related.proofs import RelationProof, other_side
from sqlverdict.compare.related.table import NUMBERS, plain_cell, tiny, weak
from sqlverdict.compare.related.table_pair import TablePair
from sqlverdict.compare.relation import (
    RELATIONS,
    AnswerPair,
    RelationContext,
    RelationKind,
)
from sqlverdict.evidence_parts import ExcerptCell
from sqlverdict.records import Cell, Relation, Row

KIND = "sum_of_list"
FUNCTIONS = ("sum", "avg", "count", "max", "min")
_TOTAL = re.compile(
    r"\b(total|totals|sum|altogether|overall|combined|in all|how many|how much|number of|"
    r"amount of)\b",
    re.IGNORECASE,
)


class SumProof(RelationProof, total=False):
    """The proof; the section *Proof* above explains its fields."""

    list: str
    function: str
    value: ExcerptCell
    rows: int
    nulls: int


@RELATIONS.member
class SumOfList(RelationKind[SumProof]):
    """A number for the list it is computed from, or the reverse."""

    kind = KIND
    rank = 150
    tag = "arrangement"
    needs = ("list", "function", "value", "rows")
    final = False
    harmless_when = "the sum of what the gold lists, where the question asks for one"
    joins = (
        AnswerPair(((12,), (30,)), ((42,),), question="How many are there in all?", harmless=True),
        AnswerPair(((12,), (30,)), ((42,),), question="List the numbers.", harmless=False),
        AnswerPair(((42,),), ((12,), (None,), (30,)), harmless=False),
        AnswerPair((("Ann",), ("Bob",)), ((2,),), harmless=False),
        AnswerPair((("Ann",), (None,), (None,)), ((1,),), harmless=False),
    )
    keeps_apart = (
        AnswerPair(((12,), (30,)), ((43,),), because="no function gives the number"),
        AnswerPair(((42,),), ((42.0, 1),), because="there is no list"),
    )

    def find(self, tables: TablePair) -> Relation | None:
        """The relation, where it holds."""
        gold, prediction = tables.gold, tables.prediction
        if gold.width != 1 or prediction.width != 1:
            return None
        side, rows, single = (
            ("gold", gold, prediction)
            if prediction.height == 1
            else ("prediction", prediction, gold)
        )
        value = single.rows[0][0]
        if single.height != 1 or rows.height < 2 or type(value) not in NUMBERS:
            return None
        function = _function(rows.columns[0].cells, value)
        if function is None:
            return None
        detail: SumProof = {
            "list": side,
            "function": function,
            "value": plain_cell(value),
            "rows": rows.height,
        }
        if function == "count" and value != rows.height:
            detail["nulls"] = sum(cell is None for cell in rows.columns[0].cells)
        if tiny(value) or weak([rows.columns[0].cells]):
            detail["weak"] = True
        return Relation(KIND, detail)

    def holds(self, detail: SumProof, tables: TablePair) -> bool:
        """Whether the function of the list is the number."""
        gold, prediction = tables.gold, tables.prediction
        if detail["list"] not in ("gold", "prediction") or detail["function"] not in FUNCTIONS:
            return False
        rows, single = (gold, prediction) if detail["list"] == "gold" else (prediction, gold)
        if (single.height, single.width, rows.width) != (1, 1, 1) or rows.height < 2:
            return False
        value: Any = single.rows[0][0]
        if detail["value"] != plain_cell(value) or detail["rows"] != rows.height:
            return False
        expected_weak = tiny(value) or len({row[0] for row in rows.rows}) < 2
        if bool(detail.get("weak", False)) != expected_weak:
            return False
        cells: list[Any] = [row[0] for row in rows.rows if row[0] is not None]
        if detail["function"] == "count":
            number = rows.height - detail.get("nulls", 0)
            return value == number and number in (len(cells), rows.height)
        results = {
            "sum": lambda: sum(cells),
            "avg": lambda: sum(cells) / len(cells),
            "max": lambda: max(cells),
            "min": lambda: min(cells),
        }
        spread = sum(abs(cell) for cell in cells)
        return isclose(
            results[detail["function"]](), value, rel_tol=1e-9, abs_tol=1e-12 + 1e-12 * spread
        )

    def words(self, detail: SumProof) -> str:
        """Which function of whose list is the other's number."""
        if detail.get("nulls"):
            return (
                f"the {detail['list']} lists {detail['rows']} rows, {detail['nulls']} of them "
                f"NULL; the {other_side(detail['list'])}'s {detail['value']} is the number of the "
                "others"
            )
        return (
            f"the {detail['list']} lists {detail['rows']} rows whose {detail['function']} is the "
            f"{other_side(detail['list'])}'s {detail['value']}"
        )

    def harmless(self, detail: SumProof, context: RelationContext) -> bool:
        """Whether it is the sum of gold's list, and the question asks for one."""
        summed = (detail.get("list"), detail.get("function")) == ("gold", "sum")
        return summed and context.mentions(_TOTAL)

    def allows_empty_gold(self, prediction: tuple[Row, ...]) -> bool:
        """Whether the prediction is a sum over nothing: NULL or 0."""
        return prediction in (((None,),), ((0,),))


def _function(cells: Sequence[Cell], value: Any) -> str | None:
    # Only numbers can be added; a count goes with everything.
    numbers: list[Any] = [cell for cell in cells if type(cell) in NUMBERS]
    filled = sum(cell is not None for cell in cells)
    if len(numbers) == filled > 0 and all(-LARGEST < n < LARGEST for n in numbers):
        total = fsum(numbers)
        if isclose(total, value, rel_tol=1e-9, abs_tol=1e-12):
            return "sum"
        if isclose(total / len(numbers), value, rel_tol=1e-9, abs_tol=1e-12):
            return "avg"
    if value in (len(cells), filled):
        return "count"
    if len(numbers) == filled > 0:
        if value == max(numbers):
            return "max"
        if value == min(numbers):
            return "min"
    return None
