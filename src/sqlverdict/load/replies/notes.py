"""Notes on replies: several complete answers, of which the last counts, and ends that many share.

Text that many predictions begin or end with and that is no SQL is a sign of an unknown form.
"""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Collection
from contextlib import closing

from sqlverdict.files.sqlite import open_in_memory
from sqlverdict.files.text import count, few_of
from sqlverdict.load.replies.fenced import complete_blocks, extract_sql
from sqlverdict.load.replies.wrapped import BOX, behind_thoughts, box_contents, tag_contents
from sqlverdict.records import Prediction

MARKS = ("``", "~~", "</", "[/", BOX)
"""What a reply with several answers has: a box, the end of a fence or tag. Most have none."""
LAST_COUNTS = "the last one counts"


def answers_in(reply: str, tag: str | None = None) -> int:
    """How many different queries a reply gives as its answer: closed tags, boxes, fenced blocks.

    Args:
        reply: The reply.
        tag: The tag that holds the answer, where one must.
    """
    text = reply if tag is not None else behind_thoughts(reply)
    contents = tag_contents(text, tag)
    if len(contents) == 1:
        return answers_in(contents[0])
    if (
        not contents
        and (boxes := box_contents(text))
        and extract_sql(boxes[-1]) == extract_sql(text)
    ):
        contents = boxes
    blocks = complete_blocks(reply) if not contents else []
    queries = blocks or [sql for each in contents if (sql := extract_sql(each)) is not None]
    return len({" ".join(query.split()).rstrip("; ") for query in queries})


def has_several_answers(prediction: Prediction, tag: str | None = None) -> bool:
    """Whether a prediction was taken from a reply with several answers."""
    reply = prediction.raw
    if reply is None or prediction.sql is None:
        return False
    return any(mark in reply for mark in MARKS) and answers_in(reply, tag) > 1


def reply_notes(prediction: Prediction, tag: str | None = None) -> tuple[str, ...]:
    """What a user should know about how one reply was read."""
    if not has_several_answers(prediction, tag):
        return ()
    number = answers_in(prediction.raw or "", tag)
    return (f"the reply has {number} different complete queries: {LAST_COUNTS}",)


def several_note(case_ids: list[str]) -> str:
    """The note of a run on such replies."""
    replies = count(len(case_ids), "reply has", "replies have")
    return f"{replies} several complete queries (id {few_of(case_ids)}): {LAST_COUNTS}"


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
