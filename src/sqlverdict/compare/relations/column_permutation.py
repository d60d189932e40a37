"""The same rows with the columns in another order.

Says: as bags, the rows are equal once the prediction's columns are put in gold's order.
Proof: ``columns``, the prediction's column for each gold column; ``order``.
Misleads: where two columns could be taken for each other (wins and losses) and the
question says which comes first.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sqlverdict.compare.preset import QueryPair
from sqlverdict.compare.related.check import map_holds
from sqlverdict.compare.related.search import ColumnLink, ColumnPairLink, map_detail
from sqlverdict.compare.related.table import AnswerTable
from sqlverdict.records import Relation

KIND = "column_permutation"


def matched(gold: AnswerTable, prediction: AnswerTable) -> tuple[int, ...] | None:
    """The prediction's column for each gold column that makes the bags equal."""
    from sqlverdict.compare.columns import SearchExhausted, match_columns

    try:
        return match_columns(gold.rows, prediction.rows)
    except SearchExhausted:
        # Columns too alike to be told apart: nothing is claimed.
        return None


def find(
    gold: AnswerTable, prediction: AnswerTable, pair: QueryPair, columns: tuple[int, ...]
) -> Relation | None:
    """The relation, where the order that makes the bags equal is not gold's own."""
    if columns == tuple(range(gold.width)):
        return None
    joints = [
        ColumnPairLink(g, p, ColumnLink(gold.columns[g].cells, prediction.columns[p].cells, {}))
        for g, p in enumerate(columns)
    ]
    return Relation(KIND, map_detail(gold, prediction, joints, pair))


def holds(
    detail: Mapping[str, Any], gold: AnswerTable, prediction: AnswerTable, pair: QueryPair
) -> bool:
    """Whether the proof is one."""
    if gold.width != prediction.width or list(detail["columns"]) == list(range(gold.width)):
        return False
    return map_holds(detail, gold, prediction, pair)
