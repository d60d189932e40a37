"""Tags of which rows there are: GROUP BY, DISTINCT, ORDER BY, LIMIT, ties, set operations."""

from __future__ import annotations

from collections.abc import Iterator

from sqlverdict.compare.query.parts import QueryParts
from sqlverdict.compare.tags.kinds import TAGS, Tag, TagKind, both_sides

TAGS.update(
    {
        "group_missing": TagKind(
            "group",
            "the gold groups, the prediction does not",
            "SELECT team_id, SUM(goals) FROM player GROUP BY team_id",
            "SELECT team_id, SUM(goals) FROM player",
        ),
        "group_extra": TagKind(
            "group",
            "the prediction groups, the gold does not",
            "SELECT name FROM player",
            "SELECT name FROM player GROUP BY name",
        ),
        "group_keys": TagKind(
            "group",
            "the two group by different keys",
            "SELECT COUNT(*) FROM player GROUP BY team_id",
            "SELECT COUNT(*) FROM player GROUP BY born",
        ),
        "distinct_missing": TagKind(
            "distinct",
            "the gold drops repeated rows, the prediction does not",
            "SELECT DISTINCT name FROM player",
            "SELECT name FROM player",
        ),
        "distinct_extra": TagKind(
            "distinct",
            "the prediction drops repeated rows, the gold does not",
            "SELECT name FROM player",
            "SELECT DISTINCT name FROM player",
        ),
        "ties": TagKind(
            "limit",
            "one takes a first row where the other takes all that tie for it",
            "SELECT name FROM player WHERE weight = (SELECT MAX(weight) FROM player)",
            "SELECT name FROM player ORDER BY weight DESC LIMIT 1",
        ),
        "limit_missing": TagKind(
            "limit",
            "the gold limits its rows, the prediction does not",
            "SELECT name FROM player LIMIT 3",
            "SELECT name FROM player",
        ),
        "limit_extra": TagKind(
            "limit",
            "the prediction limits its rows, the gold does not",
            "SELECT name FROM player",
            "SELECT name FROM player LIMIT 3",
        ),
        "limit_differs": TagKind(
            "limit",
            "the two limit their rows to different numbers",
            "SELECT name FROM player LIMIT 3",
            "SELECT name FROM player LIMIT 4",
        ),
        "order_missing": TagKind(
            "order",
            "the gold sorts its rows, the prediction does not",
            "SELECT name FROM player ORDER BY weight",
            "SELECT name FROM player",
        ),
        "order_extra": TagKind(
            "order",
            "the prediction sorts its rows, the gold does not",
            "SELECT name FROM player",
            "SELECT name FROM player ORDER BY weight",
        ),
        "order_keys": TagKind(
            "order",
            "the two sort by different keys",
            "SELECT name FROM player ORDER BY weight",
            "SELECT name FROM player ORDER BY weight DESC",
        ),
        "set_operation": TagKind(
            "set operation",
            "UNION, INTERSECT or EXCEPT in only one of them",
            "SELECT name FROM player UNION SELECT name FROM team",
            "SELECT name FROM player",
        ),
    }
)


def row_tags(gold: QueryParts, prediction: QueryParts) -> Iterator[Tag]:
    """How the rows of two queries differ."""
    tied = gold.extreme != prediction.extreme and gold.cut != prediction.cut
    if tied:
        yield Tag("ties", "MIN or MAX in the one, ORDER BY with LIMIT in the other")
    for name, ours, theirs in (
        ("distinct", _drops(gold), _drops(prediction)),
        ("group", gold.groups, prediction.groups),
        ("order", gold.order, prediction.order),
        ("limit", gold.limit, prediction.limit),
    ):
        if bool(ours) != bool(theirs):
            both_cut = name in ("order", "limit") and gold.cut and prediction.cut
            first = (prediction.limit or gold.limit) in ("", "1")
            explained = tied and (name == "order" or (name == "limit" and first))
            if not (both_cut or explained):
                yield Tag(f"{name}_missing" if ours else f"{name}_extra")
    if gold.groups and prediction.groups and gold.groups != prediction.groups:
        yield Tag("group_keys", both_sides(gold.groups, prediction.groups))
    if gold.order and prediction.order and gold.order != prediction.order:
        yield Tag("order_keys", f"{', '.join(gold.order)} became {', '.join(prediction.order)}")
    if gold.limit and prediction.limit and gold.limit != prediction.limit:
        yield Tag("limit_differs", f"{gold.limit} became {prediction.limit}")
    if gold.set_operations != prediction.set_operations:
        yield Tag("set_operation", both_sides(gold.set_operations, prediction.set_operations))


def _drops(query: QueryParts) -> bool:
    return query.distinct or bool(query.computed.distinct_counts)
