"""Votes, withdrawals and adjudications: checked, saved, and only then counted.

A vote says which of query A and query B answers the question. Which of them is the gold follows
from the seed, and makes a label of it; see ``load/people/votes.py`` for the labels.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Literal

import msgspec

from sqlverdict.compare.tag_labels import FATAL, MINOR
from sqlverdict.errors import UsageError
from sqlverdict.label.display import short_text
from sqlverdict.label.progress import LabelProgress, agreement_of, progress_of
from sqlverdict.label.queue import LabelQueue, QueueItem, first_side
from sqlverdict.label.reveal import OtherVote, Revelation, other_votes, reveal
from sqlverdict.label.vote_log import VoteLog
from sqlverdict.load.people.votes import VOTE_SCHEMA, EventKind, ItemDisplay, Side, VoteEvent
from sqlverdict.score.agreement.annotators import AnnotatorAgreement

Choice = Literal[
    "only_a",
    "only_b",
    "both",
    "either",
    "neither",
    "ambiguous",
    "unanswerable",
    "undecided",
    "skip",
]
LONGEST_TEXT = 20_000
CATEGORIES: Mapping[str, str] = {**FATAL, **MINOR}

_BY_CHOICE: Mapping[str, str] = {
    "both": "right",
    "either": "both_acceptable",
    "neither": "both_wrong",
}


def categories_for(blind: bool) -> dict[str, str]:
    """The categories to choose from: who votes blind does not know which query is the gold."""
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


class ListedItem(msgspec.Struct, frozen=True):
    """A pair in an annotator's list, with the own vote as a choice; empty: none yet."""

    pair: str
    id: str
    question: str
    choice: str


class AnnotatorState(msgspec.Struct, frozen=True):
    """What the page knows of its annotator's work."""

    annotator: str
    blind: bool
    items: tuple[ListedItem, ...]
    categories: Mapping[str, str]
    progress: LabelProgress
    agreement: AnnotatorAgreement | None


class OwnVote(msgspec.Struct, frozen=True):
    """An annotator's own vote, as the page shows it again."""

    choice: str
    categories: tuple[str, ...]
    note: str
    realistic: str
    corrected_gold: str
    at: str
    revealed: bool


class Dispute(msgspec.Struct, frozen=True):
    """A pair on which annotators disagree, for the adjudicator."""

    pair: str
    id: str
    question: str
    votes: tuple[OtherVote, ...]
    decision: str
    reason: str


