"""The same rows, but for rows that hold nothing but NULL.

Says: as bags and without rows of NULLs alone, the rows are equal, column by column; some are left.
Proof: ``columns``, the prediction's column for each gold column; ``gold_rows`` and
``prediction_rows``, how many rows of NULLs either has; ``order``, as everywhere.
Misleads: such a row may be an answer of its own, as that of a group without a name.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from sqlverdict.compare.preset import QueryPair
from sqlverdict.compare.related.table import AnswerTable, weak
from sqlverdict.records import Relation, Row

KIND = "null_rows"


def find(gold: AnswerTable, prediction: AnswerTable) -> Relation | None:
    """The relation, where it holds."""
    if gold.width != prediction.width:
        return None
    rows, others = _held(gold.rows), _held(prediction.rows)
    if not rows or Counter(rows) != Counter(others):
        return None
    detail: dict[str, Any] = {
        "columns": list(range(gold.width)),
        "gold_rows": gold.height - len(rows),
        "prediction_rows": prediction.height - len(others),
        "order": "same" if rows == others else "other",
    }
    if weak(column.cells for column in gold.columns):
        detail["weak"] = True
    return Relation(KIND, detail)


def holds(
    detail: Mapping[str, Any], gold: AnswerTable, prediction: AnswerTable, pair: QueryPair
) -> bool:
    """Whether the proof is one."""
    del pair
    found = find(gold, prediction)
    return found is not None and dict(detail) == dict(found.detail)


def _held(rows: Sequence[Row]) -> list[Row]:
    """The rows that hold something."""
    return [row for row in rows if any(cell is not None for cell in row)]
