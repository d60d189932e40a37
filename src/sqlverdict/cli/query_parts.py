"""What a query consists of, for ``pair``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sqlverdict.dialects import guessing_order
from sqlverdict.parse.hardness import spider_hardness, trustsql_hardness
from sqlverdict.parse.query import parse
from sqlverdict.records import ParseFailure, Query

_DIALECTS = (*(each.name for each in guessing_order()), "tsql")
PARTS = ("tables", "columns", "spider hardness", "trustsql hardness")


def query_parts(sql: str, query: Query) -> dict[str, Any]:
    """The parts of a query, as JSON has them.

    Args:
        sql: Its text.
        query: The same, parsed.
    """
    return {
        "tables": list(query.tables),
        "columns": list(query.columns),
        "features": sorted(query.features),
        "spider hardness": spider_hardness(sql),
        "trustsql hardness": trustsql_hardness(sql),
    }


def other_dialect(sql: str, dialect: str) -> str | None:
    """The first dialect of another engine that reads a text which this one does not."""
    others = (other for other in _DIALECTS if other != dialect)
    return next((o for o in others if not isinstance(parse(sql, o), ParseFailure)), None)


def part_text(part: Sequence[str] | str | None) -> str:
    """One part in words."""
    text = part if isinstance(part, str) or part is None else ", ".join(part)
    return text or "none"
