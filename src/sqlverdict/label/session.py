"""Votes, withdrawals and adjudications: checked, saved, and only then counted.

A vote says which of query A and query B answers the question, or which of their results, to those
who see no SQL. Which of them is the gold follows from the folder's secret, and makes a label of it.
What an annotator gets depends on the own votes alone, and an annotator votes on assigned pairs
alone.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime

import msgspec

from sqlverdict.errors import UsageError
from sqlverdict.label.ballot import (
    Ballot,
    categories_for,
    check_ballot,
    choice_of_label,
    label_of_choice,
)
from sqlverdict.label.display import short_text
from sqlverdict.label.progress import LabelProgress, progress_of
from sqlverdict.label.queue import ESTIMATE, LabelQueue, QueueItem, first_side
from sqlverdict.label.reveal import PairVote, Revelation, pair_votes, reveal
from sqlverdict.label.session_key import SessionKey
from sqlverdict.label.vote_log import VoteLog
from sqlverdict.load.people.votes import (
    VOTE_SCHEMA,
    EventKind,
    ItemDisplay,
    Mode,
    Side,
    VoteEvent,
)
from sqlverdict.web.refusals import NotAssigned

ADJUDICATOR = "adjudicator"
"""Who the adjudicator's token stands for; annotators are ``annotator:NAME``."""
ANNOTATOR = "annotator:"


def token_subject(annotator: str) -> str:
    """Who an annotator's token stands for."""
    return f"{ANNOTATOR}{annotator}"


class ListedItem(msgspec.Struct, frozen=True):
    """A pair in an annotator's list, with the own vote as a choice; empty: none yet."""

    pair: str
    id: str
    question: str
    choice: str


class AnnotatorState(msgspec.Struct, frozen=True):
    """What the page knows of its annotator's work: nothing in it depends on another's votes.

    ``mode`` is what the annotator sees. Where ``reveals_at_end``, evidence is hidden until all own
    items have a label.
    """

    annotator: str
    blind: bool
    items: tuple[ListedItem, ...]
    categories: Mapping[str, str]
    progress: LabelProgress
    mode: Mode
    reveals_at_end: bool


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
    votes: tuple[PairVote, ...]
    decision: str
    reason: str


