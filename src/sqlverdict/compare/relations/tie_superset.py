"""A LIMIT cuts through a tie on one side; the other side has all the tied rows.

Statement
    One query has ORDER BY and LIMIT n; the row after its last one has the same sort key, so
    which of the tied rows come back is left open; and as a bag, the other answer is the limited
    one with every row that ties with its last row, under a map of columns.

Holds when
    The limited query without its LIMIT can be run, and gives just the rows of the other answer
    up to the end of the tie. A tie at the front of an OFFSET is left alone.

Proof
    ``limited``, which side has the LIMIT; ``limit`` and ``offset``; ``key``, the sort key of the
    last row; ``tied``, how many rows have it; ``columns``; ``extra``, how many rows the other
    answer has beyond. A checker runs the limited query without its LIMIT.

Why
    A question for the best one has several answers where several are best. Which of them a LIMIT
    returns is chance.

Limits
    "The three best" may mean three even where the third place is shared.
"""

from __future__ import annotations

from collections import Counter
from typing import NamedTuple

from sqlverdict.compare.order import read_order
from sqlverdict.compare.preset import QueryPair
from sqlverdict.compare.related.clauses import has_limit, has_order
from sqlverdict.compare.related.contain import inverse, projected
from sqlverdict.compare.related.proofs import RelationProof, other_side
from sqlverdict.compare.related.table import plain_row, weak
from sqlverdict.compare.related.table_pair import TablePair
from sqlverdict.compare.relation import (
    RELATIONS,
    AnswerPair,
    RelationContext,
    RelationKind,
)
from sqlverdict.evidence_parts import ExcerptCell
from sqlverdict.records import Answer, Relation, Row

KIND = "tie_superset"
_DATA = (
    "CREATE TABLE t (name TEXT, points INT);"
    "INSERT INTO t VALUES ('a', 9), ('b', 7), ('c', 7), ('d', 7), ('e', 5);"
)
_TOP_2 = "SELECT name, points FROM t ORDER BY points DESC LIMIT 2"
_TOP_4 = "SELECT points, name FROM t WHERE points >= 7"


class TieProof(RelationProof, total=False):
    """The proof; the section *Proof* above explains its fields."""

    columns: list[int]
    limited: str
    limit: int
    offset: int
    key: list[ExcerptCell]
    tied: int
    extra: int


@RELATIONS.member
class TieSuperset(RelationKind[TieProof]):
    """All rows that tie, or only some of them."""

    kind = KIND
    rank = 40
    tag = "tied_rows"
    needs = ("limited", "limit", "tied")
    same_values = True
    final = False
    harmless_when = "a LIMIT cuts through a tie, and the other side has all tied rows"
    joins = (
        AnswerPair(
            (("a", 9), ("b", 7)),
            ((9, "a"), (7, "b"), (7, "c"), (7, "d")),
            gold_sql=_TOP_2,
            prediction_sql=_TOP_4,
            data=_DATA,
            harmless=True,
        ),
        AnswerPair(
            ((9, "a"), (7, "b"), (7, "c"), (7, "d")),
            (("a", 9), ("b", 7)),
            gold_sql=_TOP_4,
            prediction_sql=_TOP_2,
            data=_DATA,
            harmless=True,
        ),
    )
    keeps_apart = (
        AnswerPair(
            (("a",),),
            (("a",), ("b",), ("c",), ("d",)),
            gold_sql="SELECT name FROM t ORDER BY points DESC LIMIT 1",
            prediction_sql="SELECT name FROM t WHERE points > 5",
            data=_DATA,
            because="the first row does not tie",
        ),
        AnswerPair(
            (("a",), ("b",)),
            (("a",), ("b",), ("c",), ("d",), ("e",)),
            gold_sql="SELECT name FROM t ORDER BY points DESC LIMIT 2",
            prediction_sql="SELECT name FROM t",
            data=_DATA,
            because="a row beyond the tie is there as well",
        ),
    )

    def find(self, tables: TablePair) -> Relation | None:
        """The relation, where one answer lies within the other."""
        if tables.same_height:
            return None
        limited = "gold" if tables.gold.height < tables.prediction.height else "prediction"
        # The texts are cheaper to look at than the rows.
        if not _may_cut(tables.queries, limited) or tables.contained_columns is None:
            return None
        detail = _detail(tables, limited, tables.contained_columns)
        return None if detail is None else Relation(KIND, detail)

    def holds(self, detail: TieProof, tables: TablePair) -> bool:
        """Whether the proof is one; runs the probe again."""
        gold, prediction = tables.gold, tables.prediction
        columns, limited = list(detail["columns"]), detail["limited"]
        if limited not in ("gold", "prediction") or not tables.same_width:
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
            and dict(detail) == _detail(tables, limited, columns)
        )

    def words(self, detail: TieProof) -> str:
        """Whose LIMIT cuts through how many rows."""
        return (
            f"LIMIT {detail['limit']} of the {detail['limited']} cuts through {detail['tied']} "
            f"tied rows; the {other_side(detail['limited'])} returns all of them"
        )

    def harmless(self, detail: TieProof, context: RelationContext) -> bool:
        """Whether the proof says which side has the LIMIT; the question does not matter."""
        del context
        return detail.get("limited") in ("gold", "prediction")


class CutTie(NamedTuple):
    """What a LIMIT cuts through."""

    limit: int
    offset: int
    key: Row
    tied: int
    rows: list[Row]


def _may_cut(queries: QueryPair, limited: str) -> bool:
    """Whether the question of ties arises; looks at texts only."""
    sql = queries.gold_sql if limited == "gold" else queries.prediction_sql
    return queries.probe is not None and has_limit(sql) and has_order(sql)


def _detail(tables: TablePair, limited: str, columns: list[int]) -> TieProof | None:
    if not _may_cut(tables.queries, limited):
        return None
    gold, prediction = tables.gold, tables.prediction
    small, big = (gold, prediction) if limited == "gold" else (prediction, gold)
    cut = find_cut_tie(tables.queries, limited, small.height, big.height)
    if cut is None:
        return None
    order = columns if limited == "gold" else inverse(columns)
    if Counter(cut.rows) != Counter(projected(big, order)):
        return None
    detail: TieProof = {
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


def find_cut_tie(pair: QueryPair, limited: str, height: int, most: int) -> CutTie | None:
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
