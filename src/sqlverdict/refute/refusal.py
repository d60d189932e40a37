"""Why no search can be made for two queries: they do not parse, do not run, or need too much."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from sqlverdict.parse.schema import Schema
from sqlverdict.records import Failure, ParseFailure, Query, Reason
from sqlverdict.refute.arena import Arena
from sqlverdict.refute.rebuild import touched
from sqlverdict.refute.witness import NotRefuted

STOPPED = frozenset({Reason.EXECUTION_TIMEOUT, Reason.MEMORY_LIMIT, Reason.ROW_LIMIT})
"""Failures that say nothing about the query: it was stopped."""


def unparsed(parsed: Sequence[Query | ParseFailure]) -> NotRefuted:
    """Why the first of the gold and the prediction that cannot be parsed cannot be."""
    for which, query in zip(("gold", "prediction"), parsed, strict=True):
        if isinstance(query, ParseFailure):
            return NotRefuted(0, reason=query.reason, message=f"the {which}: {query.message}")
    raise AssertionError("one of the two was a failure")


def unrunnable(arena: Arena, gold: str, prediction: str) -> NotRefuted | None:
    """Queries that cannot run at all on this schema are not the search's business."""
    arena.load({})
    for which, sql in (("gold", gold), ("prediction", prediction)):
        outcome = arena.run(sql)
        if isinstance(outcome, Failure):
            late = outcome.reason in STOPPED
            if which == "gold":
                reason = Reason.GOLD_EXECUTION_TIMEOUT if late else Reason.GOLD_EXECUTION_ERROR
            else:
                reason = outcome.reason
            return NotRefuted(0, reason=reason, message=f"the {which}: {outcome.message}")
        if outcome.volatile:
            message = f"the {which} depends on the clock or on chance"
            return NotRefuted(0, reason=Reason.UNSUPPORTED_FEATURE, message=message)
    return None


def unmakeable(
    missing: Mapping[str, str], schema: Schema, sqls: Sequence[str], tables: Iterable[str]
) -> str | None:
    """Why queries cannot be searched: a table or view that they need cannot be made.

    Args:
        missing: Why tables and views could not be made, by name.
        schema: The tables.
        sqls: The queries.
        tables: The base tables that get rows for them.
    """
    if not missing:
        return None
    needed = {*tables, *(table.name for table in touched(schema, sqls, {}))}
    return next((why for name, why in sorted(missing.items()) if name in needed), None)
