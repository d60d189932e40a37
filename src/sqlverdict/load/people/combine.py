"""One label from the votes of several people."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from sqlverdict.load.people.votes import MEANINGS

Combine = Literal["majority", "consensus"]

UNDECIDED = 0.5
UNANSWERABLE = "unanswerable"


def vote_values(words: Sequence[str | None]) -> tuple[float | None, ...]:
    """The value of each vote on a pair; ``None``: no vote, or one without a value.

    Beside a vote for or against an answer, "unanswerable" is a vote against it: an answer to a
    question that has none is wrong. Where nobody votes otherwise, the pair has no value.
    """
    values = tuple(None if word is None else MEANINGS[word].value for word in words)
    if all(value is None for value in values):
        return values
    pairs = zip(words, values, strict=True)
    return tuple(0.0 if word == UNANSWERABLE else value for word, value in pairs)


def combined(votes: Sequence[float | None], combine: Combine) -> float | None:
    """One label from several votes; those who did not vote do not count.

    Majority: 1 where the mean is above one half, 0 where it is below, 0.5 at a tie.
    Consensus: what all say, and nothing where they differ.
    """
    cast = [vote for vote in votes if vote is not None]
    if not cast:
        return None
    if combine == "consensus":
        return cast[0] if len(set(cast)) == 1 else None
    mean = sum(cast) / len(cast)
    return UNDECIDED if mean == UNDECIDED else float(mean > UNDECIDED)
