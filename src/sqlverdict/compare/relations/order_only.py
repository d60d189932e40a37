"""The same rows in another order, where gold orders them.

Says: the bags are equal, and the rows do not stand in gold's order.
Proof: ``first``, the first position (from 0) at which the rows differ, and both ``rows``.
Misleads: rows that tie under gold's ORDER BY may stand in any order; this relation looks
at rows only and cannot tell a tie.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

from sqlverdict.compare.preset import QueryPair
from sqlverdict.compare.related.clauses import orders
from sqlverdict.compare.related.table import AnswerTable, plain_row
from sqlverdict.records import Relation

KIND = "order_only"


def find(gold: AnswerTable, prediction: AnswerTable, pair: QueryPair) -> Relation | None:
    """The relation between two answers that are known to be equal as bags."""
    if not orders(pair):
        return None
    for place, (row, other) in enumerate(zip(gold.rows, prediction.rows, strict=True)):
        if row != other:
            shown = [plain_row(row), plain_row(other)]
            return Relation(KIND, {"first": place, "rows": shown})
    return None


def holds(
    detail: Mapping[str, Any], gold: AnswerTable, prediction: AnswerTable, pair: QueryPair
) -> bool:
    """Whether the proof is one."""
    first = detail["first"]
    row, other = gold.rows[first], prediction.rows[first]
    return (
        orders(pair)
        and row != other
        and list(gold.rows[:first]) == list(prediction.rows[:first])
        and [plain_row(row), plain_row(other)] == [list(shown) for shown in detail["rows"]]
        and Counter(gold.rows) == Counter(prediction.rows)
    )
