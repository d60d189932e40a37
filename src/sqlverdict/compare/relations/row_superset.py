"""The prediction has all of gold's rows, and more.

Says: as a bag, gold lies within the prediction under a map of columns; neither is empty,
and leaving out repetitions does not make them equal (that is ``duplicates_only``).
Proof: ``columns``, the prediction's column for each gold column; ``extra``, how many rows
there are beyond gold's; ``examples``, up to three of them in gold's order of columns.
Misleads: a prediction that forgets a condition returns every answer: ``weak`` where gold
is a row of common values.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sqlverdict.compare.preset import QueryPair
from sqlverdict.compare.related import contain
from sqlverdict.compare.related.table import AnswerTable
from sqlverdict.records import Relation

KIND = "row_superset"


def find(gold: AnswerTable, prediction: AnswerTable, *, search: bool) -> Relation | None:
    """The relation, where it holds."""
    columns = contain.within(gold, prediction, search=search)
    if columns is None:
        return None
    detail = contain.detail(gold, prediction, columns, "extra")
    return Relation(KIND, {"columns": columns, **detail})


def holds(
    detail: Mapping[str, Any], gold: AnswerTable, prediction: AnswerTable, pair: QueryPair
) -> bool:
    """Whether the proof is one."""
    del pair
    return contain.holds(detail, gold, prediction, detail["columns"], "extra")
