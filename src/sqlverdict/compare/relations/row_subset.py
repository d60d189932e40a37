"""The prediction lacks some of gold's rows and has no others.

Says: as a bag, the prediction lies within gold under a map of columns; neither is empty,
and leaving out repetitions does not make them equal (that is ``duplicates_only``).
Proof: ``columns``, the prediction's column for each gold column; ``missing``, how many
rows lack; ``examples``, up to three of them in gold's order of columns.
Misleads: a few rows of common values lie within many answers: ``weak``.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sqlverdict.compare.preset import QueryPair
from sqlverdict.compare.related import contain
from sqlverdict.compare.related.table import AnswerTable
from sqlverdict.records import Relation

KIND = "row_subset"


def find(gold: AnswerTable, prediction: AnswerTable, *, search: bool) -> Relation | None:
    """The relation, where it holds."""
    places = contain.within(prediction, gold, search=search)
    if places is None:
        return None
    columns = contain.inverse(places)
    detail = contain.detail(prediction, gold, places, "missing")
    return Relation(KIND, {"columns": columns, **_gold_order(detail, columns)})


def holds(
    detail: Mapping[str, Any], gold: AnswerTable, prediction: AnswerTable, pair: QueryPair
) -> bool:
    """Whether the proof is one."""
    del pair
    columns = list(detail["columns"])
    if sorted(columns) != list(range(gold.width)):
        return False
    places = contain.inverse(columns)
    claim = _gold_order(detail, places)
    return contain.holds(claim, prediction, gold, places, "missing")


def _gold_order(detail: Mapping[str, Any], columns: list[int]) -> dict[str, Any]:
    """The detail with the columns of its examples in another order."""
    examples = [[row[place] for place in columns] for row in detail["examples"]]
    return {**detail, "examples": examples}
