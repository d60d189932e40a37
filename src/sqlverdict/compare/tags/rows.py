"""Tags of which rows there are: GROUP BY, DISTINCT, ORDER BY, LIMIT, ties, set operations.

And tags of the two results: how they relate, or why there is none.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from sqlverdict.compare.query.parts import QueryParts
from sqlverdict.compare.relation import RELATIONS
from sqlverdict.compare.tags.kinds import TAGS, TagKind, both_sides
from sqlverdict.evidence_parts import Tag
from sqlverdict.records import LIMIT_REASONS, Reason

TAGS.update(
    {
        "column_order": TagKind("result", "the same rows, columns in another order"),
        "extra_columns": TagKind("result", "the gold's rows with further columns"),
        "missing_columns": TagKind("result", "the gold's rows without some columns"),
        "representation": TagKind("result", "the same values, written differently"),
        "arrangement": TagKind("result", "the same values, arranged differently"),
        "repeated_rows": TagKind("result", "the same rows, some more or less often"),
        "row_order": TagKind("result", "the same rows in another order"),
        "tied_rows": TagKind(
            "result", "a LIMIT cuts through a tie, and one of them returns all of it"
        ),
        "null_rows": TagKind("result", "the same rows, but for rows of NULLs alone"),
        "rows_missing": TagKind("result", "some of the gold's rows are missing"),
        "rows_extra": TagKind("result", "the gold's rows and others"),
        "empty": TagKind("result", "the prediction returns nothing, the gold does"),
        "fails": TagKind("query", "the prediction gives no answer"),
        "same_trees": TagKind(
            "query",
            "nothing but spelling differs in the two queries",
            "SELECT name FROM player",
            "SELECT p.name FROM player AS p",
        ),
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


_FAILURES = frozenset(
    {
        *LIMIT_REASONS,
        Reason.EXECUTION_ERROR,
        Reason.PARSE_ERROR,
        Reason.WRITE_BLOCKED,
        Reason.NO_SQL_PRODUCED,
    }
)


def result_tags(relations: Iterable[str], reasons: Iterable[str]) -> Iterator[Tag]:
    """What the relations between two results and the reason codes say."""
    for reason in reasons:
        if reason in _FAILURES:
            yield Tag("fails", str(reason))
        if reason == Reason.EMPTY_RESULT:
            yield Tag("empty")
    for kind in relations:
        if RELATIONS.has(kind):
            yield Tag(RELATIONS.get(kind).tag, kind)
