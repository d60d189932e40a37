"""The prediction has all of gold's columns, and more.

Says: as bags, the rows are equal once some of the prediction's columns are dropped.
Proof: ``columns``, the prediction's column for each gold column; ``extra``, the columns
that are dropped; ``order``.
Misleads: a prediction that returns whole rows contains many answers; and gold's rows may
be so plain that some column matches by chance (``weak``).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sqlverdict.compare.preset import QueryPair
from sqlverdict.compare.related.check import map_holds
from sqlverdict.compare.related.search import find_map, map_detail
from sqlverdict.compare.related.table import AnswerTable
from sqlverdict.records import Relation

KIND = "extra_columns"


def find(gold: AnswerTable, prediction: AnswerTable, pair: QueryPair) -> Relation | None:
    """The relation, where it holds."""
    if prediction.width <= gold.width or prediction.height != gold.height:
        return None
    joints = find_map(gold, prediction)
    if joints is None:
        return None
    return Relation(KIND, map_detail(gold, prediction, joints, pair))


def holds(
    detail: Mapping[str, Any], gold: AnswerTable, prediction: AnswerTable, pair: QueryPair
) -> bool:
    """Whether the proof is one."""
    return prediction.width > gold.width and map_holds(detail, gold, prediction, pair)
