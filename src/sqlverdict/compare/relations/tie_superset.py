"""A LIMIT cuts through a tie on one side; the other side has all the tied rows.

Says: one query has ORDER BY and LIMIT n; the row after its last one has the same sort key,
so which of the tied rows come back is left open; and as a bag, the other answer is the
limited one with every row that ties with its last row, under a map of columns.
Proof: ``limited``, which side has the LIMIT; ``limit`` and ``offset``; ``key``, the sort key
of the last row; ``tied``, how many rows have it; ``columns``; ``extra``, how many rows the
other answer has beyond. A checker runs the limited query without its LIMIT.
Misleads: "the three best" may mean three even where the third place is shared.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any, NamedTuple

from sqlverdict.compare.order import read_order
from sqlverdict.compare.preset import QueryPair
from sqlverdict.compare.related.clauses import has_limit, has_order
from sqlverdict.compare.related.contain import inverse, projected
from sqlverdict.compare.related.table import AnswerTable, plain_row, weak
from sqlverdict.records import Answer, Relation, Row

KIND = "tie_superset"


class CutTie(NamedTuple):
    """What a LIMIT cuts through."""

    limit: int
    offset: int
    key: Row
    tied: int
    rows: list[Row]


def applies(pair: QueryPair, limited: str) -> bool:
    """Whether the question of ties arises; looks at texts only."""
    sql = pair.gold_sql if limited == "gold" else pair.prediction_sql
    return pair.probe is not None and has_limit(sql) and has_order(sql)


def find(
    gold: AnswerTable, prediction: AnswerTable, pair: QueryPair, contained: Relation
) -> Relation | None:
    """The relation, given that one answer lies within the other."""
    limited = "gold" if gold.height < prediction.height else "prediction"
    detail = _detail(gold, prediction, pair, limited, list(contained.detail["columns"]))
    return None if detail is None else Relation(KIND, detail)


def holds(
    detail: Mapping[str, Any], gold: AnswerTable, prediction: AnswerTable, pair: QueryPair
) -> bool:
    """Whether the proof is one; runs the probe again."""
    columns, limited = list(detail["columns"]), detail["limited"]
    if limited not in ("gold", "prediction") or gold.width != prediction.width:
        return False
    if sorted(columns) != list(range(gold.width)):
        return False
    small = gold if limited == "gold" else prediction
    if limited == "gold":
        part, whole = gold.rows, projected(prediction, columns)
    else:
        part, whole = projected(prediction, columns), list(gold.rows)
    return (
        small.height == detail["limit"]
        and Counter(part) < Counter(whole)
        and dict(detail) == _detail(gold, prediction, pair, limited, columns)
    )


def _detail(
    gold: AnswerTable, prediction: AnswerTable, pair: QueryPair, limited: str, columns: list[int]
) -> dict[str, Any] | None:
    if not applies(pair, limited):
        return None
    small, big = (gold, prediction) if limited == "gold" else (prediction, gold)
    cut = find_cut(pair, limited, small.height, big.height)
    if cut is None:
        return None
    places = columns if limited == "gold" else inverse(columns)
    if Counter(cut.rows) != Counter(projected(big, places)):
        return None
    detail: dict[str, Any] = {
        "columns": columns,
        "limited": limited,
        "limit": cut.limit,
        "offset": cut.offset,
        "key": plain_row(cut.key),
        "tied": cut.tied,
        "extra": big.height - small.height,
    }
    if weak(column.cells for column in big.columns):
        detail["weak"] = True
    return detail


def find_cut(pair: QueryPair, limited: str, height: int, most: int) -> CutTie | None:
    """The tie that the LIMIT of one query cuts through.

    Args:
        pair: The two queries and the probe.
        limited: The side with the LIMIT.
        height: How many rows it returned.
        most: How many rows there are with all that tie; others are of no interest.
    """
    sql = pair.gold_sql if limited == "gold" else pair.prediction_sql
    order, probe = read_order(sql, pair.dialect) or (None, None)
    if order is None or probe is None or pair.probe is None:
        return None
    if not order.ordered or order.limit != height or order.unknown_offset:
        return None
    offset = order.offset or 0
    outcome = pair.probe(probe.sql)
    if not isinstance(outcome, Answer) or len(outcome.rows) < offset + most:
        return None
    rows: list[Row] = []
    keys: list[Row] = []
    for row in outcome.rows:
        own, key = probe.split(row)
        rows.append(own)
        keys.append(key)
    last = keys[offset + height - 1]
    end = offset + height
    while end < len(keys) and keys[end] == last:
        end += 1
    # A tie at the front would leave open what OFFSET skipped.
    if end - offset != most or (offset and keys[offset - 1] == keys[offset]):
        return None
    return CutTie(height, offset, last, sum(key == last for key in keys), rows[offset:end])
