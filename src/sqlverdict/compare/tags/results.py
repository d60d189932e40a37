"""Tags of the two results: how they relate, or why there is none."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from sqlverdict.compare.relation import RELATIONS
from sqlverdict.compare.tags.kinds import TAGS, Tag, TagKind
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
    }
)

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
