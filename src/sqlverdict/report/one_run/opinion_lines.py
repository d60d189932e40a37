"""What a judge said about a case, in sentences."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from sqlverdict.evidence import Judged
from sqlverdict.files.text import count

_SAYS = 600
"""Characters of its explanation."""


def opinion_lines(opinion: Judged) -> Iterator[str]:
    """One sentence each: its verdict, its words, what it cost."""
    words = {True: "right", False: "wrong", None: "no verdict"}[opinion.correct]
    model = f", {opinion.model}" if opinion.model else ""
    why = f" ({', '.join(opinion.reasons)})" if opinion.reasons else ""
    metrics = ", ".join(opinion.metrics)
    yield f"judged by {opinion.judge or opinion.by}{model} for {metrics}: {words}{why}"
    text = " ".join(opinion.explanation.split())
    if text:
        yield f"it says: {text if len(text) <= _SAYS else text[:_SAYS] + '…'}"
    if len(opinion.votes) > 1:
        yield f"votes: {_votes(opinion.votes)}{'; all agree' if opinion.unanimous else ''}"
    if opinion.repeats:
        yield f"asked {count(len(opinion.repeats), 'time')}: {_votes(opinion.repeats)}"
    if opinion.categories:
        yield f"categories: {', '.join(opinion.categories)}"
    if opinion.flags:
        yield f"flags: {', '.join(opinion.flags)}"
    for note in opinion.notes:
        yield f"not told to the judge: {note}"
    read, replied = opinion.tokens
    cached = f" ({opinion.cached:,} cached)" if opinion.cached else ""
    price = f", ${opinion.cost:.4f} when paid for" if opinion.cost else ""
    if read or replied:
        calls = f"{count(opinion.calls, 'call')}{cached}"
        yield f"took {calls}, {read:,} + {replied:,} tokens{price}"


def _votes(votes: Iterable[bool | None]) -> str:
    return ", ".join({True: "right", False: "wrong", None: "unread"}[vote] for vote in votes)
