"""Why a text is not sent to a server: what the sandboxes of all servers say in the same words."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import Final

from sqlverdict.execute.attempt import NO_SQL, SEVERAL, SEVERAL_CHANGES, write_blocked
from sqlverdict.execute.lexemes import Lex, Lexeme
from sqlverdict.parse.tokens import word_set
from sqlverdict.records import Failure, Reason

QUERIES: Final = word_set("select with values table")
"""The first words of queries."""
_CHANGES: Final = word_set("create alter drop comment")


def shortest(words: Iterable[str]) -> tuple[str, ...]:
    """The words that contain no other of them: a text with any of the words has one of these."""
    known = set(words)
    return tuple(
        sorted(word for word in known if not any(other in word for other in known - {word}))
    )


def holds_any(text: str, words: Iterable[str]) -> bool:
    """Whether one of the words stands anywhere in a text, also inside of another word."""
    for word in words:  # noqa: SIM110 (a generator takes three times as long)
        if word in text:
            return True
    return False


def query_refusal(
    parts: Sequence[Lexeme], writers: Collection[str], plans: Collection[str]
) -> Failure | None:
    """Why a text is not one query, by its first word and its semicolons.

    Args:
        parts: The text without gaps and without semicolons at its end.
        writers: The first words of statements that do not read.
        plans: The first words of statements that describe.
    """
    if not parts:
        return NO_SQL
    word = next((part.name for part in parts if part.text != "("), "")
    if word in writers:
        return write_blocked(word.upper())
    if word in plans:
        message = f"{word.upper()} describes a query and does not answer"
        return Failure(Reason.UNSUPPORTED_FEATURE, message)
    if word not in QUERIES:
        message = f"expected SELECT, WITH, VALUES or TABLE, not {parts[0].text[:40]!r}"
        return Failure(Reason.PARSE_ERROR, message)
    if any(part.text == ";" for part in parts):
        return SEVERAL
    return None


def change_refusal(
    parts: Sequence[Lexeme],
    writers: Collection[str],
    objects: Collection[str],
    before: Collection[str],
) -> Failure | None:
    """Why a statement that may write is not tried, by what it would change.

    Args:
        parts: The text without gaps and without semicolons at its end.
        writers: The first words of statements that change rows.
        objects: What may be created, altered and dropped.
        before: Words that may stand between such a verb and its object.
    """
    words = [part.name for part in parts if part.kind is Lex.WORD]
    first = next((part for part in parts if part.text != "("), None)
    if first is None:
        return NO_SQL
    if first.kind is not Lex.WORD:
        return Failure(Reason.PARSE_ERROR, f"expected a statement, not {first.text[:40]!r}")
    if any(part.text == ";" for part in parts):
        return SEVERAL_CHANGES
    is_change = words[0] in _CHANGES
    what = next((word for word in words[1:] if word not in before), "") if is_change else words[0]
    if what in (objects if is_change else {*QUERIES, *writers}):
        return None
    return change_blocked(" ".join(words[:2]).upper()[:40])


def change_blocked(what: str) -> Failure:
    """A statement that would change more than tables."""
    return Failure(Reason.WRITE_BLOCKED, f"only tables may be changed; blocked: {what}")