@dataclass
class LabelSession:
    """The work of some annotators on a queue. One thread at a time.

    Attributes:
        queue: The pairs.
        assignment: The pairs of each annotator, in order.
        log: Where votes are saved.
        key: Ids of pairs and orders follow from it.
        blind: Whether metrics, verdict and systems are hidden until the vote.
        name: The queue's name.
        without_sql: The annotators who see results alone.
        clock: The time.
    """

    queue: LabelQueue
    assignment: Mapping[str, Sequence[str]]
    log: VoteLog
    key: SessionKey
    blind: bool
    name: str
    without_sql: Collection[str] = ()
    clock: Callable[[], datetime] = lambda: datetime.now(UTC)
    _pairs_by_id: dict[str, dict[str, str]] = field(default_factory=dict)
    """The pairs of each reader by the ids that the reader got."""

    def state(self, annotator: str) -> AnnotatorState:
        """How far an annotator is."""
        items = []
        for pair in self.assignment[annotator]:
            vote = self._vote(annotator, pair)
            choice = choice_of_label(vote.label, self.first(annotator, pair)) if vote else ""
            result = self.queue.items[pair].result
            item_id = self.key.pair_id(token_subject(annotator), pair)
            items.append(ListedItem(item_id, result.id, short_text(result.question_line), choice))
        return AnnotatorState(
            annotator,
            self.blind,
            tuple(items),
            categories_for(self.blind, self.mode(annotator)),
            self.progress(annotator),
            self.mode(annotator),
            self.is_estimate,
        )

    @property
    def is_estimate(self) -> bool:
        """Whether the votes are for an estimate: nothing is revealed before the last one."""
        return self.name == ESTIMATE

    def mode(self, annotator: str) -> Mode:
        """What an annotator sees of a pair."""
        return "results" if annotator in self.without_sql else "queries"

    def progress(self, annotator: str) -> LabelProgress:
        """How far an annotator is, by the own votes alone."""
        return progress_of(self.log.content, annotator, self.assignment[annotator])

    def pair_of(self, reader: str, item_id: str) -> str:
        """The pair that a reader knows under an id.

        Args:
            reader: Who asks: an annotator, by :func:`token_subject`, or the adjudicator.
            item_id: The id, as the reader got it.

        Raises:
            NotAssigned: it is none of this reader's.
        """
        if reader not in self._pairs_by_id:
            own = self.assignment.get(reader.removeprefix(ANNOTATOR), self.queue.items)
            pairs = self.queue.items if reader == ADJUDICATOR else own
            self._pairs_by_id[reader] = {self.key.pair_id(reader, pair): pair for pair in pairs}
        try:
            return self._pairs_by_id[reader][item_id]
        except KeyError:
            raise NotAssigned from None

    def first(self, annotator: str, pair: str) -> Side:
        """Which query stands first for an annotator; the gold where nothing is hidden."""
        return first_side(self.key.secret, pair, annotator) if self.blind else "gold"

    def item(self, pair: str) -> QueueItem:
        """A pair of the queue.

        Raises:
            NotAssigned: it has none such.
        """
        if pair not in self.queue.items:
            raise NotAssigned
        return self.queue.items[pair]

    def own_item(self, annotator: str, pair: str) -> QueueItem:
        """A pair that an annotator was asked about.

        Raises:
            NotAssigned: it is another's, or none.
        """
        if pair not in self.assignment[annotator]:
            raise NotAssigned
        return self.item(pair)

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
            annotator in self.log.content.pairs[pair].revealed_to,
        )

    def vote(self, annotator: str, ballot: Ballot) -> str:
        """Save a vote, and say when.

        Raises:
            NotAssigned: the annotator was not asked about the pair.
            UsageError: it cannot be counted.
            OSError: it was not saved.
        """
        item = self.own_item(annotator, ballot.pair)
        check_ballot(ballot)
        first = self.first(annotator, ballot.pair)
        votes = self.log.content.pairs.get(ballot.pair)
        display = ItemDisplay(
            first,
            self.blind,
            votes is not None and annotator in votes.revealed_to,
            ballot.results,
            ballot.witness,
            ballot.digest,
            self.queue.text,
            self.mode(annotator),
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
        pair = self.log.content.last_pair(annotator, self.assignment[annotator])
        if pair is None:
            raise UsageError("there is no vote in this queue to take back")
        vote = self.own_vote(annotator, pair)
        self._save("undo", annotator, self.item(pair))
        return pair, vote

    def reveal(self, annotator: str, pair: str) -> Revelation:
        """All that is known of a pair, once the annotator voted on it; the look is recorded.

        The votes of others are not in it: these are for the adjudicator.

        Raises:
            NotAssigned: the annotator was not asked about the pair.
            UsageError: the annotator did not vote on it yet.
            OSError: the look was not saved.
        """
        item = self.own_item(annotator, pair)
        if self.blind and self._vote(annotator, pair) is None:
            raise UsageError("vote first: metrics and verdict are hidden until then")
        if self.is_estimate and not self._has_labelled_all(annotator):
            raise UsageError("all evidence is hidden until all of your items have a label")
        self._record_look(annotator, item)
        return reveal(item, self.first(annotator, pair))

    def reveal_dispute(self, adjudicator: str, pair: str) -> Revelation:
        """All that is known of a pair; the look is recorded.

        Raises:
            UsageError: there is no such pair.
            OSError: the look was not saved.
        """
        item = self.item(pair)
        self._record_look(adjudicator, item)
        return reveal(item, "gold")

    def disputes(self) -> tuple[Dispute, ...]:
        """The pairs on which annotators disagree, undecided ones first."""
        disputes = []
        for pair, votes in self.log.content.pairs.items():
            if pair not in self.queue.items or not votes.is_disputed:
                continue
            result = self.queue.items[pair].result
            decision = votes.adjudication
            disputes.append(
                Dispute(
                    self.key.pair_id(ADJUDICATOR, pair),
                    result.id,
                    result.question_line,
                    pair_votes(votes),
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
        check_ballot(ballot)
        if not ballot.reason.strip():
            raise UsageError("write the reason for the decision")
        if ballot.choice == "skip":
            raise UsageError("a decision cannot be a skip; choose undecided")
        votes = self.log.content.pairs.get(ballot.pair)
        if votes is None or not votes.votes:
            raise UsageError("nobody voted on this item yet")
        label = label_of_choice(ballot.choice, "gold")
        return self._save("adjudication", name, item, ballot, label=label)

    def _has_labelled_all(self, annotator: str) -> bool:
        votes = [self._vote(annotator, pair) for pair in self.assignment[annotator]]
        return all(vote is not None and vote.label != "skip" for vote in votes)

    def _vote(self, annotator: str, pair: str) -> VoteEvent | None:
        votes = self.log.content.pairs.get(pair)
        return votes.votes.get(annotator) if votes is not None else None

    def _record_look(self, name: str, item: QueueItem) -> None:
        """Save that somebody sees all evidence, blind session or not: a later one may be blind."""
        votes = self.log.content.pairs.get(item.pair)
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
        sampling = self.queue.sampling.get(item.pair) if label else None
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
                stratum=sampling.stratum if sampling else "",
                stratum_size=sampling.size if sampling else 0,
                sampling_probability=sampling.probability if sampling else None,
            )
        )
        return at
