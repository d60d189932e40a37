"""What an annotator says of A and B, two queries or their results, and the label it stands for.

See ``load/people/votes.py`` for the labels.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

import msgspec

from sqlverdict.compare.tag_labels import FATAL, MINOR
from sqlverdict.errors import UsageError
from sqlverdict.load.people.votes import Mode, Side

Choice = Literal[
    "only_a",
    "only_b",
    "both",
    "neither",
    "undecided",
    "unanswerable",
    "skip",
]
LONGEST_TEXT = 20_000
CATEGORIES: Mapping[str, str] = {**FATAL, **MINOR}

_BY_CHOICE: Mapping[str, str] = {"both": "right", "neither": "both_wrong"}


def categories_for(blind: bool, mode: Mode) -> dict[str, str]:
    """The categories to choose from: who votes blind does not know which query is the gold.

    They are about queries: whoever sees results alone has none.
    """
    if mode == "results":
        return {}
    hidden = ("wrong_gold",) if blind else ()
    return {name: text for name, text in CATEGORIES.items() if name not in hidden}


def label_of_choice(choice: Choice, first: Side) -> str:
    """The label that a choice stands for, by which query stood first."""
    if choice in ("only_a", "only_b"):
        gold_alone = (choice == "only_a") == (first == "gold")
        return "wrong" if gold_alone else "gold_wrong"
    return _BY_CHOICE.get(choice, choice)


def choice_of_label(label: str, first: Side) -> str:
    """The choice that gave a label."""
    if label in ("wrong", "gold_wrong"):
        return "only_a" if (label == "wrong") == (first == "gold") else "only_b"
    return {name: choice for choice, name in _BY_CHOICE.items()}.get(label, label)


class Ballot(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What the page sends for a vote; an adjudication has a reason."""

    pair: str
    choice: Choice
    categories: tuple[str, ...] = ()
    note: str = ""
    realistic: Literal["", "yes", "no", "unsure"] = ""
    corrected_gold: str = ""
    reason: str = ""
    seconds: float | None = None
    digest: str = ""
    results: bool = False
    witness: bool = False


def check_ballot(ballot: Ballot) -> None:
    """Refuse what cannot be saved.

    Raises:
        UsageError: a category is not known, or a text is too long.
    """
    unknown = [name for name in ballot.categories if name not in CATEGORIES]
    if unknown:
        raise UsageError(f"there is no category {unknown[0]!r}; known: {', '.join(CATEGORIES)}")
    if max(map(len, (ballot.note, ballot.reason, ballot.corrected_gold))) > LONGEST_TEXT:
        raise UsageError(f"a text is longer than {LONGEST_TEXT:,} characters")
