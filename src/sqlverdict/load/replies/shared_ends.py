"""Text that many predictions begin or end with and that is no SQL: a sign of an unknown form."""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Collection
from contextlib import closing

from sqlverdict.files.sqlite import open_in_memory
from sqlverdict.files.text import count
from sqlverdict.load.replies.fenced import extract_sql
from sqlverdict.records import Prediction

FEWEST = 5
"""So many predictions must share an end."""
_MOST_TRIED = 5
_LONGEST = 40


def shared_end_notes(predictions: Collection[Prediction]) -> list[str]:
    """A note on each end that half of the predictions share and no query has."""
    queries = [each.sql.rstrip() for each in predictions if each.sql and each.sql.strip()]
    replies = [
        each.raw.lstrip()
        for each in predictions
        if each.sql is None and not each.abstained and each.raw and each.raw.strip()
    ]
    notes = []
    last = _shared([query.rsplit(None, 1)[-1] for query in queries], len(predictions))
    if last is not None:
        own = [query for query in queries if query.endswith(last)]
        if all(_spoils(query, last) for query in own[:_MOST_TRIED]):
            notes.append(
                f"{count(len(own), 'prediction')} end with {last!r}, which is no SQL, and fail for "
                f"it: cut it off, or write the query in a tag (<sql>...</sql>)"
            )
    first = _shared([reply.split(None, 1)[0] for reply in replies], len(predictions))
    if first is not None:
        own = [reply for reply in replies if reply.startswith(first)]
        if all(extract_sql(reply[len(first) :]) for reply in own[:_MOST_TRIED]):
            notes.append(
                f"{count(len(own), 'reply', 'replies')} begin with {first!r}, and no SQL was found "
                f"for it: cut it off, or write the query in a tag (<sql>...</sql>)"
            )
    return notes


def _shared(ends: list[str], total: int) -> str | None:
    """The end that at least half of all predictions have, and at least five."""
    if not ends:
        return None
    end, times = Counter(ends).most_common(1)[0]
    return end if times >= max(FEWEST, total / 2) and len(end) <= _LONGEST else None


def _spoils(query: str, end: str) -> bool:
    """Whether a query is SQL without its end alone, by SQLite's grammar."""
    return _has_syntax_error(query) and not _has_syntax_error(query[: -len(end)])


def _has_syntax_error(query: str) -> bool:
    with closing(open_in_memory()) as connection:
        try:
            connection.execute(f"EXPLAIN {query}")
        except (sqlite3.Error, sqlite3.Warning, ValueError) as error:
            words = ("syntax error", "unrecognized token", "incomplete input")
            return any(word in str(error) for word in words)
    return False
