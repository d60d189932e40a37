"""The same set of rows, some of them more or less often.

Says: without repetitions the rows are equal, under a map of columns.
Proof: ``columns``, the prediction's column for each gold column; ``gold_rows``,
``prediction_rows`` and ``distinct``, the counts; ``examples``, rows with their number of
occurrences in gold and in the prediction.
Misleads: repetitions are data where the question asks for every event rather than for
every different value.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from sqlverdict.compare.preset import QueryPair
from sqlverdict.compare.related.check import is_map
from sqlverdict.compare.related.table import EXAMPLES, AnswerTable, plain_row, weak
from sqlverdict.compare.relations.column_permutation import matched
from sqlverdict.records import Relation, Row

KIND = "duplicates_only"


def find(gold: AnswerTable, prediction: AnswerTable, *, search: bool) -> Relation | None:
    """The relation, where it holds; ``search``: also under another order of columns."""
    if gold.width != prediction.width:
        return None
    rows, others = set(gold.rows), set(prediction.rows)
    if len(rows) != len(others) or (len(rows) == gold.height and len(others) == prediction.height):
        return None
    columns: tuple[int, ...] | None = tuple(range(gold.width))
    if rows != others:
        if not search or gold.width == 1:
            return None
        columns = matched(
            AnswerTable(list(dict.fromkeys(gold.rows))),
            AnswerTable(list(dict.fromkeys(prediction.rows))),
        )
        if columns is None:
            return None
    assert columns is not None
    detail: dict[str, Any] = {
        "columns": list(columns),
        "gold_rows": gold.height,
        "prediction_rows": prediction.height,
        "distinct": len(rows),
        "examples": _examples(gold.rows, _reordered(prediction, columns)),
    }
    if weak(column.cells for column in gold.columns):
        detail["weak"] = True
    return Relation(KIND, detail)


def holds(
    detail: Mapping[str, Any], gold: AnswerTable, prediction: AnswerTable, pair: QueryPair
) -> bool:
    """Whether the proof is one."""
    del pair
    columns = detail["columns"]
    if gold.width != prediction.width or not is_map(columns, gold.width, prediction.width):
        return False
    reordered = _reordered(prediction, columns)
    return (
        set(gold.rows) == set(reordered)
        and Counter(gold.rows) != Counter(reordered)
        and detail["gold_rows"] == gold.height
        and detail["prediction_rows"] == prediction.height
        and detail["distinct"] == len(set(gold.rows))
        and bool(detail["examples"])
        and detail["examples"] == _examples(gold.rows, reordered)
        and bool(detail.get("weak", False)) == weak(column.cells for column in gold.columns)
    )


def _reordered(prediction: AnswerTable, columns: Sequence[int]) -> list[Row]:
    return list(zip(*(prediction.columns[place].cells for place in columns), strict=True))


def _examples(rows: Sequence[Row], others: Sequence[Row]) -> list[dict[str, Any]]:
    counts, other_counts = Counter(rows), Counter(others)
    found: list[dict[str, Any]] = []
    for row, count in counts.items():
        if count != other_counts[row]:
            found.append({"row": plain_row(row), "gold": count, "prediction": other_counts[row]})
            if len(found) == EXAMPLES:
                break
    return found