@dataclass
class LabelSession:
    """The work of some annotators on a queue. One thread at a time.

    Attributes:
        queue: The pairs.
        assignment: The pairs of each annotator, in order.
        log: Where votes are saved.
        seed: The seed of the queue and of the order of queries.
        blind: Whether metrics, verdict, systems and other votes are hidden until the vote.
        name: The queue's name.
        clock: The time.
    """

    queue: LabelQueue
    assignment: Mapping[str, Sequence[str]]
    log: VoteLog
    seed: int
    blind: bool
    name: str
    clock: Callable[[], datetime] = lambda: datetime.now(UTC)

    def state(self, annotator: str) -> AnnotatorState:
        """How far an annotator is."""
        items = []
        for pair in self.assignment[annotator]:
            vote = self._vote(annotator, pair)
            choice = choice_of_label(vote.label, self.first(annotator, pair)) if vote else ""
            result = self.queue.items[pair].result
            items.append(ListedItem(pair, result.id, short_text(result.question), choice))
        return AnnotatorState(
            annotator,
            self.blind,
            tuple(items),
            categories_for(self.blind),
            *self.figures(annotator),
        )

    def figures(self, annotator: str) -> tuple[LabelProgress, AnnotatorAgreement | None]:
        """What changes with every vote: an annotator's progress, and how all agree."""
        book = self.log.book
        progress = progress_of(book, annotator, self.assignment[annotator])
        return progress, agreement_of(book, self.log.path)

    def first(self, annotator: str, pair: str) -> Side:
        """Which query stands first for an annotator; the gold where nothing is hidden."""
        return first_side(self.seed, pair, annotator) if self.blind else "gold"

    def item(self, pair: str) -> QueueItem:
        """A pair of the queue.

        Raises:
            UsageError: it has none such.
        """
        if pair not in self.queue.items:
            raise UsageError("this item is not in the queue; load the page again")
        return self.queue.items[pair]

    def own_vote(self, annotator: str, pair: str) -> OwnVote | None:
        """An annotator's vote on a pair that counts."""
        vote = self._vote(annotator, pair)
        if vote is None:
            return None
        return OwnVote(
            choice_of_label(vote.label, self.first(annotator, pair)),
            vote.categories,
            vote.note,
            vote.realistic,
            vote.corrected_gold,
            vote.at,
            annotator in self.log.book.pairs[pair].revealed_to,
        )

    def vote(self, annotator: str, ballot: Ballot) -> str:
        """Save a vote, and say when.

        Raises:
            UsageError: it cannot be counted.
            OSError: it was not saved.
        """
        item = self.item(ballot.pair)
        _check(ballot)
        first = self.first(annotator, ballot.pair)
        votes = self.log.book.pairs.get(ballot.pair)
        display = ItemDisplay(
            first,
            self.blind,
            votes is not None and annotator in votes.revealed_to,
            ballot.results,
            ballot.witness,
            ballot.digest,
            f"{self.name}, seed {self.seed}",
        )
        label = label_of_choice(ballot.choice, first)
        return self._save("vote", annotator, item, ballot, label=label, display=display)

    def undo(self, annotator: str) -> tuple[str, OwnVote | None]:
        """Take back an annotator's last vote with its edits; return its pair and what it was.

        Votes on another queue stay: the page could not show what it takes back.

        Raises:
            UsageError: there is none.
            OSError: it was not saved.
        """
        pair = self.log.book.last_pair(annotator, self.assignment[annotator])
        if pair is None:
            raise UsageError("there is no vote in this queue to take back")
        vote = self.own_vote(annotator, pair)
        self._save("undo", annotator, self.item(pair))
        return pair, vote

    def reveal(self, annotator: str, pair: str) -> Revelation:
        """All that is known of a pair, once the annotator voted on it; the look is recorded.

        Raises:
            UsageError: the annotator did not vote on it yet.
            OSError: the look was not saved.
        """
        item = self.item(pair)
        if self.blind and self._vote(annotator, pair) is None:
            raise UsageError("vote first: metrics, verdict and other votes are hidden until then")
        self._record_look(annotator, item)
        votes = self.log.book.pairs[pair]
        return reveal(item, self.first(annotator, pair), votes, annotator)

    def reveal_dispute(self, adjudicator: str, pair: str) -> Revelation:
        """All that is known of a pair, with everybody's votes; the look is recorded.

        Raises:
            UsageError: there is no such pair.
            OSError: the look was not saved.
        """
        item = self.item(pair)
        self._record_look(adjudicator, item)
        return reveal(item, "gold", self.log.book.pairs[pair])

    def disputes(self) -> tuple[Dispute, ...]:
        """The pairs on which annotators disagree, undecided ones first."""
        disputes = []
        for pair, votes in self.log.book.pairs.items():
            if pair not in self.queue.items or not votes.is_disputed:
                continue
            result = self.queue.items[pair].result
            decision = votes.adjudication
            disputes.append(
                Dispute(
                    pair,
                    result.id,
                    result.question,
                    other_votes(votes),
                    decision.label if decision else "",
                    decision.reason if decision else "",
                )
            )
        return tuple(sorted(disputes, key=lambda dispute: bool(dispute.decision)))

    def adjudicate(self, name: str, ballot: Ballot) -> str:
        """Save what the adjudicator decides; the gold is query A there.

        Raises:
            UsageError: the reason is missing, or nobody voted.
            OSError: it was not saved.
        """
        item = self.item(ballot.pair)
        _check(ballot)
        if not ballot.reason.strip():
            raise UsageError("write the reason for the decision")
        if ballot.choice == "skip":
            raise UsageError("a decision cannot be a skip; choose undecided")
        votes = self.log.book.pairs.get(ballot.pair)
        if votes is None or not votes.votes:
            raise UsageError("nobody voted on this item yet")
        label = label_of_choice(ballot.choice, "gold")
        return self._save("adjudication", name, item, ballot, label=label)

    def _vote(self, annotator: str, pair: str) -> VoteEvent | None:
        votes = self.log.book.pairs.get(pair)
        return votes.votes.get(annotator) if votes is not None else None

    def _record_look(self, name: str, item: QueueItem) -> None:
        """Save that somebody sees all evidence, blind session or not: a later one may be blind."""
        votes = self.log.book.pairs.get(item.pair)
        if votes is None or name not in votes.revealed_to:
            self._save("reveal", name, item)

    def _save(
        self,
        kind: EventKind,
        annotator: str,
        item: QueueItem,
        ballot: Ballot | None = None,
        *,
        label: str = "",
        display: ItemDisplay | None = None,
    ) -> str:
        at = self.clock().isoformat(timespec="milliseconds")
        ballot = ballot or Ballot(item.pair, "skip")
        self.log.append(
            VoteEvent(
                vote_schema=VOTE_SCHEMA,
                kind=kind,
                id=item.result.id,
                pair=item.pair,
                annotator=annotator,
                at=at,
                label=label,
                categories=ballot.categories,
                note=ballot.note,
                realistic=ballot.realistic,
                corrected_gold=ballot.corrected_gold.strip(),
                reason=ballot.reason,
                seconds=None if ballot.seconds is None else round(ballot.seconds, 1),
                display=display,
                source="page",
            )
        )
        return at


def _check(ballot: Ballot) -> None:
    unknown = [name for name in ballot.categories if name not in CATEGORIES]
    if unknown:
        raise UsageError(f"there is no category {unknown[0]!r}; known: {', '.join(CATEGORIES)}")
    if max(map(len, (ballot.note, ballot.reason, ballot.corrected_gold))) > LONGEST_TEXT:
        raise UsageError(f"a text is longer than {LONGEST_TEXT:,} characters")
