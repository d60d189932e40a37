"""Replies with several complete answers: the last one counts, and a note says so."""

from __future__ import annotations

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
