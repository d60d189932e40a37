"""What is hidden until the vote: which query is the gold, metrics, verdict, evidence, systems.

The votes of others are hidden from annotators after it, too: the adjudicator alone sees them.
"""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from sqlverdict.label.item import witness_of
from sqlverdict.label.queue import QueueItem
from sqlverdict.load.people.votes import Mode, PairVotes, Side
from sqlverdict.report.one_run.case import because, evidence_lines


class PairVote(msgspec.Struct, frozen=True):
    """The vote of one annotator, as the adjudicator sees it."""

    annotator: str
    label: str
    categories: tuple[str, ...] = ()
    note: str = ""
    realistic: str = ""
    corrected_gold: str = ""
    mode: Mode = "queries"


class Revelation(msgspec.Struct, frozen=True):
    """All that is known of a pair.

    Attributes:
        first: Which query stands first.
        systems: Whose prediction it is.
        verdict: The run's verdict.
        because: What it rests on.
        scores: The metrics.
        evidence: What was found out, a sentence each.
        witness_sentence: When the queries differ.
        golds: All golds of the case.
    """

    first: Side
    systems: tuple[str, ...]
    verdict: str
    because: str
    scores: Mapping[str, float | None]
    evidence: tuple[str, ...]
    witness_sentence: str
    golds: tuple[str, ...]


def reveal(item: QueueItem, first: Side) -> Revelation:
    """All that is known of a pair but for people's votes."""
    result = item.result
    witness = witness_of(result)
    return Revelation(
        first=first,
        systems=item.systems,
        verdict=item.run.verdict(result).value,
        because=because(result),
        scores=result.scores,
        evidence=tuple(evidence_lines(result, item.run.folder)),
        witness_sentence=witness.sentence if witness is not None else "",
        golds=result.gold,
    )


def pair_votes(votes: PairVotes) -> tuple[PairVote, ...]:
    """The votes about a pair that count."""
    return tuple(
        PairVote(
            name,
            vote.label,
            vote.categories,
            vote.note,
            vote.realistic,
            vote.corrected_gold,
            vote.mode,
        )
        for name, vote in votes.votes.items()
    )
